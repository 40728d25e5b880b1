import { type AbortSignalLike, toAbortSignal } from '../../cancellation/lazy-abort-signal.js';
import type { HandlerRun, ResumableContext } from '../../execution/handler-run.js';
import type { TenonError } from '../../jsonrpc/error.js';
import { type MaybePromise, markHandled, thenMaybe } from '../../jsonrpc/maybe-promise.js';
import { isId, isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { AuthInfo, RequestHeaders } from '../../jsonrpc/transport.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { checkMeta, checkNestedMeta } from '../../protocol/check-meta.js';
import { requireKnownOptions } from '../../protocol/check-options.js';
import type { ContentBlock, Implementation, LoggingLevel, Meta } from '../../protocol/content.js';
import { LOGGING_LEVELS } from '../../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  ListRootsResult,
} from '../../protocol/input-requests.js';
import type { ResultOf } from '../../protocol/method-types.js';
import { toResult } from '../../protocol/methods.js';
import type { RetryInputs } from '../../protocol/params-and-results.js';
import type { PingOptions } from '../../protocol/request-handler.js';
import type { InferOutput, Schema } from '../../schemas/standard.js';
import { type ToolResultParts, toolResult } from '../definitions/tool-result.js';
import type { MaybeAsyncResult } from '../method-handler.js';
import type { RequestContext } from '../request-context.js';
import { selectFileRoots } from '../session/roots.js';
import { createNoPingError } from '../session/session-ping.js';
import { ActiveRequest } from './active-request.js';
import { bindMethods } from './bind-methods.js';
import type { CreateState } from './create-state.js';
import { type FormAnswer, requestForm } from './form.js';
import { OpenCalls } from './open-calls.js';

/** Methods by which a handler requests input. */
type InputRequestMethod = 'sampling/createMessage' | 'elicitation/create' | 'roots/list';

/** Names of the parameters of a sampling request. */
const SAMPLE_PARAMS: { readonly [K in keyof Required<CreateMessageParams & { _meta: Meta }>]: true } = {
  messages: true,
  modelPreferences: true,
  systemPrompt: true,
  includeContext: true,
  temperature: true,
  maxTokens: true,
  stopSequences: true,
  metadata: true,
  tools: true,
  toolChoice: true,
  _meta: true,
};

/** Second argument of a handler. You can destructure its methods: `({ title }, { log, fail }) => …`. */
export class Context<S = unknown> {
  readonly #run: HandlerRun;
  readonly #createState: CreateState<S> | undefined;
  readonly #requestContext: RequestContext;
  readonly #params: JsonObject;
  // Created on first access, because most handlers do not read it.
  #active: ActiveRequest | undefined;
  /** Steps and input requests. Created on first use. */
  #openCalls: OpenCalls | undefined;
  #progress = Number.NEGATIVE_INFINITY;
  /**
   * Answers to the input requests that the handler returned, and the state that it returned with them. On the first run
   * `inputResponses` is undefined.
   */
  readonly inputs: RetryInputs;

  /** `inputs` come from the previous run, when the handler runs again for the same request. */
  constructor(
    requestContext: RequestContext,
    run: HandlerRun,
    params: JsonObject,
    createState: CreateState<S> | undefined,
    inputs: RetryInputs = {},
    previous?: Context<S>,
  ) {
    this.#createState = createState;
    this.#requestContext = requestContext;
    this.#params = params;
    this.#run = run;
    this.inputs = inputs;
    if (previous) this.#progress = previous.#progress;
  }

  /** Runs the handler itself with this context. @internal */
  static invokeHandler(context: Context, handler: () => MaybeAsyncResult): MaybeAsyncResult {
    return context.#run.invokeHandler(context as ResumableContext, handler);
  }

  /**
   * Runs the code of a definition with this context, and then `next` with its return value. Throws when the code
   * returned before a step or input request that it never awaits. Those of middleware do not count. @internal
   */
  static runDefinition<T, R>(
    context: Context,
    run: () => MaybePromise<T> | PromiseLike<T>,
    next: (returned: T) => MaybePromise<R>,
  ): MaybePromise<R> {
    context.#openCalls = undefined;
    return thenMaybe<T, R>(run(), returned => {
      const awaited = context.#openCalls?.requireAwaited();
      return awaited === undefined ? next(returned) : awaited.then(() => next(returned));
    });
  }

  /** Returns the run of the handler. @internal */
  static getRun(context: Context): HandlerRun {
    return context.#run;
  }

  /** Replaces the request of this context. @internal */
  static rebind(context: Context, requestContext: RequestContext, params: JsonObject): void {
    context.#getActive().rebind(requestContext, params);
  }

  /** Continues with the context of a later request. @internal */
  resumeWith(later: Context): void {
    const previous = this.#getActive();
    this.#active = later.#getActive();
    this.#active.continueFrom(previous);
  }

  #getActive(): ActiveRequest {
    this.#active ??= new ActiveRequest(this.#requestContext, this.#params, this.#run.redirectTo !== undefined);
    return this.#active;
  }

  /** The `_meta` of the request, including the trace context. */
  get meta(): Meta {
    const { _meta } = this.#getActive().params;
    return isObject(_meta) ? _meta : {};
  }

  /** Signal that is aborted when the client cancels the request. */
  get signal(): AbortSignal {
    return toAbortSignal(this.#getActive().signal);
  }

  /** Returns the same signal without an event target, because most calls do not need one. @internal */
  static getSignal(context: Context): AbortSignalLike {
    return context.#getActive().signal;
  }

  /** Protocol version of the client, for example for logs. The same handler serves all versions. */
  get protocolVersion(): string {
    return this.#getActive().requestContext.dialect.protocolVersion;
  }

  /**
   * ID of the session, for state that lasts from call to call. It is the same on all replicas with shared stores.
   *
   * On versions before 2026-07-28 it is that of `Mcp-Session-Id`, or of the stream of HTTP+SSE. Undefined on stdio and in
   * memory, where a connection is one session, with `sessions: false`, on 2026-07-28, and in a task whose session has ended.
   * Do not return or log it: without authorization, any caller who knows it may use the session.
   *
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
   */
  get sessionId(): string | undefined {
    const { session, originSession } = this.#getActive().requestContext;
    return (session ?? originSession)?.id;
  }

  /** User and token, verified by the authorization of the transport. */
  get auth(): AuthInfo | undefined {
    return this.#getActive().requestContext.caller.auth;
  }

  /** Network address of the client, or of a proxy: see `clientAddress`. Undefined if the transport has none. */
  get address(): string | undefined {
    return this.#getActive().requestContext.caller.address;
  }

  /**
   * The HTTP request that contained this request, or on 2026-07-28 the last answer. `header(name)` accepts the name in
   * any case and never returns `authorization`, `proxy-authorization`, `cookie` or `dpop`: see `auth`. Undefined on
   * stdio, in memory, and in a task.
   */
  get request(): RequestHeaders | undefined {
    return this.#getActive().request;
  }

  /**
   * Values that middleware passes to the handler: the object that the option `state` of `createServer` returns for each
   * request. Default: an empty object. A retry (2026-07-28) and a task start with a new object.
   */
  get state(): S {
    return this.#getActive().getState(() => this.#createState?.(this) ?? {}) as S;
  }

  /** Name and capabilities that the client declares. Untrusted. */
  get client(): { readonly info: Implementation | undefined; readonly capabilities: ClientCapabilities } {
    const { client, capabilities } = this.#getActive().requestContext.caller;
    return { info: client, capabilities };
  }

  /** Reports progress, if the client requested it. `progress` must increase; other reports are dropped. */
  progress(progress: number, total?: number, message?: string): void {
    this.#getActive().sendWhenOpen(request => {
      const { progressToken } = this.meta;
      if (!isId(progressToken) || !Number.isFinite(progress) || progress <= this.#progress) return;
      this.#progress = progress;
      request.notifyMerged('progress', 'notifications/progress', {
        progressToken,
        progress,
        ...(Number.isFinite(total) ? { total } : {}),
        ...(message === undefined ? {} : { message }),
      });
    });
  }

  /** Sends a log message to the client if the client's log level includes it. Never log secrets. */
  log(level: LoggingLevel, data: unknown, logger?: string): void {
    this.#getActive().sendWhenOpen(request => {
      const minLevel = request.requestContext.logLevel;
      if (minLevel === undefined || LOGGING_LEVELS.indexOf(level) < LOGGING_LEVELS.indexOf(minLevel)) return;
      request.notifyMerged(`log ${level} ${logger ?? ''}`, 'notifications/message', {
        level,
        data: data === undefined ? null : data,
        ...(logger === undefined ? {} : { logger }),
      });
    });
  }

  /**
   * Sends a notification on the stream of this request. It is dropped if the client's protocol version does not have
   * it, and after the response or a cancellation. While the client answers an input request on 2026-07-28, up to 64
   * notifications are kept and sent with its next request.
   */
  notify(method: string, params: JsonObject = {}): void {
    checkMeta(method, params._meta);
    this.#getActive().sendWhenOpen(({ requestContext }) => requestContext.notify(method, params));
  }

  /**
   * Closes the stream on which the client waits, so that a long call needs no open connection. The client reconnects
   * later and gets the response and the messages that were sent meanwhile. Returns `false` without any effect if the
   * client cannot reconnect: only HTTP and versions whose streams begin with an event ID allow it.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server
   */
  closeStream(): boolean {
    const { requestContext } = this.#getActive();
    return !requestContext.signal.aborted && (requestContext.closeStream?.() ?? false);
  }

  /**
   * Pings the client and resolves when it responds. `timeout` is the maximum time for the response in milliseconds,
   * default 5,000. The default `signal` is the signal of the request.
   * @throws TenonError `call/timeout` when no response arrives in time; the session then ends. `client/no-session` on
   * protocol versions without sessions, which have no ping to the client.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
   */
  ping(options?: PingOptions): Promise<void> {
    try {
      if (options !== undefined) requireKnownOptions('ctx.ping', options, { timeout: true, signal: true });
    } catch (error) {
      return Promise.reject(error);
    }
    const { requestContext } = this.#getActive();
    const ping =
      requestContext.ping?.(options) ??
      requestContext.originSession?.ping({ signal: toAbortSignal(requestContext.signal), ...options });
    return markHandled(ping ?? Promise.reject(createNoPingError(requestContext.dialect)));
  }

  /** Creates a result with `isError` whose text tells the model why the tool failed. Return it or throw it. */
  fail(content: string | ContentBlock | readonly (string | ContentBlock)[]): ToolResultParts {
    return toolResult({ content, isError: true });
  }

  /**
   * Runs `work` once and stores its result, a JSON value or `undefined`, even if the handler runs again. It runs again
   * only after an exception, or if the process dies before the result is stored. Give each step its own name, and
   * request input before a step, not inside it.
   */
  step<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    return this.#track(`step "${name}"`, this.#run.step(name, work) as Promise<T>, true);
  }

  /**
   * Shows a form to the user and waits for the answer. Works on every protocol version that has forms.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation
   */
  elicit<const S extends Schema>(options: {
    readonly message: string;
    readonly input: S;
  }): Promise<FormAnswer<InferOutput<S>>> {
    return this.#track('input request `elicit`', requestForm(this.#run, options));
  }

  #track<T>(name: string, result: Promise<T>, isStep = false): Promise<T> {
    this.#openCalls ??= new OpenCalls();
    return this.#openCalls.add(name, isStep, result);
  }

  #requestInput<M extends InputRequestMethod>(
    method: M,
    params: JsonObject,
    check: () => void = () => {},
  ): Promise<ResultOf<M>> {
    try {
      check();
      checkNestedMeta(method, params);
    } catch (error) {
      return Promise.reject(error);
    }
    return this.#run.request(method, params).then(result => toResult(method, result));
  }

  /** Requests that the user opens a URL. `accept` means that the user agreed, not that the visit is complete. */
  elicitUrl(options: {
    readonly message: string;
    readonly url: string;
    readonly elicitationId?: string | undefined;
  }): Promise<{ action: ElicitResult['action'] }> {
    const check = () =>
      requireKnownOptions('ctx.elicitUrl', options, { message: true, url: true, elicitationId: true });
    const params: JsonObject = { mode: 'url', ...options };
    const answer = this.#requestInput('elicitation/create', params, check).then(({ action }) => ({ action }));
    return this.#track('input request `elicitUrl`', answer);
  }

  /**
   * Requests a message from the client's model. Deprecated in 2026-07-28: call a model provider instead.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling
   */
  sample(params: CreateMessageParams): Promise<CreateMessageResult> {
    const check = () => requireKnownOptions('ctx.sample', params, SAMPLE_PARAMS);
    return this.#track('input request `sample`', this.#requestInput('sampling/createMessage', { ...params }, check));
  }

  /**
   * Requests the client's roots: the folders that the server may use. Entries that are not `file:` URIs are dropped and
   * reported to `onError`. Deprecated in 2026-07-28: take folders as arguments or from a configuration instead.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots
   */
  roots(): Promise<ListRootsResult['roots']> {
    const report = (error: TenonError) => this.#getActive().requestContext.reportError(error);
    const roots = this.#requestInput('roots/list', {}).then(result => selectFileRoots(result, report));
    return this.#track('input request `roots`', roots);
  }
}

// Handlers may destructure the methods.
bindMethods(Context.prototype);
