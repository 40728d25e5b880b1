import type { Ask } from '../conversation/asking/asking.js';
import { requireServed, statesRevision } from '../conversation/opening/per-request.js';
import type { ConnectOptions, PingOptions, SessionHandle } from '../conversation/service.js';
import type { Dialect } from '../dialects/dialect.js';
import { negotiate } from '../dialects/index.js';
import { getCallerKey } from '../jsonrpc/caller-key.js';
import type { AuthInfo, Channel, Envelope } from '../jsonrpc/channel.js';
import { INVALID_PARAMS, INVALID_REQUEST } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import type { Hands } from '../jsonrpc/hands.js';
import { type Id, isId, type JsonObject, type Notification, type Request } from '../jsonrpc/message.js';
import { Peer } from '../jsonrpc/peer.js';
import type { Running } from '../jsonrpc/running.js';
import type { LoggingLevel } from '../model/content.js';
import { methods, notifications as notices } from '../model/methods.js';
import type { InitializeParams } from '../model/shapes.js';
import { answerAlone } from './answer.js';
import type { Blueprint } from './blueprint.js';
import type { Caller } from './caller.js';
import { hearCustom } from './customized.js';
import { dispatch } from './dispatch.js';
import type { Visitor } from './elicitations.js';
import { InitializedSignal } from './initialized-signal.js';
import { initialize } from './initializing.js';
import { type Questions, questions } from './questions.js';
import { handleRootsChange } from './roots.js';
import { pingClient } from './session-ping.js';
import type { Turn } from './turn.js';
import { type Surroundings, TurnInSession } from './turn-in-session.js';
import type { Watcher } from './watchers.js';

const MAX_SUBSCRIPTIONS = 1000;

/** One peer on one channel. Its session, when it opens one, is a few values; requests that carry their own facts need none. */
export class Connection implements Hands, SessionHandle, Surroundings, Visitor, Watcher {
  readonly #blueprint: Blueprint;
  readonly #peer: Peer;
  readonly #auth: AuthInfo | undefined;
  readonly #address: string | undefined;
  #dialect: Dialect | undefined;
  #caller: Caller | undefined;
  #logLevel: LoggingLevel = 'info';
  #watches = false;
  #uris: Set<string> | undefined;
  #listening = 0;
  #elicits = false;
  #ended = false;
  #initialized: InitializedSignal | undefined;
  #endings: Set<() => void> | undefined;

  constructor(blueprint: Blueprint, channel: Channel, { auth, address, dialect }: ConnectOptions = {}) {
    this.#blueprint = blueprint;
    this.#auth = auth;
    this.#address = address;
    this.#dialect = dialect;
    if (dialect !== undefined) this.#caller = this.caller;
    this.#peer = new Peer(channel, this, blueprint.clock);
  }

  open(): void | Promise<void> {
    return this.#peer.open();
  }

  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  get inFlight(): number {
    // Who listens waits for nothing: a server that goes down need not wait for it either.
    return Math.max(0, this.#peer.inFlight - this.#listening);
  }

  get activeHandlers(): number {
    return this.#peer.activeHandlers;
  }

  ping(options?: PingOptions, relatedTo?: Id): Promise<void> {
    return pingClient(this.#peer, this.#dialect, options, relatedTo);
  }

  end(): void {
    this.#ended = true;
    this.#peer.end();
    this.#forget();
  }

  batches(): boolean {
    return this.#blueprint.options.acceptBatches === 'always' || (this.#dialect?.http.batches ?? false);
  }

  unreadableId(): null | undefined {
    return this.#dialect?.errors.unreadableId;
  }

  problem(error: TenonError): void {
    this.#blueprint.problem(error);
  }

  closed(): void {
    this.#ended = true;
    this.#forget();
  }

  request(request: Request, running: Running, envelope?: Envelope): JsonObject | Promise<JsonObject> {
    if (statesRevision(request)) return this.#alone(request, running, envelope);
    if (request.method === 'initialize') return this.#initialize(request, envelope);
    if (request.method === 'shutdown' && this.#dialect) return this.#shutdown(running);
    if (this.#dialect && this.#caller)
      return dispatch(this.#blueprint, request, this.#turn(request, running, envelope));
    if (request.method === 'ping') return {};
    throw rpcError(
      INVALID_PARAMS,
      `Invalid params: ${request.method.slice(0, 128)} came before initialize, and says no protocol version itself`,
    );
  }

  notification({ method, params = {} }: Notification): void {
    switch (method) {
      case 'notifications/initialized':
        return this.#ready();
      case 'notifications/cancelled':
        if (isId(params.requestId))
          this.#peer.cancel(params.requestId, typeof params.reason === 'string' ? params.reason : undefined);
        return;
      case 'notifications/progress':
        if (isId(params.progressToken)) this.#peer.touch(params.progressToken, params);
        return;
      case 'notifications/roots/list_changed':
        this.#blueprint.options.front?.rootsChanged(this);
        return handleRootsChange(this.#blueprint, this.caller, this);
      default:
        void hearCustom(this.#blueprint, { jsonrpc: '2.0', method, params }, this.caller).catch(error =>
          this.problem(TenonError.from(error, 'handler/threw', { method })),
        );
    }
  }

  ask(...question: Parameters<Ask>): Promise<JsonObject> {
    return this.questions({})(...question);
  }

  get caller(): Caller {
    return this.#caller ?? { client: undefined, capabilities: {}, auth: this.#auth, address: this.#address };
  }

  get callerKey(): string {
    return getCallerKey(this.#auth, this.#address);
  }

  /** A session hears of all lists. */
  wants(): boolean {
    return true;
  }

  deliver(method: string, params: JsonObject): void {
    this.tell(method, params);
  }

  whenOver(ended: () => void): void {
    this.#endings ??= new Set();
    this.#endings.add(ended);
    if (this.#ended) this.#forget();
  }

  visited(elicitationId: string): void {
    this.tell('notifications/elicitation/complete', { elicitationId });
  }

  add(uri: string): void {
    this.#uris ??= new Set();
    if (this.#uris.size >= MAX_SUBSCRIPTIONS && !this.#uris.has(uri))
      throw rpcError(INVALID_REQUEST, `Invalid request: more than ${MAX_SUBSCRIPTIONS} subscriptions`);
    this.#uris.add(uri);
    if (this.#watches) this.#blueprint.watchers.watch(this, uri);
  }

  remove(uri: string): void {
    this.#uris?.delete(uri);
    if (this.#watches) this.#blueprint.watchers.unwatch(this, uri);
  }

  /** A request that states its revision is served by that alone. */
  #alone(request: Request, running: Running, envelope?: Envelope): JsonObject | Promise<JsonObject> {
    const verdict = requireServed(request, this.#blueprint.served);
    if (verdict.opening !== 'per-request') throw rpcError(INVALID_REQUEST, 'Invalid request');
    if (request.method === 'subscriptions/listen') this.#announceEnd(request.id, running);
    return answerAlone(this.#blueprint, request, verdict.dialect, running, {
      auth: envelope?.auth ?? this.#auth,
      address: envelope?.address ?? this.#address,
      request: envelope?.request,
      send: ({ method, params }) => void this.#peer.notify(method, params, { relatedTo: request.id }),
    });
  }

  /** A listening that the server ends is also said to be cancelled, where it shares the road with others. */
  #announceEnd(requestId: Id, running: Running): void {
    this.#listening += 1;
    running.whenDone(() => {
      this.#listening -= 1;
      if (!running.cancelled) void this.#peer.notify('notifications/cancelled', { requestId });
    });
  }

  #initialize(request: Request, envelope?: Envelope): JsonObject | Promise<JsonObject> {
    const { params = {} } = request;
    if (this.#dialect) throw rpcError(INVALID_REQUEST, 'Invalid request: this connection is initialized already');
    requireServed(request, this.#blueprint.served);
    const problem = methods.initialize.params(params);
    if (problem) throw rpcError(INVALID_PARAMS, `Invalid params: ${problem}`);
    const dialect = negotiate(params.protocolVersion as string, this.#blueprint.served);
    const said = (dialect.speak.up.params('initialize')?.(params, {}) ?? params) as unknown as InitializeParams;
    this.#dialect = dialect;
    this.#caller = {
      client: said.clientInfo,
      capabilities: said.capabilities,
      auth: envelope?.auth ?? this.#auth,
      address: this.#address,
    };
    return initialize(this.#blueprint, dialect, this.#caller, dialect.needsSession === undefined ? this : undefined);
  }

  #ready(): void {
    if (this.#dialect === undefined || this.#caller === undefined || this.#watches || this.#ended) return;
    this.#watches = true;
    this.#initialized?.release();
    this.#blueprint.pings.add(this.#peer);
    this.#blueprint.watchers.add(this);
    for (const uri of this.#uris ?? []) this.#blueprint.watchers.watch(this, uri);
  }

  #shutdown(running: Running): JsonObject {
    running.whenDone(() => void this.#peer.channel.close());
    return {};
  }

  #forget(): void {
    this.#blueprint.pings.remove(this.#peer);
    this.#initialized?.release();
    if (this.#watches) this.#blueprint.watchers.remove(this, this.#uris ?? []);
    if (this.#elicits) this.#blueprint.elicitations.forget(this);
    this.#watches = false;
    const endings = this.#endings;
    this.#endings = undefined;
    for (const ended of endings ?? []) ended();
  }

  /** With `relatedTo` it goes on the stream of that request. */
  tell(method: string, params: JsonObject, relatedTo?: Id): void {
    const dialect = this.#dialect;
    if (!dialect || (method in notices && !dialect.vocabulary.server.has(method))) return;
    const words = dialect.speak.down.params(method)?.(params, {}) ?? params;
    void this.#peer.notify(method, words, relatedTo === undefined ? undefined : { relatedTo });
  }

  #turn(request: Request, running: Running, envelope?: Envelope): Turn {
    const caller = this.#caller as Caller;
    const auth = envelope?.auth ?? caller.auth;
    return new TurnInSession(request.id, running, this, {
      blueprint: this.#blueprint,
      dialect: this.#dialect as Dialect,
      caller: auth === caller.auth ? caller : { ...caller, auth },
      logLevel: this.#blueprint.options.logging === false ? undefined : this.#logLevel,
      request: envelope?.request,
    });
  }

  setLogLevel(level: LoggingLevel): void {
    this.#logLevel = level;
  }

  /** The client was sent to a URL, and is to be told when the visit is done. */
  sent(elicitationId: string): void {
    if (this.#ended) return;
    this.#elicits = true;
    this.#blueprint.elicitations.asked(elicitationId, this);
  }

  hangUp(relatedTo: Id): boolean {
    const { channel } = this.#peer;
    return channel.hangUp?.(relatedTo) ?? false;
  }

  questions(about: Pick<Questions, 'relatedTo' | 'running'>): Ask {
    return questions({
      peer: this.#peer,
      dialect: this.#dialect as Dialect,
      capabilities: this.#caller?.capabilities ?? {},
      sent: id => this.sent(id),
      whenInitialized: method => {
        if (this.#watches || this.#ended) return undefined;
        this.#initialized ??= new InitializedSignal();
        return this.#initialized.wait(this.#blueprint.clock, method);
      },
      ...about,
    });
  }
}
