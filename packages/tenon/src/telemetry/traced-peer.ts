import {
  type Clock,
  isObject,
  type JsonObject,
  type MaybePromise,
  type TenonError,
  thenMaybe,
  toJsonObject,
} from '@tenon/base';
import type { Id, JsonRpcRequest } from '../jsonrpc/message.js';
import { Peer } from '../jsonrpc/peer.js';
import type { PeerHandler } from '../jsonrpc/peer-handler.js';
import type { LazyParams, PeerCallOptions } from '../jsonrpc/pending-requests.js';
import type { RequestScope } from '../jsonrpc/request-scope.js';
import type { MessageContext, SendOptions, Transport } from '../jsonrpc/transport.js';
import { PROTOCOL_VERSION } from '../protocol/meta.js';
import { addTraceContext } from './add-trace-context.js';
import { isSmallBaggage } from './attributes.js';
import type { DescribeConnection, Telemetry, TracedConnection, TracedRequest } from './telemetry.js';

/** A peer that traces the requests it sends and serves, and measures its session. */
export class TracedPeer extends Peer {
  readonly #handler: PeerHandler;
  readonly #telemetry: Telemetry;
  readonly #describe: DescribeConnection;
  readonly #passesBaggage: boolean;
  #endSession: ((error?: unknown) => void) | undefined;

  constructor(
    transport: Transport,
    handler: PeerHandler,
    clock: Clock,
    describe: DescribeConnection,
    telemetry: Telemetry,
    passesBaggage: boolean,
  ) {
    const receive: PeerHandler['onNotification'] = (...notification) => this.receive(...notification);
    super(transport, new TracedHandler(handler, (...request) => this.serve(...request), receive), clock);
    this.#handler = handler;
    this.#telemetry = telemetry;
    this.#describe = describe;
    this.#passesBaggage = passesBaggage;
  }

  override call(method: string, params: LazyParams, options: PeerCallOptions = {}): Promise<JsonObject> {
    const { signal, trace: call } = options;
    const request = createTracedRequest('client', this.#describe(), { method, signal, call });
    const answer = this.#telemetry.traceOutgoing(request, ({ meta, setRequest }) => {
      const createParams = (id: Id): JsonObject => {
        const resolved = typeof params === 'function' ? params(id) : params;
        setRequest(id, resolved);
        return this.#addContext(resolved, meta, request.forwards) ?? {};
      };
      return super.call(method, createParams, options);
    });
    return method === 'initialize' ? answer.then(result => this.#startSession('client', result)) : answer;
  }

  override notify(method: string, params?: JsonObject, options?: SendOptions): void | Promise<void> {
    const notification = createTracedRequest('client', this.#describe(), { method, params });
    return this.#telemetry.traceOutgoingNotification(notification, meta =>
      super.notify(method, this.#addContext(params, meta, notification.forwards), options),
    );
  }

  override end(error?: Parameters<Peer['end']>[0]): void {
    super.end(error);
    this.#endSession?.(error);
  }

  receive(...notification: Parameters<PeerHandler['onNotification']>): void {
    const [message, context] = notification;
    const { method, params } = message;
    const traced = createTracedRequest('server', this.#describe(context), { method, params });
    this.#telemetry.traceIncomingNotification(traced, () => this.#handler.onNotification(...notification));
  }

  serve(incoming: JsonRpcRequest, scope: RequestScope, context?: MessageContext): MaybePromise<JsonObject> {
    const { id, method, params } = incoming;
    const message = { id, method, params, signal: scope.signal };
    const request = createTracedRequest('server', this.#describe(context), message);
    const served = this.#telemetry.traceIncoming(request, () => this.#handler.onRequest(incoming, scope, context));
    return method === 'initialize' ? thenMaybe(served, result => this.#startSession('server', result)) : served;
  }

  /**
   * Adds the members of a trace to `_meta`. In one that a gateway forwards for another sender, they replace those of the
   * sender, which are passed on if the gateway makes no span of its own.
   */
  #addContext(params: JsonObject | undefined, context: JsonObject, forwards = false): JsonObject | undefined {
    if (!forwards || params?._meta === undefined) return addTraceContext(params, context);
    const { traceparent, tracestate, baggage, ...rest } = toJsonObject(params._meta);
    const passed: { [name: string]: unknown } = {};
    if (context.traceparent === undefined) {
      if (traceparent !== undefined) passed.traceparent = traceparent;
      if (tracestate !== undefined) passed.tracestate = tracestate;
      if (this.#passesBaggage && typeof baggage === 'string' && isSmallBaggage(baggage)) passed.baggage = baggage;
    }
    return Object.assign({}, params, { _meta: Object.assign(rest, passed, context) });
  }

  /** Begins to measure a session, when it was opened. */
  #startSession(role: TracedConnection['role'], opened: JsonObject): JsonObject {
    this.#endSession = this.#telemetry.measureSession({ ...this.#describe(), role });
    return opened;
  }
}

/** A handler whose requests are served in a trace. */
class TracedHandler implements PeerHandler {
  readonly onRequest: PeerHandler['onRequest'];
  readonly onNotification: PeerHandler['onNotification'];
  readonly #handler: PeerHandler;

  constructor(handler: PeerHandler, serve: PeerHandler['onRequest'], receive: PeerHandler['onNotification']) {
    this.#handler = handler;
    this.onNotification = receive;
    this.onRequest = serve;
  }

  get peer(): string | undefined {
    return this.#handler.peer;
  }

  onError(error: TenonError): void {
    this.#handler.onError(error);
  }

  onClose(error?: TenonError): void {
    this.#handler.onClose(error);
  }

  onSessionLost(error: TenonError): void {
    this.#handler.onSessionLost?.(error);
  }

  getBatchMode(): ReturnType<PeerHandler['getBatchMode']> {
    return this.#handler.getBatchMode();
  }

  getUnreadableId(): ReturnType<PeerHandler['getUnreadableId']> {
    return this.#handler.getUnreadableId();
  }

  mayAnswer(): boolean {
    return this.#handler.mayAnswer?.() ?? true;
  }
}

/** Copies each member by name, because on Node 20 a spread that is followed by further members takes microseconds. */
function createTracedRequest(
  role: TracedConnection['role'],
  {
    protocolVersion: negotiated,
    servedDialects,
    sessionId,
    network,
    upstream,
    forwards,
  }: ReturnType<DescribeConnection>,
  { id, method, params, call, signal }: Omit<TracedRequest, keyof TracedConnection>,
): TracedRequest {
  const protocolVersion = (role === 'server' && findVersion(params, servedDialects)) || negotiated;
  return { role, protocolVersion, sessionId, network, upstream, forwards, id, method, params, call, signal };
}

/** Returns the version that a message without a session names, if the server has it. */
function findVersion(
  params: JsonObject | undefined,
  dialects: ReturnType<DescribeConnection>['servedDialects'],
): string | undefined {
  const version = isObject(params?._meta) ? params._meta[PROTOCOL_VERSION] : undefined;
  return dialects?.find(({ protocolVersion }) => protocolVersion === version)?.protocolVersion;
}
