import {
  type Clock,
  catchMaybe,
  isObject,
  type JsonObject,
  OUTCOME_UNKNOWN,
  systemClock,
  TenonError,
} from '@tenon/base';
import { checkMetaKeys } from '../../protocol/check-meta.js';
import type { LoggingLevel, Tool } from '../../protocol/content.js';
import { readHeaderParams } from '../../protocol/header-params.js';
import type { FinalResult, MethodName, Methods } from '../../protocol/method-types.js';
import { isMethod } from '../../protocol/methods.js';
import { hasCapability } from '../../protocol/missing-capabilities.js';
import { TASKS, type TaskParams } from '../../protocol/tasks.js';
import type { InternalCallOptions } from '../call-options.js';
import type { Connection } from '../connection/connection.js';
import { ConnectionManager } from '../connection/connection-manager.js';
import type { ServerEndpoint } from '../connection/endpoint.js';
import type { SendParameters } from '../connection/outgoing-request.js';
import { createArgumentHeaders } from '../connection/request-headers.js';
import { ClientEmitter } from '../emitter.js';
import { requireCallOptions, requireMessage } from '../option-checks.js';
import type { ClientOptions } from '../options.js';
import { readInputRequired, resolveInputRequests } from '../server-requests/input-rounds.js';
import { createCapabilities } from '../server-requests/request-handlers.js';
import { callAsTask, canCreateTasks, getTaskParams } from '../tasks/task-calls.js';
import { trackTask } from '../tasks/tracked-task.js';
import { handleNotification } from '../watch/notifications.js';
import { checkSupported } from './call-checks.js';
import type { CallContext, CallState } from './call-context.js';
import { CallDeadline, createPausableClock, type PausableClock } from './call-deadline.js';
import { prepareParams } from './call-params.js';
import { listAll } from './pages.js';
import { ResponseCache } from './response-cache.js';
import { checkResult } from './results.js';
import { retryCall } from './retry-call.js';
import { type ListedTool, readListedTool, ToolCache } from './tool-cache.js';

const DEFAULT_CACHE_SIZE = 200;
const NO_OPTIONS: InternalCallOptions = {};

/**
 * Runs a call: checks, cache, connection, input requests, and validation of the result. Repeats the call once if that
 * is safe.
 */
export class CallPipeline implements CallContext {
  readonly options: ClientOptions;
  readonly emitter = new ClientEmitter();
  readonly connections: ConnectionManager;
  readonly cache: ResponseCache;
  readonly toolCache = new ToolCache();
  /** A clock that never pauses. */
  readonly clock: Clock;
  /** The clock of call timeouts. It is paused while the user answers a request of the server. */
  readonly pausableClock: PausableClock;
  logLevel: LoggingLevel | undefined;
  readonly #hasTaskExtension: boolean;

  constructor(endpoint: ServerEndpoint, options: ClientOptions) {
    this.clock = options.clock ?? systemClock;
    this.pausableClock = createPausableClock(this.clock);
    this.options = options;
    this.logLevel = options.logLevel;
    this.#hasTaskExtension = Object.hasOwn(createCapabilities(options).extensions ?? {}, TASKS);
    this.cache = new ResponseCache(options.cacheSize ?? DEFAULT_CACHE_SIZE, this.clock);
    const events = {
      onNotification: (method: string, params: JsonObject, peer: string) =>
        handleNotification(this, method, params, peer),
      onError: (error: TenonError) => this.emitter.emit('error', error),
    };
    this.connections = new ConnectionManager(endpoint, options, this.emitter, events, this.pausableClock);
  }

  /**
   * Calls any method, and waits for the task that the call may become. Rejects with a `TenonError` that names the peer,
   * the problem and the next step.
   */
  async call(method: string, params: JsonObject = {}, options: InternalCallOptions = NO_OPTIONS): Promise<JsonObject> {
    const callState = this.createCallState(method, params, options);
    try {
      return await this.#waitForResult(await this.begin(callState), callState);
    } catch (error) {
      // The outcome of a task is unknown if its process has stopped and no other process may continue it.
      const isOutcomeUnknown = callState.isTask && TenonError.is(error) && error.code === OUTCOME_UNKNOWN;
      if (options.idempotent !== true || !isOutcomeUnknown) throw error;
      return this.#waitForResult(await this.begin(callState), callState);
    }
  }

  /** Waits for the task that a call has become, unless the caller wants the task itself. */
  #waitForResult(answer: JsonObject, callState: CallState): JsonObject | Promise<JsonObject> {
    const { params, options } = callState;
    if (answer.resultType !== 'task' || options.resolveInputRequests === false) return answer;
    callState.isTask = true;
    const { deadline, stopProgress } = callState;
    return trackTask(this, answer, { tool: getToolName(params), deadline, stopProgress, ...options }).waitForCall(
      options.signal,
    );
  }

  /** Calls a method of the protocol and returns its final result, which the table of methods has checked. */
  request<M extends MethodName>(
    method: M,
    params: Methods[M]['params'],
    options?: InternalCallOptions,
  ): Promise<FinalResult<Methods[M]['result']>>;
  request(method: string, params: JsonObject, options?: InternalCallOptions): Promise<JsonObject> {
    return this.call(method, params, options);
  }

  /** Calls any method. If the call becomes a task, it returns the task without waiting for it. */
  begin(callState: CallState): JsonObject | Promise<JsonObject> {
    const { openConnection } = this.connections;
    if (openConnection === undefined)
      return this.connections.getConnection().then(connection => this.#beginOn(connection, callState));
    return this.#beginOn(openConnection, callState);
  }

  #beginOn(connection: Connection, callState: CallState): JsonObject | Promise<JsonObject> {
    const { method, known, params, options } = callState;
    if (known) checkSupported(connection, known);
    connection.checkSendable(method, params);
    if (options.meta) connection.checkSendable(method, { _meta: options.meta });
    const cached = known && this.cache.get(known, params);
    return cached ?? this.#sendWithRetry(connection, callState);
  }

  /**
   * Requests the state of a task. The declared capabilities of the server are not checked, because the server has
   * created the task.
   */
  async sendTaskRequest(
    method: MethodName,
    params: JsonObject,
    options: InternalCallOptions,
    tool?: string,
  ): Promise<JsonObject> {
    return this.#sendWithRetry(await this.connections.getConnection(), {
      ...this.createCallState(method, params, options),
      tool,
    });
  }

  createCallState(method: string, params: JsonObject, options: InternalCallOptions): CallState {
    // A forwarded call has options of this library. Those of an application may be no object.
    if (options?.allowReservedMeta !== true) {
      if (typeof method !== 'string' || typeof params !== 'object' || params === null)
        requireMessage('call', method, params);
      if (options !== NO_OPTIONS) requireCallOptions(method, options);
      if (params._meta !== undefined) checkMetaKeys(method, params._meta);
      if (options.meta !== undefined) checkMetaKeys(method, options.meta);
    }
    const { totalTimeout = this.options.totalTimeout } = options;
    const deadline = new CallDeadline(this.pausableClock, totalTimeout);
    const cacheGeneration = this.cache.generation;
    const known = isMethod(method) ? method : undefined;
    const trace = this.options.telemetry && { round: 0 };
    return { method, known, params, options, deadline, cacheGeneration, trace };
  }

  /** Lists all tools. Over HTTP, tools with invalid header annotations are omitted. */
  async *listTools(options?: InternalCallOptions): AsyncGenerator<Tool> {
    const all: ListedTool[] = [];
    const { generation } = this.toolCache;
    for await (const tool of listAll<Tool>(this, 'tools/list', 'tools', options)) {
      const { dialect, endpoint, peer } = this.connections.lastConnection;
      const hasHeaders = dialect.http.mirrorHeaders && endpoint.kind === 'http';
      const headerParams = hasHeaders ? readHeaderParams(tool.inputSchema) : undefined;
      if (typeof headerParams === 'string') {
        const summary = `tool "${tool.name}" was ignored: ${headerParams}`;
        this.emitter.emit('error', new TenonError('peer/unusable-tool', summary, { peer }));
      } else {
        all.push(readListedTool(tool));
        yield tool;
      }
    }
    await this.toolCache.set(all, generation);
  }

  #sendWithRetry(connection: Connection, callState: CallState): JsonObject | Promise<JsonObject> {
    return catchMaybe(
      () => this.sendOnce(connection, callState),
      error => retryCall(this, connection, callState, error),
    );
  }

  /** Sends a call. First loads the list of tools if the call needs it. */
  sendOnce(initial: Connection, callState: CallState): Promise<JsonObject> {
    const loadsTools = callState.method === 'tools/call' && this.#mustLoadTools(initial);
    return loadsTools || initial.ended ? this.#sendLater(initial, callState) : this.#exchange(initial, callState);
  }

  async #sendLater(initial: Connection, callState: CallState): Promise<JsonObject> {
    if (callState.method === 'tools/call') await this.loadTools(initial, callState.options);
    // Loading the tools may have reconnected. The request was not sent yet, so it uses the current connection.
    return this.#exchange(initial.ended ? await this.connections.getConnection() : initial, callState);
  }

  /** Sends a request, answers the server's input requests, and validates the result. */
  #exchange(connection: Connection, callState: CallState): Promise<JsonObject> {
    const { method, params, options, deadline, taskParams } = callState;
    const callsTool = method === 'tools/call';
    const task = callsTool ? getTaskParams(this, connection, params, taskParams) : undefined;
    const outgoing = prepareParams(params, callsTool, task, options);
    if (callState.trace) callState.trace.round = 0;
    const send = (each: JsonObject) => {
      if (callState.trace) callState.trace.round += 1;
      const parameters = this.#createSendParameters(connection, each, callState);
      return task ? callAsTask(this, connection, each, parameters) : connection.call(method, each, parameters);
    };
    return send(outgoing).then(first => {
      if (first.resultType !== 'input_required') return this.#checkResult(connection, callState, first, task, false);
      if (options.resolveInputRequests === false)
        return readInputRequired(first, connection).then(read =>
          this.#checkResult(connection, callState, read, task, false),
        );
      const last = resolveInputRequests(first, outgoing, send, connection, this.options, deadline, options.signal);
      return last.then(result => this.#checkResult(connection, callState, result, task, true));
    });
  }

  #checkResult(
    connection: Connection,
    { known: method, params, options, cacheGeneration }: CallState,
    result: JsonObject,
    task: TaskParams | undefined,
    hadInputRequests: boolean,
  ): JsonObject {
    if (method === undefined) return result;
    const mayBeTask = task !== undefined || (connection.dialect.tasks === 'by-extension' && this.#hasTaskExtension);
    const expected = {
      inputRequired: options.resolveInputRequests === false,
      task: method === 'tools/call' && mayBeTask,
    };
    const checked = checkResult(this, connection, method, result, params, expected);
    // The response to a retry depends on more than its params, so it is not cached.
    const retried = hadInputRequests || 'inputResponses' in params || 'requestState' in params;
    if (!retried && (checked.resultType ?? 'complete') === 'complete')
      this.cache.set(method, params, checked, cacheGeneration);
    return checked;
  }

  #mustLoadTools(connection: Connection): boolean {
    if (this.toolCache.isLoaded || !hasCapability(connection.server.capabilities, 'tools')) return false;
    return this.options.validate !== 'off' || canCreateTasks(connection);
  }

  /**
   * Loads the list of tools before the first call that needs it. It contains the headers, the output schema and the
   * task support of each tool.
   */
  async loadTools(connection: Connection, { signal }: InternalCallOptions): Promise<void> {
    if (!this.#mustLoadTools(connection)) return;
    try {
      await this.toolCache.ensure(async () => {
        const all: ListedTool[] = [];
        for await (const tool of this.listTools(signal ? { signal } : {})) all.push(readListedTool(tool));
        return all;
      });
    } catch (error) {
      if (signal?.aborted || this.connections.state === 'closed') throw error;
      this.emitter.emit('error', TenonError.from(error));
    }
  }

  #createSendParameters(connection: Connection, params: JsonObject, callState: CallState): SendParameters {
    const { method, options } = callState;
    const name = method === 'tools/call' ? getToolName(params) : callState.tool;
    const tool = name === undefined ? undefined : this.toolCache.get(name);
    const headers =
      method === 'tools/call' && tool && tool.headerParams.length > 0 && connection.dialect.http.mirrorHeaders
        ? createArgumentHeaders(tool.headerParams, isObject(params.arguments) ? params.arguments : undefined)
        : undefined;
    return {
      trace: callState.trace,
      signal: options.signal,
      onProgress: options.onProgress,
      onStreamClosed: options.onStreamClosed,
      onRequestId: options.onRequestId,
      logLevel: this.logLevel,
      outputSchema: tool?.outputSchema,
      idleTimeout: options.idleTimeout,
      totalTimeout: callState.deadline.remaining,
      silentAbort: method === 'tasks/result',
      // Progress reports of a task continue until the call ends.
      onTaskCreated:
        options.resolveInputRequests === false
          ? options.onTaskCreated
          : stopProgress => {
              callState.stopProgress = stopProgress;
            },
      headers,
    };
  }
}

function getToolName({ name }: JsonObject): string | undefined {
  return typeof name === 'string' ? name : undefined;
}
