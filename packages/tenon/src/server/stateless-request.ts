import {
  catchMaybe,
  getCallerKey,
  isForPeer,
  type JsonObject,
  type LazyAbortSignal,
  type MaybePromise,
  settleMaybe,
} from '@tenon/base';
import type { InputStrategy } from '../execution/handler-run.js';
import { createRetryStrategy } from '../execution/lazy-run.js';
import type { CallerInfo } from '../handler/context.js';
import { toErrorObject } from '../jsonrpc/error-response.js';
import {
  createFailure,
  createNotification,
  createSuccess,
  type Id,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../jsonrpc/message.js';
import type { Peer } from '../jsonrpc/peer.js';
import { RequestScope } from '../jsonrpc/request-scope.js';
import type { MessageContext, RequestHeaders } from '../jsonrpc/transport.js';
import type { LoggingLevel } from '../protocol/content.js';
import type { HeaderParam } from '../protocol/header-params.js';
import { notifications } from '../protocol/methods.js';
import { createMissingCapabilityError, findMissingForRequest } from '../protocol/missing-capabilities.js';
import type { classifyRequest } from '../protocol/negotiation/classify-request.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { RequestHandler, RequestIO, StatelessRoute } from '../protocol/request-handler.js';
import type { Dialect } from '../protocol/versions/dialect.js';
import type { TracedRequest } from '../telemetry/telemetry.js';
import { getMergeOptions, type MergeOptions } from './context/notification-merger.js';
import { dispatch } from './dispatch.js';
import { reportRequestError } from './report-request-error.js';
import type { RequestContext } from './request-context.js';
import type { ServerRuntime } from './server-runtime.js';
import { getClientNetwork } from './session/session-peer.js';

/** Creates the handler of stateless requests. `classify` determines the protocol version of a request. */
export function createStatelessHandler(
  runtime: ServerRuntime,
  classify: typeof classifyRequest,
): Pick<RequestHandler, 'classifyRequest' | 'answer'> {
  return {
    classifyRequest: (request, versionHeader) => classify(request, runtime.servedDialects, versionHeader),
    answer: (request, route, io) => respondToStatelessRequest(runtime, request, route, io),
  };
}

/** Responds to a stateless request. Never throws or rejects. */
export function respondToStatelessRequest(
  runtime: ServerRuntime,
  request: JsonRpcRequest,
  route: StatelessRoute,
  io: RequestIO,
): MaybePromise<JsonRpcResponse> {
  const { dialect, client } = route;
  const scope = new RequestScope();
  io.onClientClosed(() => scope.cancel('the client closed the connection'));
  const { telemetry } = runtime.options;
  const handle = () => handleStatelessRequest(runtime, request, route, scope, io);
  const describeRequest = (): TracedRequest => ({
    role: 'server',
    id: request.id,
    method: request.method,
    params: request.params,
    protocolVersion: dialect.protocolVersion,
    network: getClientNetwork(io.request, io.address),
    signal: scope.signal,
  });
  return settleMaybe<JsonObject, JsonRpcResponse>(
    () => (telemetry ? telemetry.traceIncoming(describeRequest(), handle) : handle()),
    result => {
      scope.complete();
      return createSuccess(request.id, result);
    },
    error => {
      if (!isForPeer(error) && !scope.isCancelled) {
        reportRequestError(runtime, error, 'handler/threw', {
          method: request.method,
          caller: { client, address: io.address },
          dialect,
        });
      }
      scope.complete();
      return createFailure(request.id, toErrorObject(error));
    },
  );
}

type StatelessRequestIO = Pick<
  RequestIO,
  'auth' | 'address' | 'ephemeral' | 'checkHeaders' | 'request' | 'send' | 'onShutdown'
> & {
  /** True if `send` traces notifications, because it uses the peer of a session. */
  readonly isTraced?: boolean | undefined;
};

/** Handles one stateless request. Throws the error for the peer. */
function handleStatelessRequest(
  runtime: ServerRuntime,
  request: JsonRpcRequest,
  route: StatelessRoute,
  scope: RequestScope,
  io: StatelessRequestIO,
): JsonObject | Promise<JsonObject> {
  return dispatch(runtime, request, new StatelessRequestContext(runtime, request, route, scope, io));
}

/** Handles a stateless request on a transport that may also have a session. */
export function handleStatelessInSession(
  runtime: ServerRuntime,
  peer: Peer,
  request: JsonRpcRequest,
  route: StatelessRoute,
  scope: RequestScope,
  { auth, address, request: headers }: MessageContext,
  getListening: () => Map<RequestScope, () => void>,
): JsonObject | Promise<JsonObject> {
  return handleStatelessRequest(runtime, request, route, scope, {
    auth,
    address,
    request: headers,
    isTraced: true,
    onShutdown: end => {
      const listening = getListening();
      listening.set(scope, end);
      scope.onDone(() => {
        listening.delete(scope);
        // The client learns on a shared transport that the server ended the subscription.
        if (!scope.isCancelled) void peer.notify('notifications/cancelled', { requestId: request.id });
      });
    },
    send: ({ method, params }) => void peer.notify(method, params, { relatedTo: request.id }),
  });
}

/** Context of a request without a session. The request itself contains all information about the client. */
class StatelessRequestContext implements RequestContext {
  readonly id: Id;
  readonly dialect: Dialect;
  readonly caller: CallerInfo;
  readonly logLevel: LoggingLevel | undefined;
  readonly subscriptions = undefined;
  readonly #runtime: ServerRuntime;
  readonly #request: JsonRpcRequest;
  readonly #scope: RequestScope;
  readonly #io: StatelessRequestIO;

  constructor(
    runtime: ServerRuntime,
    request: JsonRpcRequest,
    { dialect, capabilities, client, logLevel }: StatelessRoute,
    scope: RequestScope,
    io: StatelessRequestIO,
  ) {
    this.id = request.id;
    this.dialect = dialect;
    this.caller = { client, capabilities, auth: io.auth, address: io.address };
    this.logLevel = runtime.options.logging === false ? undefined : logLevel;
    this.#runtime = runtime;
    this.#request = request;
    this.#scope = scope;
    this.#io = io;
  }

  get signal(): LazyAbortSignal {
    return this.#scope.signal;
  }

  onCancel(listener: () => void): void {
    this.#scope.onCancel(listener);
  }

  checkHeaders(headerParams: readonly HeaderParam[], args: JsonObject | undefined): void {
    this.#io.checkHeaders?.(headerParams, args);
  }

  get request(): RequestHeaders | undefined {
    return this.#io.request;
  }

  get isDone(): boolean {
    return this.#scope.isDone;
  }

  get mergeOptions(): MergeOptions | undefined {
    return getMergeOptions(this.#runtime, this.#scope);
  }

  onShutdown(listener: () => void): void {
    this.#io.onShutdown?.(listener);
  }

  reportError(error: unknown, code = 'handler/threw', method = this.#request.method): void {
    reportRequestError(this.#runtime, error, code, { method, caller: this.caller, dialect: this.dialect });
  }

  notify(method: string, params: JsonObject): void {
    const { methods, transforms, protocolVersion } = this.dialect;
    const { request, address, isTraced } = this.#io;
    if (method in notifications && !methods.server.has(method)) return;
    if (this.#scope.isDone) return;
    const encoded = transforms.encode.params?.(method)?.(params, {}) ?? params;
    const { telemetry } = this.#runtime.options;
    const send = (sent: JsonObject) => this.#io.send(createNotification(method, sent));
    // A notification that cannot be delivered or serialized must not make the call fail.
    void catchMaybe(
      () =>
        telemetry && !isTraced
          ? telemetry.traceOutgoingNotification(
              { role: 'client', protocolVersion, network: getClientNetwork(request, address), method, params: encoded },
              (meta, addTo) => send(addTo(encoded, meta)),
            )
          : send(encoded),
      error => this.reportError(error, 'connection/send', method),
    );
  }

  createInputStrategy(inputs: RetryInputs, boundTo: () => string): InputStrategy {
    return createRetryStrategy(inputs, runtime => ({
      states: this.#runtime.requestStates(runtime),
      boundTo,
      inputs,
      connection: this.#runtime,
      caller: getCallerKey(this.caller.auth, this.caller.address),
      canSuspend: !this.#io.ephemeral,
      received: { request: this.#request, io: this.#io, onCancel: listener => this.onCancel(listener) },
      check: (method, params) => {
        const missing = findMissingForRequest(method, params, this.caller.capabilities);
        if (missing) throw createMissingCapabilityError(this.dialect, missing);
      },
      onRound: round => this.#runtime.options.telemetry?.addDetails({ round }),
    }));
  }
}
