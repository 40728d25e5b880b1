import {
  createUnknownOutcomeError,
  findKeptInteger,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  type JsonObject,
  rpcError,
  thenMaybe,
} from '@tenon/base';
import type { Client } from 'tenon';
import {
  checkInputRequestMethods,
  isAbandoned,
  sendUpstreamRequest,
  TASKS,
  toInputRequest,
} from 'tenon/host-internals';
import type { HandlerRun, RequestInput } from 'tenon/proxy';
import { toStrictResult } from '../catalog/strict-results.js';
import type { InputRequestHandler, InputRequestRecipient } from '../connections/connection-options.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { throwHandlerError } from '../handler-errors.js';
import type { HostGuard } from '../security/guard/host-guard.js';
import { isClosedBeforeSending } from './forward-resolved.js';
import { ForwardedCall } from './forwarded-call.js';
import { SERVER_NAMES_EXTENSION } from './hop-by-hop.js';
import type { ProxiedCall } from './proxied-tool.js';
import { limitRetryTime } from './retry-timeout.js';
import { translateError } from './translate-error.js';

/** Request of a caller that is forwarded to one server. */
export interface ProxiedRequest {
  readonly connection: UpstreamConnection;
  readonly method: string;
  /** Parameters with the server's own names. */
  readonly params: JsonObject;
  readonly call: ProxiedCall;
  /** Guard of the host, which prepares input requests of the server. */
  readonly guard: HostGuard;
  /**
   * Called when the request ends, or waits, with an input request that only a later request of the caller answers.
   * @default the server may not request input from the caller
   */
  readonly onInputRequested?: (() => void) | undefined;
}

/** Input of the caller for the requests of an earlier result. */
type Inputs = ProxiedCall['context']['inputs'];

/** Maximum number of input requests of a server within one call. */
const MAX_ROUNDS = 32;

/**
 * Forwards a request of a caller to a server. Input requests of the server go to the caller, in the form of the
 * caller's protocol version. A result with input requests goes to a caller that retries unchanged, and the input arrives
 * with the retry.
 *
 * @throws TenonError `host/closed` if the connection was closed before the request was sent. See `forwardResolved`.
 */
export async function forward(proxiedRequest: ProxiedRequest): Promise<JsonObject> {
  const { connection, method, params, onInputRequested } = proxiedRequest;
  const { requestContext, context, run } = proxiedRequest.call;
  refuseInexactIntegers(params);
  const call = new ForwardedCall(proxiedRequest, createCallerAsk);
  try {
    const received = await connection.run(call, async client => {
      // Another process may have received the log level of the session.
      const { session } = connection.scope;
      const level = session ? session.requestedLogLevel : requestContext.logLevel;
      if (level !== undefined) await connection.logLevel.request(level);
      if (onInputRequested) await markSent(proxiedRequest);
      const before = getTaskId(run);
      if (before !== undefined) return waitForTask(client, before, proxiedRequest, call);
      const result = await runRounds(proxiedRequest, call, client);
      if (result.resultType !== 'task') return result;
      // Set at once, because the server may request input for the task right after its response.
      call.task = result.taskId as string;
      const taskId = await context.step('task', () => result.taskId as string);
      proxiedRequest.call.moveToTask?.();
      return waitForTask(client, taskId, proxiedRequest, call);
    });
    return received.resultType === 'input_required' ? received : toStrictResult(method, received);
  } catch (error) {
    if (call.ids.size === 0 && isClosedBeforeSending(error)) throw error;
    const { dialect } = requestContext;
    const failed = { connection, method, params, dialect, wasSent: call.ids.size > 0 };
    throw await translateError(proxiedRequest.guard, error, failed);
  } finally {
    call.stopProgress?.();
  }
}

/**
 * Refuses arguments with an integer that a number cannot represent. The policy and the approval would have seen another
 * value than the server.
 */
function refuseInexactIntegers({ arguments: input }: JsonObject): void {
  const integer = findKeptInteger(input);
  if (integer === undefined) return;
  const advice = 'Send an integer of at most 9007199254740991, or a string if the tool accepts one';
  throw rpcError(
    INVALID_PARAMS,
    `Invalid params: the integer ${integer.slice(0, 40)} cannot be represented exactly. ${advice}`,
  );
}

/** Creates the function that sends an input request to the caller, rewritten for this caller. */
function createCallerAsk({ connection, call, guard, onInputRequested }: ProxiedRequest): RequestInput {
  const { context, run } = call;
  const inputRequestHandler = guard.createInputRequestHandler(connection);
  const recipient = getRecipient(call);
  const ask: RequestInput = (method, params, ...rest) => {
    if (isByRetry(call)) onInputRequested?.();
    const sent = thenMaybe(inputRequestHandler.prepareInputRequest(method, params, recipient), prepared =>
      run.request(method, prepared, ...rest),
    );
    return Promise.resolve(sent).then(response => {
      throwHandlerError(response);
      return response;
    });
  };
  // Input for a task may arrive for as long as the task is stored.
  const hasTasks = context.client.capabilities.extensions?.[TASKS] !== undefined;
  return isByRetry(call) && !hasTasks ? limitRetryTime(ask, connection) : ask;
}

function isByRetry({ requestContext: { dialect } }: ProxiedCall): boolean {
  return dialect.inputRequests === 'by-retry';
}

function getRecipient(call: ProxiedCall): InputRequestRecipient {
  const includeServer = call.context.client.capabilities.extensions?.[SERVER_NAMES_EXTENSION] !== undefined;
  return { omitMeta: isByRetry(call), includeServer };
}

/**
 * Marks the call as sent. A call is sent only once.
 *
 * If it runs again after the process that sent it has ended or lost its state, its outcome is unknown. It may continue
 * if the server has created a task for it, or if it contains input for the server's requests.
 * @throws TenonError `rpc/error` with `data.outcome` when the outcome is unknown.
 */
async function markSent({ call: { context, run }, connection }: ProxiedRequest): Promise<void> {
  if ((await run.mark('sent')) || Object.keys(context.inputs).length > 0) return;
  if (run.journal?.step('asks', 0)?.value !== undefined || getTaskId(run) !== undefined) return;
  throw createUnknownOutcomeError(
    `The outcome of the call to "${connection.server}" is unknown, because the process that sent it has ended. It may have been carried out, and is not sent again.`,
  );
}

/** Returns the ID of the task that the server has created for the call in an earlier run. */
function getTaskId(run: HandlerRun): string | undefined {
  const taskId = run.journal?.step('task', 0)?.value;
  return typeof taskId === 'string' ? taskId : undefined;
}

/** Input request of a server with a validated method and params object. */
type UpstreamInputRequest = { readonly method: string; readonly params?: JsonObject };
type UpstreamInputRequests = { readonly [key: string]: UpstreamInputRequest };

/**
 * Sends a call and handles input requests in its result. If the caller handles all of them with a retry, the result goes
 * to the caller unchanged. If it gets them as requests during the call, or the host handles one of them, the host sends
 * all of them.
 */
async function runRounds(proxiedRequest: ProxiedRequest, call: ForwardedCall, client: Client): Promise<JsonObject> {
  const { connection, method, params, guard, call: proxiedCall } = proxiedRequest;
  const { context, run } = proxiedCall;
  let inputs: Inputs = context.inputs;
  for (const response of Object.values(inputs.inputResponses ?? {})) throwHandlerError(response);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = run.journal?.step('asks', round)?.value as JsonObject | undefined;
    const result =
      known ??
      (await sendUpstreamRequest(client, {
        method,
        params,
        context,
        ids: call.ids,
        inputs,
        onProgress: progress => call.progress.report(progress),
        onTaskCreated: stopProgress => {
          call.stopProgress = stopProgress;
        },
      }));
    if (result.resultType !== 'input_required') return result;
    checkInputRequestMethods(`server "${connection.server}"`, result);
    const inputRequestHandler = guard.createInputRequestHandler(connection);
    const requests = Object.entries((result.inputRequests ?? {}) as UpstreamInputRequests);
    const isPassed =
      isByRetry(proxiedCall) && !requests.some(([, each]) => inputRequestHandler.isHandledByHost(each.method));
    if (!known && isPassed) return prepareInputRequired(result, requests, proxiedRequest, inputRequestHandler);
    await context.step('asks', () => result);
    const askCaller = createCallerAsk(proxiedRequest);
    const answers = requests.map(async ([key, { method: asked, params: question = {} }]) => {
      const ask = inputRequestHandler.isHandledByHost(asked) ? inputRequestHandler.handle : askCaller;
      return [key, await ask(asked, question)];
    });
    const { requestState } = result;
    inputs = {
      inputResponses: Object.fromEntries(await Promise.all(answers)),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    };
  }
  throw rpcError(INTERNAL_ERROR, `The server "${connection.server}" still requests input after ${MAX_ROUNDS} rounds`);
}

async function prepareInputRequired(
  result: JsonObject,
  requests: [string, UpstreamInputRequest][],
  { call, onInputRequested }: ProxiedRequest,
  inputRequestHandler: InputRequestHandler,
): Promise<JsonObject> {
  onInputRequested?.();
  const recipient = getRecipient(call);
  const prepare = async ([key, { method, params = {} }]: [string, UpstreamInputRequest]) => [
    key,
    toInputRequest({ method, params: await inputRequestHandler.prepareInputRequest(method, params, recipient) }),
  ];
  if (requests.length === 0) return result;
  return { ...result, inputRequests: Object.fromEntries(await Promise.all(requests.map(prepare))) };
}

/** Waits for the task that the server has created for the call. Cancels the task if the caller cancels the request. */
async function waitForTask(
  client: Client,
  taskId: string,
  { connection, params, call: { context } }: ProxiedRequest,
  call: ForwardedCall,
): Promise<JsonObject> {
  call.task = taskId;
  const handle = client.tasks.resume(taskId, { tool: params.name as never });
  try {
    const result = await handle.toolResult({
      signal: context.signal,
      totalTimeout: Math.max(call.deadline - connection.times.clock.elapsed(), 0),
      onTask: state => call.progress.reportStatus(state),
    });
    return { ...result };
  } catch (error) {
    if (context.signal.aborted || isAbandoned(error)) void handle.cancel().catch(() => {});
    throw error;
  }
}
