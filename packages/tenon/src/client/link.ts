import { declares } from '../conversation/capability.js';
import { type KeepAlive, unresponsiveError } from '../conversation/keep-alive.js';
import { type Facts, openingMeta } from '../conversation/opening/per-request.js';
import type { Dialect } from '../dialects/dialect.js';
import type { Channel, Envelope } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Hands } from '../jsonrpc/hands.js';
import { type Id, isId, type JsonObject, type Notification, type Request } from '../jsonrpc/message.js';
import { Peer } from '../jsonrpc/peer.js';
import type { Running } from '../jsonrpc/running.js';
import type { Implementation, LoggingLevel } from '../model/content.js';
import { SERVER_INFO } from '../model/meta.js';
import { isNotification } from '../model/methods.js';
import type { PausingClock } from './allowance.js';
import { capabilitiesOf } from './answering.js';
import type { LinkEvents, ServerFacts } from './connection-events.js';
import type { Endpoint } from './endpoint.js';
import { Errand, type Sending } from './errand.js';
import { requestHeaders } from './headers.js';
import { clientInfo } from './identity.js';
import { createKeepAlive } from './link-keep-alive.js';
import type { ClientOptions } from './options.js';
import { ProgressTokens } from './progress-tokens.js';
import { answerRequest } from './server-requests.js';

/** A listening is over because the server said so: that is no failure. */
const ENDED = new TenonError('call/ended', 'the server ended the listening');

/** One open road to a server, and the dialect spoken on it. */
export class Link implements Hands {
  readonly endpoint: Endpoint;
  readonly channel: Channel;
  /** How long calls are waited for that do not say it. */
  readonly patience: Pick<ClientOptions, 'idleTimeout' | 'totalTimeout'>;
  readonly #peer: Peer;
  readonly #options: ClientOptions;
  readonly #events: LinkEvents;
  readonly #facts: Omit<Facts, 'logLevel'>;
  readonly #clock: PausingClock;
  readonly #progress = new ProgressTokens();
  readonly #listening = new Set<Id>();
  readonly #keepAlive: KeepAlive | undefined;
  #dialect: Dialect | undefined;
  #opened = false;
  #drained: (() => void) | undefined;
  #meta:
    | { readonly dialect: Dialect; readonly logLevel: LoggingLevel | undefined; readonly words: JsonObject }
    | undefined;
  server: ServerFacts = { info: undefined, capabilities: {}, instructions: undefined };
  ended = false;
  /** Why the link takes no more calls, when the server no longer knows its session. */
  sessionError: TenonError | undefined;

  constructor(endpoint: Endpoint, channel: Channel, options: ClientOptions, events: LinkEvents, clock: PausingClock) {
    this.endpoint = endpoint;
    this.channel = channel;
    this.#options = options;
    this.patience = options;
    this.#events = events;
    this.#clock = clock;
    this.#facts = { capabilities: capabilitiesOf(options), client: clientInfo(options) };
    this.#peer = new Peer(channel, this, clock);
    this.#keepAlive = createKeepAlive(this, options, clock, this.#peer);
  }

  /** Settled when it is known whether a silent server still responds; undefined while nothing speaks against it. */
  get verifying(): Promise<void> | undefined {
    return this.ended ? undefined : this.#keepAlive?.verifying;
  }

  async open(): Promise<void> {
    await this.channel.open(this.#peer);
  }

  async close(): Promise<void> {
    this.ended = true;
    await this.channel.close();
    this.#peer.end();
  }

  /** Takes no more calls, and closes when those on their way have come to their own end. Does not reject. */
  async retire(): Promise<void> {
    this.ended = true;
    if (this.#peer.waiting > 0) {
      await new Promise<void>(drained => {
        this.#drained = drained;
      });
    }
    await this.close().catch(() => {});
  }

  get dialect(): Dialect {
    if (this.#dialect) return this.#dialect;
    throw new TenonError('connection/not-open', 'the connection has not agreed on a revision yet', { peer: this.peer });
  }

  /** The server as errors name it. */
  get peer(): string {
    const { info } = this.server;
    const facts = [this.#dialect?.revision, this.channel.peer].filter(Boolean).join(', ');
    return info ? `${info.name} (${facts})` : this.channel.peer;
  }

  /** Speaks this dialect from here on. */
  speak(dialect: Dialect): void {
    this.#dialect = dialect;
  }

  /** The opening is over: requests state the revision in the way of the dialect. */
  settled(): void {
    this.#opened = true;
    this.#keepAlive?.start();
  }

  /** Ends the link because the server no longer responds: what waits for it is rejected at once. */
  fail(error: TenonError): void {
    if (!this.ended) this.#peer.closed(error);
  }

  /** Whether the server said that it has this. */
  offers(capability: string): boolean {
    return declares(this.server.capabilities, capability);
  }

  /** Sends a request in the words of the dialect and gives the answer in ours. */
  call(method: string, params: JsonObject, sending: Sending = {}): Promise<JsonObject> {
    const { dialect } = this;
    const words = dialect.speak.down.params(method)?.(params, {}) ?? params;
    let id: Id = 0;
    const outgoing = (given: Id) => {
      id = given;
      sending.onId?.(given);
      if (sending.onProgress) this.#progress.set(given, sending.onProgress);
      if (method === 'subscriptions/listen') this.#listening.add(given);
      // Nothing reports progress on these two.
      if (method === 'ping' || method === 'initialize') return words;
      return this.#withMeta(words, given, sending.logLevel);
    };
    const errand = new Errand(
      this,
      method,
      sending,
      requestHeaders(this, this.#opened, method, params, sending.headers),
    );
    return this.#peer.call(method, outgoing, errand).then(
      answer => this.#answered(id, answer, method, params, sending),
      error => this.#failed(id, error, method),
    );
  }

  /** The answer in our words. */
  #answered(
    id: Id,
    answer: JsonObject,
    method: string,
    params: JsonObject,
    { outputSchema, onProgress, onOutlived }: Sending,
  ): JsonObject {
    try {
      this.#learn(answer);
      const words = this.dialect.speak.up.result(method);
      const said = words === undefined ? answer : words(answer, { params, outputSchema });
      const outlived = said.resultType === 'task' && onProgress !== undefined && onOutlived !== undefined;
      if (outlived) onOutlived(this.#progress.keep(id));
      this.#over(id, outlived);
      return said;
    } catch (error) {
      return this.#failed(id, error, method);
    }
  }

  #failed(id: Id, error: unknown, method: string): JsonObject {
    this.#over(id);
    if (error === ENDED) return {};
    if (this.#opened && TenonError.is(error) && error.code === 'call/timeout') this.#doubt(method);
    throw TenonError.from(error, 'call/failed', { peer: this.peer, method });
  }

  /** A ping without an answer ends the link; any other call, where all share one channel, is followed by a ping. */
  #doubt(method: string): void {
    const isPing = method === 'ping' || method === 'server/discover';
    if (isPing && !this.#keepAlive?.verifying) this.fail(unresponsiveError(this.peer));
    else if (!isPing && /^(stdio|http-sse)$/.test(this.endpoint.kind)) void this.#keepAlive?.verify();
  }

  /** The request is answered, or will not be. */
  #over(id: Id, outlived = false): void {
    if (!outlived) this.#progress.delete(id);
    if (this.#listening.size > 0) this.#listening.delete(id);
    if (this.#drained && this.#peer.waiting === 0) this.#drained();
  }

  async notify(method: string, params: JsonObject = {}): Promise<void> {
    const { client } = this.dialect.vocabulary;
    if (isNotification(method) && !client.has(method)) return;
    const words = this.dialect.speak.down.params(method)?.(params, {}) ?? params;
    const hasNothing = Object.keys(words).length === 0;
    const headers = requestHeaders(this, this.#opened, method, words);
    await this.#peer.notify(method, hasNothing ? undefined : words, headers && { headers });
  }

  request(request: Request, running: Running, envelope?: Envelope): Promise<JsonObject> {
    const { dialect } = this;
    const about = { signal: running.signal, server: this.peer, relatedTo: envelope?.relatedTo };
    const report = (params: JsonObject) => void this.notify('notifications/progress', params);
    return answerRequest(request, { dialect, options: this.#options, clock: this.#clock, report }, about);
  }

  notification({ method, params = {} }: Notification): void {
    if (method === 'notifications/cancelled') return this.#cancelled(params);
    if (method === 'notifications/progress') this.#progressed(params);
    const up = this.#dialect?.speak.up.params(method);
    this.#events.notification(method, up?.(params, {}) ?? params);
  }

  problem(error: TenonError): void {
    this.#events.problem(error);
  }

  closed(error?: TenonError): void {
    this.ended = true;
    this.#keepAlive?.stop();
    this.#events.closed(this, error);
  }

  onSessionLost(error: TenonError): void {
    this.sessionError = error;
    this.ended = true;
    this.#events.onSessionLost(this);
  }

  batches(): true | 'split' {
    return this.#dialect?.http.batches === true ? true : 'split';
  }

  unreadableId(): false {
    return false;
  }

  /**
   * Where servers ask by results a client sends no responses. A process that is only being probed may be of any
   * revision, and may want to know that somebody is there.
   */
  mayAnswer(): boolean {
    return this.#dialect?.asking !== 'by-retry' || (!this.#opened && this.endpoint.kind !== 'http');
  }

  /** A server withdraws a question of its own, or ends a listening of ours. */
  #cancelled({ requestId: id, reason }: JsonObject): void {
    if (!isId(id)) return;
    if (this.#listening.has(id)) this.#peer.lost(id, ENDED);
    else this.#peer.cancel(id, typeof reason === 'string' ? reason : undefined);
  }

  #progressed(params: JsonObject): void {
    const isPending = isId(params.progressToken) && this.#peer.touch(params.progressToken);
    this.#progress.deliver(params, isPending, error =>
      this.problem(TenonError.from(error, 'listener/threw', { peer: this.peer, method: 'notifications/progress' })),
    );
  }

  /** Progress is always asked for: whoever reports it gets more time. */
  #withMeta(params: JsonObject, id: Id, logLevel: LoggingLevel | undefined): JsonObject {
    const opening = this.dialect.opening === 'per-request' ? this.#openingMeta(logLevel) : undefined;
    // To add a member to what was spread costs ten times what it costs to spread after it: mostly nothing is said already.
    if (!('_meta' in params)) return { _meta: { progressToken: id, ...opening }, ...params };
    return { ...params, _meta: { ...(params._meta as JsonObject | undefined), ...opening, progressToken: id } };
  }

  /** What each request says of its sender: the same until the level changes. */
  #openingMeta(logLevel: LoggingLevel | undefined): JsonObject {
    const { dialect } = this;
    if (this.#meta?.dialect !== dialect || this.#meta.logLevel !== logLevel) {
      this.#meta = { dialect, logLevel, words: openingMeta({ ...this.#facts, logLevel }, dialect) };
    }
    return this.#meta.words;
  }

  #learn(answer: JsonObject): void {
    const info = (answer._meta as JsonObject | undefined)?.[SERVER_INFO] as Implementation | undefined;
    if (info && this.server.info === undefined) this.server = { ...this.server, info };
  }
}
