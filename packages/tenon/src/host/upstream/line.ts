import { isSignInRequired } from '../../auth/sign-in-required.js';
import type { Client } from '../../client/client.js';
import type { Asked, ClientOptions, State } from '../../client/options.js';
import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { LOGGING_LEVELS, type LoggingLevel, type Root } from '../../model/content.js';
import { type Audience, asksNothing } from '../audience.js';
import { CallsInFlight, type InFlight } from './asked.js';
import { Backoff } from './backoff.js';
import { Flood } from './flood.js';
import type { LineFacts } from './line-facts.js';
import { Lists } from './lists.js';
import { Openings } from './opening.js';
import { declareCapabilities } from './questions.js';
import { toRefusal } from './refusal.js';
import { shown } from './shown.js';

/** A server that is lost sooner after it was reached, in milliseconds, and again, is left alone like one that does not start. */
const SETTLED = 5000;
/** How many problems of one server are told of within a second. */
const MOST_PROBLEMS = 20;

/** One client of one server, for one audience: opened when it is needed, and again when it was lost. */
export class Line {
  readonly server: string;
  readonly audience: Audience;
  readonly calls: CallsInFlight;
  readonly lists: Lists;
  readonly #facts: LineFacts;
  readonly #backoff: Backoff;
  readonly #flood: Flood;
  readonly #problems: Flood;
  readonly #openings: Openings;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #why: TenonError | undefined;
  #level: LoggingLevel | undefined;
  #closed = false;
  #held = 0;
  #since = 0;
  #brief = 0;
  /** The server as it was when its process was stopped. */
  #stopped: Client['server'] | undefined;
  #stopping: Promise<void> | undefined;
  readonly #elicited = new Set<(id: string) => void>();

  constructor(facts: LineFacts, audience: Audience) {
    this.#facts = facts;
    this.server = facts.server;
    this.audience = audience;
    this.calls = new CallsInFlight(audience.session);
    this.#backoff = new Backoff(facts.clock);
    this.#flood = new Flood(facts.clock, () => this.#flooded('log messages'));
    this.#problems = new Flood(facts.clock, () => this.#flooded('what is wrong'), MOST_PROBLEMS);
    this.#openings = new Openings(facts.clock, facts.startTimeout, () => this.#late());
    this.lists = new Lists(
      facts.server,
      () => this.client(),
      facts.clock,
      error => this.#problem(error),
    );
  }

  get state(): State | 'resting' | 'waiting' {
    const why = this.#why && (isSignInRequired(this.#why) ? 'waiting' : 'failed');
    return this.#client?.state ?? (this.#opening ? 'connecting' : (why ?? 'resting'));
  }

  get trusted(): boolean {
    return this.#facts.trusted;
  }

  /** The roots that this server may know, where they are its own. */
  get roots(): readonly Root[] | undefined {
    return this.#facts.roots;
  }

  /** Longest times, in milliseconds, and the clock that measures them. */
  get times(): Pick<LineFacts, 'clock' | 'totalTimeout' | 'retryTimeout'> {
    return this.#facts;
  }

  /** Why it is not there, when it was tried. */
  get why(): TenonError | undefined {
    return this.#why;
  }

  /** The client that is open, if it is. */
  get open(): Client | undefined {
    return this.#client;
  }

  /** The server as it describes itself: now, or when its process was stopped because nobody used it. */
  get about(): Client['server'] | undefined {
    return this.#client?.server ?? this.#stopped;
  }

  /** Whether anybody uses it. Who waits for it to open does. */
  get busy(): boolean {
    return this.#held > 0 || this.calls.size > 0 || this.#opening !== undefined || this.lists.reading;
  }

  /** Keeps it open. Returns what lets it go. */
  hold(): () => void {
    this.#held += 1;
    let held = true;
    return () => {
      if (held) this.#held -= 1;
      held = false;
    };
  }

  onElicited(listener: (elicitationId: string) => void): void {
    this.#elicited.add(listener);
  }

  /** The open client; opened once for all who wait. Rejects at once while the server is left alone after a failure. */
  async client(): Promise<Client> {
    if (this.#closed) throw new TenonError('host/closed', `the line to "${this.server}" is closed`);
    const state = this.#client?.state;
    if (this.#backoff.left > 0 && state !== 'connected') throw this.#leftAlone();
    if (this.#client && state !== 'failed') {
      this.#facts.processes?.use(this);
      return this.#client;
    }
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Does something with the client on behalf of a call. */
  async during<T>(call: InFlight, work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.client();
    return this.calls.during(call, () => work(client));
  }

  /** The level from the start, of a line that is not open yet. */
  presetLogLevel(level: LoggingLevel): void {
    this.#level = level;
  }

  /** Has the server send log messages of this level, and of those that are worse. */
  async want(level: LoggingLevel): Promise<void> {
    if (this.#level !== undefined && LOGGING_LEVELS.indexOf(this.#level) <= LOGGING_LEVELS.indexOf(level)) return;
    await this.setLogLevel(level);
  }

  async setLogLevel(level: LoggingLevel): Promise<void> {
    this.#level = level;
    await (await this.client()).setLogLevel(level);
  }

  /** Ends the process of a server that nobody uses. It starts again when it is needed; until then its lists stay good. */
  stop(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.busy) return Promise.resolve();
    this.#client = undefined;
    this.#stopped = client.server;
    this.lists.pause();
    this.#openings.end();
    this.#facts.processes?.release(this);
    this.#stopping = this.#openings.gone(client.close());
    return this.#stopping;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.lists.close();
    this.#facts.processes?.release(this);
    this.#openings.close(new TenonError('host/closed', `the line to "${this.server}" was closed while it opened`));
    const client = this.#client;
    this.#client = undefined;
    await Promise.all([this.#openings.gone(client?.close()), this.#stopping]);
  }

  async #open(): Promise<Client> {
    const before = this.#client;
    this.#client = undefined;
    await Promise.all([before?.close(), this.#stopping]);
    await this.#facts.processes?.acquire(this);
    try {
      const signal = this.#openings.begin();
      const level = this.#level;
      const client = await this.#openings.inTime(signal, this.#facts.connect(this.#options(signal)));
      // It may have been set while the line was opened.
      if (this.#level !== undefined && this.#level !== level) await client.setLogLevel(this.#level);
      this.#listenTo(client);
      this.#backoff.succeeded();
      this.#why = undefined;
      this.#since = this.#facts.clock.now();
      this.#client = client;
      return client;
    } catch (error) {
      this.#facts.processes?.release(this);
      this.#why = TenonError.from(error, 'host/connect');
      if (isSignInRequired(this.#why)) throw this.#why;
      this.#backoff.failed();
      // Callers are told that it is not there, and no more than that.
      if (!this.#closed) this.#problem(this.#why);
      throw this.#why;
    }
  }

  #listenTo(client: Client): void {
    client.on('log', ({ level, data, logger }) => {
      if (this.#flood.admits()) this.calls.log(level, data, logger);
    });
    client.on('elicited', ({ elicitationId }) => {
      for (const listener of this.#elicited) listener(elicitationId);
    });
    client.on('problem', error => this.#problem(error));
    client.on('state', state => {
      if (state === 'reconnecting') this.#lost();
      if (state === 'connected') this.#since = this.#facts.clock.now();
      if (state === 'connected' || state === 'failed') this.#openings.end();
      if (state === 'failed') {
        this.#facts.processes?.release(this);
        this.#why = new TenonError('host/lost', `the server "${this.server}" can not be reached any more`);
        this.#backoff.failed();
      }
    });
    this.lists.follow(client);
  }

  /** The link was lost; the next call opens another, unless that has come to nothing a moment ago. */
  #lost(): void {
    // What another process, or another session, offers may be something else.
    this.lists.forget();
    this.#brief = this.#facts.clock.now() - this.#since < SETTLED ? this.#brief + 1 : 0;
    if (this.#brief === 0) this.#backoff.succeeded();
    if (this.#brief <= 1) return;
    this.#why = new TenonError(
      'host/lost',
      `the server "${this.server}" is lost soon after it was reached, again and again`,
    );
    this.#backoff.failed();
  }

  #late(): TenonError {
    const { startTimeout } = this.#facts;
    return new TenonError('host/start-timeout', `the server "${this.server}" did not open within ${startTimeout} ms`, {
      next: 'raise its `startTimeout`, or look at what it does when it starts',
    });
  }

  /** `opening`: of the first; each that follows has one of its own. */
  #options(opening: AbortSignal): ClientOptions {
    const { asks, tasks, prefers } = this.audience;
    const { idleTimeout, totalTimeout, identity, clock } = this.#facts;
    return {
      ...identity,
      ...(prefers === undefined ? {} : { prefers }),
      clock,
      tasks,
      validate: 'off',
      cacheSize: 0,
      opening: () => (this.#client ? this.#openings.begin() : opening),
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
      ...(totalTimeout === undefined ? {} : { totalTimeout }),
      ...(this.#level === undefined ? {} : { logLevel: this.#level }),
      passesOn: { capabilities: declareCapabilities(asks, this.#facts), ask: (...asked) => this.#ask(...asked) },
    };
  }

  /** Some questions the host answers itself. */
  #ask(method: string, params: JsonObject, about: Asked): Promise<JsonObject> {
    const questions = this.#facts.questions(this);
    if (questions.isOurs(method)) return questions.answer(method, params, about.signal);
    if (asksNothing(this.audience)) return Promise.reject(rpcError(METHOD_NOT_FOUND, `Method not found: ${method}`));
    return this.calls.ask(method, params, about).catch(error => {
      throw toRefusal(error);
    });
  }

  #leftAlone(): TenonError {
    const seconds = Math.ceil(this.#backoff.left / 1000);
    const why = this.#why ? shown(this.#why) : 'it could not be opened';
    return new TenonError('host/left-alone', why, { next: `it is tried again in ${seconds} s`, cause: this.#why });
  }

  #problem(error: TenonError): void {
    if (this.#problems.admits()) this.#facts.problem(error);
  }

  #flooded(what: string): void {
    this.#facts.problem(
      new TenonError('host/flood', `there is more of ${what} from the server "${this.server}" than is passed on`),
    );
  }
}
