import { INTERNAL_ERROR, isForPeer, type JsonObject, type MaybePromise, settleMaybe } from '@tenon/base';
import { type JsonRpcMessage, type MessageReceiver, type Transport, wrapTransport } from 'tenon';
import type { Telemetry, TracedRequest } from 'tenon/telemetry';
import { isMessage } from '../connection-faults.js';
import { dropOldest } from '../drop-oldest.js';
import type { MessageMembers } from '../trace/message-links.js';
import type { WireLog } from '../wire-log.js';
import { getOwnConnection, getServedRequest, runServing } from './served-request.js';

/** Number of the first connection. Those of the console are lower. */
const FIRST_CONNECTION = 1_000_000;
/** Maximum number of requests of one connection that wait for their handler, or for being sent. More are logged without a cause. */
const MAX_WAITING = 1000;
/** Name of the gateway as the server of its callers. */
const GATEWAY = 'gateway';

/** Logs the messages of a gateway with its callers and its servers, each with the request that has caused it. */
export class GatewayTraffic {
  #log: WireLog | undefined;
  #connections = FIRST_CONNECTION;
  /** Requests of connections, which log them themselves. */
  readonly #peerRequests = new WeakSet<TracedRequest>();

  /** Begins to log. */
  open(log: WireLog): void {
    this.#log = log;
  }

  close(): void {
    this.#log = undefined;
  }

  /** Adds the log to a telemetry, whose peers it observes. */
  observe(telemetry: Telemetry): Telemetry {
    const observed: Telemetry = {
      ...telemetry,
      createPeer: (transport, handler, clock, describe, tracer = telemetry) => {
        const getUpstream = () => describe().upstream;
        const connection = new ObservedConnection(++this.#connections, () => this.#log, getUpstream);
        const observedTransport = connection.observe(transport);
        const peer = telemetry.createPeer(
          observedTransport,
          handler,
          clock,
          describe,
          connection.trace(tracer, this.#peerRequests),
        );
        connection.observeReceived(peer);
        return peer;
      },
      traceIncoming: (request, serve) => this.#serveStateless(telemetry, request, serve),
    };
    return observed;
  }

  /** Logs a request that a caller has sent over HTTP without a session, and its response. */
  #serveStateless(
    telemetry: Telemetry,
    request: TracedRequest,
    serve: () => MaybePromise<JsonObject>,
  ): MaybePromise<JsonObject> {
    const log = this.#log;
    const { id, method, params } = request;
    if (!log || id === undefined || this.#peerRequests.has(request)) return telemetry.traceIncoming(request, serve);
    // Two callers may use the same ID at once, so that each request counts as a connection.
    const connection = ++this.#connections;
    const add = (from: 'client' | 'server', message: JsonRpcMessage) =>
      log.add({ server: GATEWAY, connection, from, message, call: undefined, hop: 'caller' });
    const { seq } = add('client', { jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
    return settleMaybe(
      () => telemetry.traceIncoming(request, () => runServing(seq, serve)),
      (result: JsonObject) => {
        add('server', { jsonrpc: '2.0', id, result });
        return result;
      },
      thrown => {
        add('server', { jsonrpc: '2.0', id, error: describeSentError(thrown) });
        throw thrown;
      },
    );
  }
}

/** Messages of one connection of a gateway. */
class ObservedConnection {
  readonly #number: number;
  readonly #getLog: () => WireLog | undefined;
  /** Returns the name of the server. `undefined`: the connection is that of a caller. */
  readonly #getUpstream: () => string | undefined;
  /** The connection of the console that has opened this one. */
  readonly #opener = getOwnConnection();
  /** Requests of the other side that are not served yet, by ID. */
  readonly #received = new Map<unknown, number>();
  /** Requests that were served when others are about to be sent, by the ID of those. */
  readonly #causes = new Map<unknown, number>();

  constructor(number: number, getLog: () => WireLog | undefined, getUpstream: () => string | undefined) {
    this.#number = number;
    this.#getLog = getLog;
    this.#getUpstream = getUpstream;
  }

  /** The connection of the console whose peer this one is. A server that was started for it is not its peer. */
  get #own(): ReturnType<typeof getOwnConnection> {
    return this.#getUpstream() === undefined ? this.#opener : undefined;
  }

  /** Logs each message before it is sent. */
  observe(transport: Transport): Transport {
    return wrapTransport(transport, {
      send: (message, options) => {
        this.#add('sent', message, options?.relatedTo);
        return transport.send(message, options);
      },
    });
  }

  /** Logs each message before the peer handles it. A client opens its transport itself, so that only its peer gets all. */
  observeReceived(peer: MessageReceiver): void {
    const receive = peer.onMessage.bind(peer);
    peer.onMessage = (value, context) => {
      this.#add('received', value, context?.relatedTo);
      receive(value, context);
    };
  }

  /**
   * Connects the requests that a telemetry traces with those of the log.
   *
   * @param peerRequests Gets the served requests, because the telemetry traces those of no connection too.
   */
  trace(telemetry: Telemetry, peerRequests: WeakSet<TracedRequest>): Telemetry {
    return {
      ...telemetry,
      traceIncoming: (request, serve) => {
        const seq = this.#takeReceived(request.id);
        peerRequests.add(request);
        return telemetry.traceIncoming(request, () => runServing(seq, serve));
      },
      traceOutgoing: (request, send) =>
        telemetry.traceOutgoing(request, trace =>
          send({
            ...trace,
            setRequest: (id, params) => {
              const served = getServedRequest();
              if (served !== undefined) {
                this.#causes.set(id, served);
                dropOldest(this.#causes, MAX_WAITING);
              }
              trace.setRequest(id, params);
            },
          }),
        ),
    };
  }

  #takeReceived(id: unknown): number | undefined {
    const own = this.#own;
    if (own) return own.connection === undefined ? undefined : this.#getLog()?.findRequest(own.connection, id);
    const seq = this.#received.get(id);
    this.#received.delete(id);
    return seq;
  }

  #add(direction: 'sent' | 'received', value: unknown, relatedTo?: string | number): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#add(direction, each, relatedTo);
      return;
    }
    const log = this.#getLog();
    // The connection of the console logs these messages itself.
    if (!log || this.#own || !isMessage(value)) return;
    const upstream = this.#getUpstream();
    const isClient = upstream !== undefined;
    const { id, method }: MessageMembers = value;
    const isRequest = typeof method === 'string' && id !== undefined;
    const cause = direction === 'received' ? undefined : isRequest ? this.#takeCause(id) : undefined;
    const row = log.add({
      server: upstream ?? GATEWAY,
      connection: this.#number,
      from: isClient === (direction === 'sent') ? 'client' : 'server',
      message: value,
      call: undefined,
      relatedTo,
      hop: isClient ? 'upstream' : 'caller',
      cause,
    });
    if (isRequest && direction === 'received') {
      this.#received.set(id, row.seq);
      dropOldest(this.#received, MAX_WAITING);
    }
  }

  #takeCause(id: unknown): number | undefined {
    const cause = this.#causes.get(id);
    this.#causes.delete(id);
    return cause;
  }
}

/** Returns the code and the message that the caller gets for an error of a handler. */
const describeSentError = (error: unknown) =>
  isForPeer(error)
    ? { code: error.rpcCode, message: error.message }
    : { code: INTERNAL_ERROR, message: 'Internal error' };
