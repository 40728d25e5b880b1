import {
  getCallerKey,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type JsonObject,
  type MaybePromise,
  rpcError,
  type TenonError,
  toReportedError,
} from '@tenon/base';
import type { RequestInput } from '../../execution/handler-run.js';
import type { CallerInfo } from '../../handler/context.js';
import type { Id, JsonRpcNotification, JsonRpcRequest } from '../../jsonrpc/message.js';
import type { Peer } from '../../jsonrpc/peer.js';
import type { PeerHandler } from '../../jsonrpc/peer-handler.js';
import type { RequestScope } from '../../jsonrpc/request-scope.js';
import type { MessageContext, Transport } from '../../jsonrpc/transport.js';
import type { LoggingLevel } from '../../protocol/content.js';
import { describeClient } from '../../protocol/describe-client.js';
import { notifications } from '../../protocol/methods.js';
import { findStatelessRoute } from '../../protocol/negotiation/classify-request.js';
import type {
  ConnectOptions,
  PingOptions,
  SessionChange,
  SessionHandle,
  SessionState,
  StatelessRoute,
} from '../../protocol/request-handler.js';
import { readParams } from '../../protocol/tolerant-reading.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { dispatch } from '../dispatch.js';
import { handleCustomNotification } from '../methods/custom-methods.js';
import { initialize, negotiate } from '../methods/initialize.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { handleStatelessInSession } from '../stateless-request.js';
import { InitializedSignal } from './initialized-signal.js';
import type { ElicitationListener } from './pending-elicitations.js';
import { createRequestInput, type RequestInputOptions } from './request-input.js';
import { ResourceSubscriptions } from './resource-subscriptions.js';
import { handleRootsChange } from './roots.js';
import { createSessionPeer, handlePeerNotification } from './session-peer.js';
import { pingClient } from './session-ping.js';
import { type RequestSession, SessionRequestContext } from './session-request-context.js';
import { createSessionState, notifyAllChanges } from './session-state.js';
import type { Subscriber } from './subscription-manager.js';

/** One connected peer. A session is a few values; V8 stores more than 14 as a dictionary. Stateless requests need none. */
export class Session implements PeerHandler, SessionHandle, RequestSession, ElicitationListener, Subscriber {
  readonly #runtime: ServerRuntime;
  readonly #peer: Peer;
  #dialect: Dialect | undefined;
  #caller: CallerInfo;
  requestedLogLevel: LoggingLevel | undefined;
  #sharing: { readonly id: string | undefined; isContinued: boolean } | undefined;
  #isReady = false;
  /** True while the session gets notifications of changes. */
  #isActive = false;
  #subscriptions: ResourceSubscriptions | undefined;
  readonly #onStateChange: ((change: SessionChange) => void) | undefined;
  /** Functions that complete the open `subscriptions/listen` requests. */
  #listening: Map<RequestScope, () => void> | undefined;
  #isEnded = false;
  #initialized: InitializedSignal | undefined;
  #endListeners: Set<() => void> | undefined;

  constructor(runtime: ServerRuntime, transport: Transport, options: ConnectOptions = {}) {
    const { auth, address, dialect, state, onStateChange } = options;
    this.#runtime = runtime;
    this.#caller = { client: state?.client, capabilities: state?.capabilities ?? {}, auth, address };
    this.#dialect = state
      ? runtime.servedDialects.find(each => each.protocolVersion === state.protocolVersion)
      : dialect;
    this.#peer = createSessionPeer(runtime, transport, this);
    this.#onStateChange = onStateChange;
    this.#sharing = onStateChange && { id: state?.id, isContinued: false };
  }

  open(): void | Promise<void> {
    return this.#peer.open();
  }

  get peer(): string {
    return this.#dialect ? describeClient(this.#caller, this.#dialect.protocolVersion) : this.#peer.transport.peer;
  }

  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  get id(): string | undefined {
    return this.#peer.transport.sessionId;
  }

  get sharedId(): string | undefined {
    return this.#sharing?.id;
  }

  get isContinued(): boolean | undefined {
    return this.#sharing?.isContinued;
  }

  get inFlight(): number {
    // Subscriptions do not count, because a shutdown must not wait for them.
    return Math.max(0, this.#peer.inFlight - (this.#listening?.size ?? 0));
  }

  get isListening(): boolean {
    return (this.#listening?.size ?? 0) > 0;
  }

  endListening(): void {
    for (const end of [...(this.#listening?.values() ?? [])]) end();
  }

  get waitsForClient(): boolean {
    return this.#peer.pendingCount > 0 && this.#peer.pendingCount >= this.inFlight;
  }

  get isUnattended(): boolean | undefined {
    return this.#peer.transport.isUnattended;
  }

  get activeHandlers(): number {
    return this.#peer.activeHandlers;
  }

  ping(options?: PingOptions, relatedTo?: Id): Promise<void> {
    const { keepAlive } = this.#runtime.options;
    const endSession = keepAlive ? keepAlive.endSession : undefined;
    return pingClient(this.#peer, this.#dialect, { ...options, endSession }, relatedTo);
  }

  end(isContinued = false): void {
    if (this.#sharing) this.#sharing.isContinued = isContinued;
    this.#peer.end();
    this.#release();
  }

  getBatchMode(): boolean {
    return this.#runtime.options.acceptBatches === 'always' || (this.#dialect?.http.batches ?? false);
  }

  getUnreadableId(): null | undefined {
    return this.#dialect?.errors.unreadableId;
  }

  get strict(): boolean | undefined {
    return this.#runtime.strict;
  }

  onError(error: TenonError): void {
    this.#runtime.onError(error);
  }

  #report(error: unknown, method: string): void {
    this.onError(toReportedError(error, 'handler/threw', { peer: this.peer, method }));
  }

  onClose(): void {
    this.#release();
  }

  onRequest(request: JsonRpcRequest, scope: RequestScope, messageContext?: MessageContext): MaybePromise<JsonObject> {
    // The HTTP endpoint has classified its requests.
    const isClassified = messageContext?.checkedRequest === request;
    const route = isClassified ? undefined : findStatelessRoute(request, this.#runtime.servedDialects);
    if (route) return this.#handleStateless(request, route, scope, messageContext);
    if (request.method === 'initialize') return this.#initialize(request, messageContext);
    if (request.method === 'shutdown' && this.#dialect) {
      scope.onDone(() => void this.#peer.close());
      return {};
    }
    if (this.#dialect)
      return dispatch(this.#runtime, request, this.#createRequestContext(request, scope, messageContext));
    if (request.method === 'ping') return {};
    throw rpcError(
      INVALID_PARAMS,
      `Invalid params: ${request.method.slice(0, 128)} was sent before initialize, without a protocol version in _meta. Send initialize first`,
    );
  }

  onNotification({ method, params: received = {} }: JsonRpcNotification): void {
    const params = readParams(this, method, received);
    if (handlePeerNotification(this.#peer, method, params)) return;
    if (method === 'notifications/initialized') return this.#handleInitialized();
    if (method === 'notifications/roots/list_changed') {
      this.#runtime.backend.handleRootsChange?.(this, this.#onStateChange);
      return handleRootsChange(this.#runtime, this.caller, this, (error, about) => this.#report(error, about));
    }
    void handleCustomNotification(this.#runtime, { jsonrpc: '2.0', method, params }, this.caller).catch(error =>
      this.#report(error, method),
    );
  }

  requestInput(...request: Parameters<RequestInput>): Promise<JsonObject> {
    return this.createRequestInput({})(...request);
  }

  get caller(): CallerInfo {
    return this.#caller;
  }

  get callerKey(): string {
    return getCallerKey(this.#caller.auth, this.#caller.address);
  }

  wants(): boolean {
    return true;
  }

  deliver(method: string, params: JsonObject): void {
    this.notify(method, params);
  }

  onEnd(listener: () => void): void {
    this.#endListeners = new Set(this.#endListeners).add(listener);
    if (this.#isEnded) this.#release();
  }

  onElicitationComplete(elicitationId: string): void {
    this.notify('notifications/elicitation/complete', { elicitationId });
  }

  applyState(state: SessionState, isObserver: boolean): void {
    if (this.#isEnded) return;
    // Before the session subscribes, so that no change is missed between the response and the first message.
    void this.#runtime.subscriptions.listen();
    this.requestedLogLevel = state.logLevel;
    this.#runtime.backend.applySessionState?.(this, state);
    if (this.#subscriptions || state.subscribedUris.length > 0) this.subscriptions.replace(state.subscribedUris);
    if (state.isInitialized) this.#markReady();
    this.#setActive(this.#isReady && isObserver);
  }

  notifyMissedChanges(): void {
    notifyAllChanges(this.#runtime, this.#subscriptions?.uris ?? [], (method, params) => this.notify(method, params));
  }

  get subscriptions(): ResourceSubscriptions {
    const { backend, subscriptions } = this.#runtime;
    const watcher = backend.resourceWatcher ?? subscriptions;
    this.#subscriptions ??= new ResourceSubscriptions(watcher, this, this.#isActive, this.#onStateChange);
    return this.#subscriptions;
  }

  #setActive(isActive: boolean): void {
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    if (isActive) this.#runtime.subscriptions.add(this);
    else this.#runtime.subscriptions.remove(this, this.#subscriptions?.uris ?? []);
    this.#subscriptions?.setActive(isActive);
  }

  #handleStateless(
    request: JsonRpcRequest,
    route: StatelessRoute,
    scope: RequestScope,
    { auth = this.#caller.auth, address = this.#caller.address, request: headers }: MessageContext = {},
  ): JsonObject | Promise<JsonObject> {
    const getListening = () => {
      this.#listening ??= new Map();
      return this.#listening;
    };
    const context = { auth, address, request: headers };
    return handleStatelessInSession(this.#runtime, this.#peer, request, route, scope, context, getListening);
  }

  #initialize(request: JsonRpcRequest, messageContext?: MessageContext): JsonObject | Promise<JsonObject> {
    if (this.#dialect) throw rpcError(INVALID_REQUEST, 'Invalid request: this connection is already initialized');
    const { dialect, params } = negotiate(this.#runtime, request, this);
    this.#dialect = dialect;
    const { clientInfo: client, capabilities } = params;
    this.#caller = { ...this.#caller, client, capabilities, auth: messageContext?.auth ?? this.#caller.auth };
    if (this.#onStateChange) {
      const state = createSessionState(dialect, this.#caller);
      this.#sharing = { id: state.id, isContinued: false };
      this.#onStateChange(() => state);
    }
    const session = dialect.sessionMethods === undefined ? this : undefined;
    return initialize(this.#runtime, dialect, this.#caller, session, messageContext?.request);
  }

  #handleInitialized(): void {
    if (this.#dialect === undefined || this.#isReady || this.#isEnded) return;
    this.#markReady();
    this.#setActive(true);
    this.#onStateChange?.(state => ({ ...state, isInitialized: true }));
  }

  #markReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#initialized?.release();
    this.#runtime.sessionPings.add(this.#peer);
  }

  #release(): void {
    this.#isEnded = true;
    this.#runtime.sessionPings.remove(this.#peer);
    this.#initialized?.release();
    this.#setActive(false);
    this.#runtime.pendingElicitations.remove(this);
    this.#isReady = false;
    const listeners = this.#endListeners ?? [];
    this.#endListeners = undefined;
    for (const listener of listeners) listener();
  }

  /** Sends a notification. If `relatedTo` is set, it uses the stream of that request. */
  notify(method: string, params: JsonObject, relatedTo?: Id): void {
    const dialect = this.#dialect;
    if (!dialect || (method in notifications && !dialect.methods.server.has(method))) return;
    const encoded = dialect.transforms.encode.params?.(method)?.(params, {}) ?? params;
    void this.#peer.notify(method, encoded, relatedTo === undefined ? undefined : { relatedTo });
  }

  #createRequestContext(request: JsonRpcRequest, scope: RequestScope, messageContext?: MessageContext): RequestContext {
    const { auth = this.#caller.auth, request: headers } = messageContext ?? {};
    return new SessionRequestContext(request, scope, this, {
      runtime: this.#runtime,
      dialect: this.#dialect as Dialect,
      caller: auth === this.#caller.auth ? this.#caller : { ...this.#caller, auth },
      request: headers,
    });
  }

  setLogLevel(level: LoggingLevel): void {
    this.requestedLogLevel = level;
    this.#onStateChange?.(state => ({ ...state, logLevel: level }));
  }

  /** Records that the client got a URL elicitation, so that it is notified when the visit is complete. */
  trackElicitation(elicitationId: string): void {
    if (this.#isEnded) return;
    this.#runtime.pendingElicitations.add(elicitationId, this);
  }

  closeStream(relatedTo: Id): boolean {
    return this.#peer.transport.closeStream?.(relatedTo) ?? false;
  }

  createRequestInput(requestInfo: Pick<RequestInputOptions, 'relatedTo' | 'scope'>): RequestInput {
    return createRequestInput({
      peer: this.#peer,
      dialect: this.#dialect as Dialect,
      capabilities: this.#caller.capabilities,
      connection: this,
      onElicitationSent: id => this.trackElicitation(id),
      waitForInitialized: method => {
        if (this.#isReady || this.#isEnded) return undefined;
        this.#initialized ??= new InitializedSignal();
        return this.#initialized.wait(this.#runtime.clock, method);
      },
      ...requestInfo,
    });
  }
}
