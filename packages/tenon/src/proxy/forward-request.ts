import {
  checkFunction,
  checkObject,
  checkOptional,
  checkString,
  type JsonObject,
  requireArgument,
  requireKnownOptions,
} from '@tenon/base';
import type { Client } from '../client/client.js';
import type { ClientOptions } from '../client/options.js';
import type { RequestInput } from '../execution/handler-run.js';
import type { Id } from '../jsonrpc/message.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import { type LoggingLevel, reachesLogLevel } from '../protocol/content.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import { HandlerContext } from '../server/context/handler-context.js';
import type { ActiveCalls, UpstreamCall } from './active-calls.js';
import { toForwardedError } from './forwarded-error.js';
import { hasForwardedMeta, selectForwardedMeta } from './passed-meta.js';
import type { ProxyCall } from './proxy-server.js';
import { RequestedLogLevel } from './requested-log-level.js';

/** Log levels that callers have requested by `forwardRequest`, by the connection. */
const logLevels = new WeakMap<Client, RequestedLogLevel>();

const checkClient = checkObject({ call: checkFunction });
const checkCalls = checkObject({ run: checkFunction });
const checkParams = checkOptional(checkObject());
const checkCall = checkObject({
  method: checkString,
  run: checkObject({ invokeHandler: checkFunction }),
  context: checkObject(),
  requestContext: checkObject(),
});
const checkRequest = checkObject({
  method: checkString,
  params: checkObject(),
  context: checkObject(),
  ids: checkObject({ add: checkFunction }),
  'inputs?': checkObject(),
});

/** Options of `forwardRequest`. */
export interface ForwardOptions {
  /** Connection to the server that answers. Connect it with the options of `createUpstreamOptions`. */
  readonly client: Client;
  /** Active calls of this connection. */
  readonly calls: ActiveCalls;
  /**
   * Params for the server, for example with its own name of a tool.
   * @default the params of the call
   */
  readonly params?: JsonObject | undefined;
}

/**
 * Returns the options for `connect` by which an upstream server sees the capabilities of a caller. Input requests of the
 * server go to its active calls.
 *
 * @param calls Active calls of the connection.
 * @param capabilities Capabilities that the caller has declared.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client
 */
export function createUpstreamOptions(
  calls: Pick<ActiveCalls, 'ask'>,
  capabilities: ClientCapabilities,
): ClientOptions {
  requireArgument('`calls` of createUpstreamOptions', calls, checkObject({ ask: checkFunction }));
  requireArgument('`capabilities` of createUpstreamOptions', capabilities, checkObject());
  const { elicitation, sampling, roots } = capabilities;
  const forwarded = {
    ...(elicitation ? { elicitation } : {}),
    ...(sampling ? { sampling } : {}),
    ...(roots ? { roots } : {}),
  };
  return {
    // The server checks arguments, and the caller the result.
    validate: 'off',
    tasks: false,
    cacheSize: 0,
    forwarder: { capabilities: forwarded, forward: (method, params, info) => calls.ask(method, params, info) },
  };
}

/**
 * Forwards a request of a caller to an upstream server, and returns its result. Progress, log messages, input requests,
 * cancellation and errors pass between both, each in its own protocol version.
 *
 * @throws TenonError the error of `toForwardedError`.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function forwardRequest(call: ProxyCall, options: ForwardOptions): Promise<JsonObject> {
  requireKnownOptions('forwardRequest', options, { client: true, calls: true, params: true });
  requireArgument('`call` of forwardRequest', call, checkCall);
  requireArgument('`client` of forwardRequest', options.client, checkClient);
  requireArgument('`calls` of forwardRequest', options.calls, checkCalls);
  requireArgument('`params` of forwardRequest', options.params, checkParams);
  const { client, calls, params = { ...call.params } } = options;
  const { method, run, context, requestContext } = call;
  return run.invokeHandler(context, () => {
    const upstreamCall = new CallOfCaller(call);
    return calls.run(upstreamCall, async () => {
      try {
        const { logLevel } = requestContext;
        if (logLevel !== undefined) {
          const requested =
            logLevels.get(client) ??
            new RequestedLogLevel(
              each => client.setLogLevel(each),
              () => {},
            );
          logLevels.set(client, requested);
          await requested.request(logLevel, error => requestContext.reportError(error));
        }
        return await sendUpstreamRequest(client, { method, params, context, ids: upstreamCall.ids });
      } catch (error) {
        throw toForwardedError(error, { method, requestContext, params, serverVersion: client.server.protocolVersion });
      }
    });
  });
}

/** A request for an upstream server. */
export interface UpstreamRequestOptions {
  /** Method of the request. */
  readonly method: string;
  /** Params with the names of the server. */
  readonly params: JsonObject;
  /** Context of the caller. It gets the progress, and cancels the request. */
  readonly context: HandlerContext;
  /** Gets the ID of each message that is sent for the request. */
  readonly ids: Set<Id>;
  /**
   * Input for the requests of an earlier result.
   * @default the input of the caller
   */
  readonly inputs?: RetryInputs | undefined;
  /**
   * Gets the progress of the server.
   * @default the caller gets it
   */
  readonly onProgress?: ((progress: { progress: number; total?: number; message?: string }) => void) | undefined;
  /**
   * Called when the result is a task. Progress is reported until `stopProgress` is called.
   * @default nothing is called
   */
  readonly onTaskCreated?: ((stopProgress: () => void) => void) | undefined;
}

/** Names of the options of `sendUpstream`. */
const UPSTREAM_REQUEST_OPTIONS: { readonly [K in keyof Required<UpstreamRequestOptions>]: true } = {
  method: true,
  params: true,
  context: true,
  ids: true,
  inputs: true,
  onProgress: true,
  onTaskCreated: true,
};

/** Sends one request to an upstream server. Returns its result unchanged, also if the server requests input in it. */
export function sendUpstream(client: Client, request: UpstreamRequestOptions): Promise<JsonObject> {
  requireKnownOptions('sendUpstream', request, UPSTREAM_REQUEST_OPTIONS);
  requireArgument('`client` of sendUpstream', client, checkClient);
  requireArgument('`request` of sendUpstream', request, checkRequest);
  return sendUpstreamRequest(client, request);
}

/** Sends a request as `sendUpstream` does, without a check of its arguments. */
export function sendUpstreamRequest(client: Client, request: UpstreamRequestOptions): Promise<JsonObject> {
  const { method, params, context, ids, inputs = context.inputs, onTaskCreated } = request;
  const signal = HandlerContext.getSignal(context);
  const { meta } = context;
  const { inputResponses, requestState } = inputs;
  const { _meta: _, inputResponses: __, requestState: ___, task: ____, ...own } = params;
  const answers = {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
  return client.call(method, { ...own, ...answers } as JsonObject, {
    resolveInputRequests: false,
    signal,
    onRequestId: id => void ids.add(id),
    onProgress: request.onProgress ?? (({ progress, total, message }) => context.progress(progress, total, message)),
    onTaskCreated,
    // If the server closes its stream, the proxy closes the caller's stream as well.
    onStreamClosed: () => void context.closeStream(),
    meta: hasForwardedMeta(meta) ? selectForwardedMeta(meta) : undefined,
    allowReservedMeta: true,
  });
}

/** A call of a caller, for the input requests and log messages of the server. */
class CallOfCaller implements UpstreamCall {
  readonly ids = new Set<Id>();
  readonly task = undefined;
  readonly session: UpstreamCall['session'];
  readonly #call: ProxyCall;

  constructor(call: ProxyCall) {
    this.#call = call;
    this.session = call.requestContext.session;
  }

  get ask(): RequestInput {
    return (...request) => this.#call.run.request(...request);
  }

  get cancelled(): boolean {
    return HandlerContext.getSignal(this.#call.context).aborted;
  }

  acceptsLogLevel(level: LoggingLevel): boolean {
    return reachesLogLevel(level, this.#call.requestContext.logLevel);
  }

  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    this.#call.context.log(level, data, logger);
  }
}
