import type { Clock } from '../cancellation/clock.js';
import type { TenonError } from '../jsonrpc/error.js';
import { type MaybePromise, thenMaybe } from '../jsonrpc/maybe-promise.js';
import { type Id, isObject, type JsonObject, type JsonRpcRequest } from '../jsonrpc/message.js';
import { Peer } from '../jsonrpc/peer.js';
import type { PeerHandler } from '../jsonrpc/peer-handler.js';
import type { LazyParams, PeerCallOptions } from '../jsonrpc/pending-requests.js';
import type { RequestScope } from '../jsonrpc/request-scope.js';
import type { MessageContext, SendOptions, Transport } from '../jsonrpc/transport.js';
import type { DescribeConnection, Telemetry, TracedConnection, TracedRequest } from './telemetry.js';

/** A peer that traces the requests it sends and serves, and measures its session. */
export class TracedPeer extends Peer {
  readonly #handler: PeerHandler;
  readonly #telemetry: Telemetry;
  readonly #describe: DescribeConnection;
  #endSession: ((error?: unknown) => void) | undefined;

  constructor(
    transport: Transport,
    handler: PeerHandler,
    clock: Clock,
    describe: DescribeConnection,
    telemetry: Telemetry,
  ) {
    const receive: PeerHandler['onNotification'] = (...notification) => this.receive(...notification);
    super(transport, new TracedHandler(handler, (...request) => this.serve(...request), receive), clock);
    this.#handler = handler;
    this.#telemetry = telemetry;
    this.#describe = describe;
  }

  override call(method: string, params: LazyParams, options: PeerCallOptions = {}): Promise<JsonObject> {
    const { signal, trace: call } = options;
    const request = createTracedRequest('client', this.#describe(), { method, signal, call });
    const answer = this.#telemetry.traceOutgoing(request, ({ meta, setRequest }) => {
      const createParams = (id: Id): JsonObject => {
        const resolved = typeof params === 'function' ? params(id) : params;
        setRequest(id, resolved);
        return addTraceContext(resolved ?? {}, meta);
      };
      return super.call(method, createParams, options);
    });
    return method === 'initialize' ? answer.then(result => this.#startSession('client', result)) : answer;
  }

  override notify(method: string, params?: JsonObject, options?: SendOptions): void | Promise<void> {
    const notification = createTracedRequest('client', this.#describe(), { method, params });
    return this.#telemetry.traceOutgoingNotification(notification, meta =>
      super.notify(method, addTraceContext(params, meta), options),
    );
  }

  override end(error?: Parameters<Peer['end']>[0]): void {
    super.end(error);
    this.#endSession?.(error);
  }

  receive(...notification: Parameters<PeerHandler['onNotification']>): void {
    const [{ method, params }] = notification;
    const traced = createTracedRequest('server', this.#describe(), { method, params });
    this.#telemetry.traceIncomingNotification(traced, () => this.#handler.onNotification(...notification));
  }

  serve(incoming: JsonRpcRequest, scope: RequestScope, context?: MessageContext): MaybePromise<JsonObject> {
    const { id, method, params } = incoming;
    const message = { id, method, params, signal: scope.signal };
    const request = createTracedRequest('server', this.#describe(context), message);
    const served = this.#telemetry.traceIncoming(request, () => this.#handler.onRequest(incoming, scope, context));
    return method === 'initialize' ? thenMaybe(served, result => this.#startSession('server', result)) : served;
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
  { protocolVersion, sessionId, network, upstream }: ReturnType<DescribeConnection>,
  { id, method, params, call, signal }: Omit<TracedRequest, keyof TracedConnection>,
): TracedRequest {
  return { role, protocolVersion, sessionId, network, upstream, id, method, params, call, signal };
}

/** Adds the members of a trace to `_meta`, unless the sender has set them. */
function addTraceContext<P extends JsonObject | undefined>(params: P, context: JsonObject): P | JsonObject {
  if (Object.keys(context).length === 0) return params;
  // On Node 20 a spread that is followed by further members takes microseconds.
  const _meta = Object.assign({}, context, isObject(params?._meta) ? params._meta : undefined);
  return Object.assign({}, params, { _meta });
}
