import { type JsonObject, LazyAbortSignal, runWithTimeout, TenonError } from '@tenon/base';
import { createUnresponsiveError, type KeepAlive } from '../../jsonrpc/keep-alive.js';
import { type Id, isId, type JsonRpcNotification, type JsonRpcRequest } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import { createClosedError } from '../../jsonrpc/peer-errors.js';
import type { PeerHandler } from '../../jsonrpc/peer-handler.js';
import { IDLE_TIMEOUT } from '../../jsonrpc/pending-requests.js';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import { requireSendable } from '../../jsonrpc/sendable-values.js';
import { tolerate } from '../../jsonrpc/tolerance.js';
import type { MessageContext, Transport } from '../../jsonrpc/transport.js';
import type { Implementation } from '../../protocol/content.js';
import { findChangedList } from '../../protocol/lists.js';
import { SERVER_INFO } from '../../protocol/meta.js';
import { isNotification } from '../../protocol/methods.js';
import { hasCapability } from '../../protocol/missing-capabilities.js';
import { readParams, readResult } from '../../protocol/tolerant-reading.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { createPeer } from '../../telemetry/create-peer.js';
import type { PausableClock } from '../calls/call-deadline.js';
import type { ClientOptions } from '../options.js';
import { answerRequest } from '../server-requests/server-requests.js';
import { addAssumedCapabilities } from './assumed-capabilities.js';
import { createDescription, type ListeningTransport, type ServerDetails, type ServerEndpoint } from './endpoint.js';
import { createKeepAlive } from './keep-alive.js';
import { OutgoingRequest, type SendParameters } from './outgoing-request.js';
import { ProgressListeners } from './progress-listeners.js';
import { createRequestHeaders } from './request-headers.js';
import { RequestMeta } from './request-meta.js';
import type { ContinuedSession, SessionMembership } from './shared-session.js';

/** Ends a subscription that the server has ended. This is not a failure. */
const LISTEN_ENDED = new TenonError('call/ended', 'the server ended the subscription');

/** Events that a connection reports to its client. */
export interface ConnectionEvents {
  onNotification(method: string, params: JsonObject, peer: string): void;
  onError(error: TenonError): void;
  /** Called before a connection is opened, which may still fail. Throws if the client was closed. */
  onCreated(connection: Connection): void;
  onClose(connection: Connection, error?: TenonError): void;
  /** Called when the server no longer knows the session of an open connection. */
  onSessionLost(connection: Connection): void;
}

/** One open transport to a server, and the dialect of its protocol version. */
export class Connection implements PeerHandler {
  readonly endpoint: ServerEndpoint;
  readonly channel: Transport;
  /** Timeouts of calls that have no own timeouts. */
  readonly timeouts: Pick<ClientOptions, 'idleTimeout' | 'totalTimeout'>;
  readonly #peer: Peer;
  readonly #options: ClientOptions;
  readonly #events: ConnectionEvents;
  readonly #requestMeta: RequestMeta;
  readonly #clock: PausableClock;
  readonly #progress = new ProgressListeners();
  readonly #listenIds = new Set<Id>();
  readonly #keepAlive: KeepAlive | undefined;
  /** Present if other processes may use the session. */
  readonly #membership: SessionMembership | undefined;
  #dialect: Dialect | undefined;
  #isOpened = false;
  #onDrained: (() => void) | undefined;
  #endSignal: LazyAbortSignal | undefined;
  #endError: TenonError | undefined;
  server: ServerDetails = { info: undefined, capabilities: {}, instructions: undefined };
  ended = false;
  /** Called when notifications of the server may be lost, although the connection stays open. */
  readonly missedListeners = new Set<() => void>();
  /** Set when the server no longer knows the session. Further calls fail with this error. */
  sessionError: TenonError | undefined;

  constructor(
    endpoint: ServerEndpoint,
    channel: Transport,
    options: ClientOptions,
    events: ConnectionEvents,
    clock: PausableClock,
    continued?: ContinuedSession,
  ) {
    this.endpoint = endpoint;
    this.channel = channel;
    this.#options = options;
    this.timeouts = options;
    this.#events = events;
    this.#clock = clock;
    this.#requestMeta = new RequestMeta(options);
    this.#membership = options.sharedSession?.createMembership(channel, continued);
    const describe = createDescription(endpoint, channel, () => this.#dialect?.protocolVersion);
    this.#peer = createPeer(channel, this, clock, describe, options.telemetry);
    this.#keepAlive = createKeepAlive(this, options, clock, this.#peer);
  }

  /** Resolves when it is known if a silent server still responds. Undefined if there is no ping in progress. */
  get verification(): Promise<void> | undefined {
    return this.ended ? undefined : this.#keepAlive?.verification;
  }

  async open(): Promise<void> {
    await this.channel.open(this.#peer);
  }

  /** Shares the session with other processes, and passes notifications between them. */
  joinSession(id: string): void {
    this.#membership?.join(id, this);
  }

  /** Opens the stream for notifications of the server, if the transport has such a stream. */
  listen(): void {
    (this.channel as Partial<ListeningTransport>).listen?.(() => {
      this.#membership?.publishMissed();
      this.onMissed();
    });
  }

  /** Calls the watches, because notifications of the server may be lost. */
  onMissed(): void {
    for (const listener of this.missedListeners) listener();
  }

  /** True if other processes use the session too. */
  get isSessionShared(): boolean {
    return this.#membership?.id !== undefined;
  }

  async close(): Promise<void> {
    this.ended = true;
    this.#membership?.detach();
    this.#abortInput(createClosedError(this.peer));
    await this.#peer.close();
  }

  /**
   * Aborted with the error of the connection when it is closed or lost. A call that waits for a handler has no pending
   * request, so nothing else ends it. Created on first use, because most calls have no input requests.
   */
  get endSignal(): LazyAbortSignal {
    if (this.#endSignal === undefined) {
      this.#endSignal = new LazyAbortSignal();
      if (this.#endError) this.#endSignal.abort(this.#endError);
    }
    return this.#endSignal;
  }

  #abortInput(error: TenonError): void {
    this.#endError ??= error;
    this.#endSignal?.abort(this.#endError);
  }

  /** Refuses new calls, and closes the connection when the calls in progress have ended. Never rejects. */
  async retire(): Promise<void> {
    this.ended = true;
    if (this.#peer.pendingCount > 0) {
      await new Promise<void>(resolve => {
        this.#onDrained = resolve;
      });
    }
    await this.close().catch(() => {});
  }

  get dialect(): Dialect {
    if (this.#dialect) return this.#dialect;
    throw new TenonError('connection/not-open', 'the connection has not negotiated a protocol version yet', {
      peer: this.peer,
    });
  }

  /** True if each deviation of the server from the protocol is refused. */
  get strict(): boolean {
    return this.#options.strict === true;
  }

  /**
   * Throws `call/unwritable` before a message is sent if JSON would lose a part of its params. Messages that are passed by
   * reference lose nothing.
   */
  checkSendable(method: string, params: unknown): void {
    if (this.endpoint.kind !== 'memory' || this.#options.copyMessages !== false)
      requireSendable('a value', params, 'call/unwritable', this, method);
  }

  /** Name of the server in errors. */
  get peer(): string {
    const { info } = this.server;
    const details = [this.#dialect?.protocolVersion, this.channel.peer].filter(Boolean).join(', ');
    return info ? `${info.name} (${details})` : this.channel.peer;
  }

  /** Sets the dialect of later messages. */
  useDialect(dialect: Dialect): void {
    this.#dialect = dialect;
  }

  /** Ends the negotiation. Later requests contain the protocol version as the dialect requires. */
  completeOpening(): void {
    this.#isOpened = true;
    this.#keepAlive?.start();
  }

  /** Closes the connection because the server no longer responds. Pending calls are rejected at once. */
  fail(error: TenonError): void {
    if (!this.ended) this.#peer.onClose(error);
  }

  /** Encodes and sends a request, and decodes the result to the newest version. */
  call(method: string, params: JsonObject, parameters: SendParameters = {}): Promise<JsonObject> {
    const { dialect, endpoint } = this;
    const encoded = dialect.transforms.encode.params?.(method)?.(params, {}) ?? params;
    let id: Id = 0;
    const createParams = (requestId: Id) => {
      id = requestId;
      parameters.onRequestId?.(requestId);
      if (parameters.onProgress) this.#progress.set(requestId, parameters.onProgress);
      if (method === 'subscriptions/listen') this.#listenIds.add(requestId);
      // These two requests have no progress notifications.
      if (method === 'ping' || method === 'initialize') return encoded;
      return this.#requestMeta.addTo(encoded, dialect, requestId, parameters.logLevel);
    };
    const outgoingRequest = new OutgoingRequest(
      this,
      dialect,
      method,
      parameters,
      createRequestHeaders({ endpoint, dialect }, this.#isOpened, method, params, parameters.headers),
    );
    return this.#peer.call(method, createParams, outgoingRequest).then(
      answer => this.#decodeResult(id, answer, method, params, parameters),
      error => this.#throwCallError(id, error, method),
    );
  }

  /** Decodes the result to the newest version. */
  #decodeResult(
    id: Id,
    answer: JsonObject,
    method: string,
    params: JsonObject,
    { outputSchema, onProgress, onTaskCreated }: SendParameters,
  ): JsonObject {
    try {
      const result = readResult(this, method, answer);
      this.#learnServerInfo(result);
      const decode = this.dialect.transforms.decode.result?.(method);
      const decoded = decode === undefined ? result : decode(result, { params, outputSchema });
      const becameTask = decoded.resultType === 'task' && onProgress !== undefined && onTaskCreated !== undefined;
      if (becameTask) onTaskCreated(this.#progress.keep(id));
      this.#finishRequest(id, becameTask);
      return decoded;
    } catch (error) {
      return this.#throwCallError(id, error, method);
    }
  }

  #throwCallError(id: Id, error: unknown, method: string): JsonObject {
    this.#finishRequest(id);
    if (error === LISTEN_ENDED) return {};
    if (this.#isOpened && TenonError.is(error) && error.code === 'call/timeout') this.#verifyResponsive(method);
    throw TenonError.from(error, 'call/failed', { peer: this.peer, method });
  }

  /**
   * Checks the server after a call timed out. A ping without a response closes the connection, unless the server may be
   * busy with a call. Another call is followed by a ping, if all calls share one transport. If others still wait, they
   * keep their own timeouts, unless the server has sent nothing since an earlier timeout.
   */
  #verifyResponsive(method: string): void {
    const isPing = method === 'ping' || method === 'server/discover';
    if (isPing) {
      if (!(this.#keepAlive?.verification ?? this.#peer.hasDeadline)) this.fail(createUnresponsiveError(this.peer));
    } else if (
      /^(stdio|http-sse)$/.test(this.endpoint.kind) &&
      !(this.#peer.hasDeadline && this.#peer.takeActivity())
    ) {
      void this.#keepAlive?.verify();
    }
  }

  /** Removes a request that has its response or will not get one. */
  #finishRequest(id: Id, becameTask = false): void {
    if (!becameTask) this.#progress.delete(id);
    if (this.#listenIds.size > 0) this.#listenIds.delete(id);
    if (this.#onDrained && this.#peer.pendingCount === 0) this.#onDrained();
  }

  async notify(method: string, params: JsonObject = {}): Promise<void> {
    const { dialect, endpoint } = this;
    if (isNotification(method) && !dialect.methods.client.has(method)) return;
    const encoded = dialect.transforms.encode.params?.(method)?.(params, {}) ?? params;
    const isEmpty = Object.keys(encoded).length === 0;
    const headers = createRequestHeaders({ endpoint, dialect }, this.#isOpened, method, encoded);
    const sent = this.#peer.notify(method, isEmpty ? undefined : encoded, headers && { headers });
    if (sent === undefined) return;
    const { idleTimeout: timeout = IDLE_TIMEOUT } = this.timeouts;
    // An HTTP server may accept a notification and never respond to its POST.
    await runWithTimeout(() => sent, {
      clock: this.#clock,
      timeout,
      onTimeout: () =>
        this.onError(
          new TenonError('call/timeout', `no acknowledgement after ${timeout} ms`, { peer: this.peer, method }),
        ),
    });
  }

  onRequest(request: JsonRpcRequest, running: RequestScope, envelope?: MessageContext): Promise<JsonObject> {
    const { dialect } = this;
    const info = { signal: running.signal, server: this.peer, relatedTo: envelope?.relatedTo };
    const report = (params: JsonObject) => void this.notify('notifications/progress', params);
    return answerRequest(
      request,
      { dialect, options: this.#options, clock: this.#clock, report, connection: this },
      info,
    );
  }

  onNotification({ method, params = {} }: JsonRpcNotification): void {
    if (method === 'notifications/cancelled') return this.#handleCancelled(params);
    const read = readParams(this, method, params);
    const decode = this.#dialect?.transforms.decode.params?.(method);
    const decoded = decode?.(read, {}) ?? read;
    this.#membership?.publish(method, decoded);
    this.onReceived(method, decoded);
  }

  /** Handles a decoded notification, which this process or another one in the same session has received. */
  onReceived(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') this.#handleProgress(params);
    const list = findChangedList(method);
    // A server whose list was empty may not have declared it when the client connected.
    if (list !== undefined && !hasCapability(this.server.capabilities, list))
      this.server = { ...this.server, capabilities: addAssumedCapabilities(this.server.capabilities, [list]) };
    this.#events.onNotification(method, params, this.peer);
  }

  onError(error: TenonError): void {
    this.#events.onError(error);
  }

  onClose(error?: TenonError): void {
    this.ended = true;
    this.#abortInput(error ?? createClosedError(this.peer));
    this.#membership?.detach();
    this.#keepAlive?.stop();
    this.#events.onClose(this, error);
  }

  onSessionLost(error: TenonError): void {
    this.sessionError = error;
    this.ended = true;
    this.#membership?.markLost();
    this.#events.onSessionLost(this);
  }

  getBatchMode(): boolean | 'split' {
    if (this.#dialect?.http.batches === true) return true;
    const summary = 'a batch counts as its messages';
    return tolerate(this, 'batch', undefined, summary) && 'split';
  }

  getUnreadableId(): false {
    return false;
  }

  /**
   * Tells if the client may send responses. It may not on versions whose servers request input in results. A process
   * that is still being probed may have any version, and may ping the client.
   */
  mayAnswer(): boolean {
    return this.#dialect?.inputRequests !== 'by-retry' || (!this.#isOpened && this.endpoint.kind !== 'http');
  }

  /** Handles `notifications/cancelled`: the server cancels its own request, or ends a subscription of this client. */
  #handleCancelled({ requestId: id, reason }: JsonObject): void {
    if (!isId(id)) return;
    if (this.#listenIds.has(id)) this.#peer.onResponseLost(id, LISTEN_ENDED);
    else this.#peer.cancel(id, typeof reason === 'string' ? reason : undefined);
  }

  #handleProgress(params: JsonObject): void {
    const isPending = isId(params.progressToken) && this.#peer.resetIdleTimeout(params.progressToken);
    this.#progress.deliver(params, isPending, error =>
      this.onError(TenonError.from(error, 'listener/threw', { peer: this.peer, method: 'notifications/progress' })),
    );
  }

  #learnServerInfo(answer: JsonObject): void {
    const info = (answer._meta as JsonObject | undefined)?.[SERVER_INFO] as Implementation | undefined;
    if (info && this.server.info === undefined) this.server = { ...this.server, info };
  }
}
