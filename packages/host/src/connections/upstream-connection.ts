import { type Clock, type JsonObject, type MaybePromise, METHOD_NOT_FOUND, rpcError, TenonError } from '@tenon/base';
import type { Client, ClientOptions, ConnectionState, Root } from 'tenon';
import { isSignInRequired, type ServerRequestInfo } from 'tenon/host-internals';
import { ActiveCalls, RequestedLogLevel, type UpstreamCall } from 'tenon/proxy';
import { declareCapabilities } from './client-capabilities.js';
import { ConnectionBackoff } from './connection-backoff.js';
import {
  createBackoffError,
  createClosedConnectionError,
  createFloodError,
  createLostError,
  createSignInWaitError,
  createStartTimeoutError,
} from './connection-errors.js';
import { ConnectionHealth, isUnreachable } from './connection-health.js';
import type { ConnectionOptions } from './connection-options.js';
import { type ConnectionScope, hasNoInput } from './connection-scope.js';
import { ListCache } from './list-cache.js';
import { MessageRateLimit } from './message-rate-limit.js';
import { OpenAttempts } from './open-attempts.js';
import { toPeerError } from './peer-error.js';
import type { SharedSessionHandle } from './shared-sessions.js';

/**
 * Minimum duration of a stable connection without a response, in milliseconds. After repeated shorter ones, the host
 * delays the next attempt.
 */
const MIN_STABLE_TIME = 5000;
/** Maximum delay after a failure for which a call waits, in milliseconds. */
const MAX_AWAITED_DELAY = 2000;
/** Timeout of a request that verifies a connection, in milliseconds. */
const VERIFY_TIMEOUT = 10_000;
/** Interval of these requests while a server is unreachable, in milliseconds. */
const VERIFY_INTERVAL = 10_000;
/** Maximum number of reported errors per second and server. */
const MAX_ERRORS = 20;

/** Connection to one server for one scope. It opens a client on demand, and again after the client was lost. */
export class UpstreamConnection {
  readonly server: string;
  readonly scope: ConnectionScope;
  readonly calls: ActiveCalls;
  readonly lists: ListCache;
  /** Source of the time of the connection. */
  readonly clock: Clock;
  readonly trusted: boolean;
  /** Roots that are configured for this server, if any. */
  readonly roots: readonly Root[] | undefined;
  /** Session at the server that other processes use too, if there is one. */
  readonly sharedSession: SharedSessionHandle | undefined;
  readonly #connectionOptions: ConnectionOptions;
  readonly #backoff: ConnectionBackoff;
  readonly logLevel = new RequestedLogLevel(
    async level => (await this.getClient()).setLogLevel(level),
    error => this.reportError(TenonError.from(error)),
  );
  readonly #logLimit: MessageRateLimit;
  readonly #errorLimit: MessageRateLimit;
  readonly #openings: OpenAttempts;
  #client: Client | undefined;
  #opening: Promise<Client> | undefined;
  #lastError: TenonError | undefined;
  #closed: Promise<void> | undefined;
  /** True while a person at the host has to sign in before the connection opens. */
  #isSigningIn = false;
  /** True if callers have got an error because of that. */
  #hasRefusedCallers = false;
  #holds = 0;
  #reservedCalls = 0;
  #connectedAt = 0;
  #briefConnections = 0;
  /** True if the server has answered a call on the current connection. Lists do not count. */
  #hasAnsweredCall = false;
  readonly #health: ConnectionHealth;
  #cancelVerification: (() => void) | undefined;
  /** Server information from before the process was stopped. */
  #stoppedServer: Client['server'] | undefined;
  #stopping: Promise<void> | undefined;
  readonly #elicitationListeners = new Set<(id: string) => void>();

  constructor(connectionOptions: ConnectionOptions, scope: ConnectionScope) {
    this.#connectionOptions = connectionOptions;
    this.server = connectionOptions.server;
    this.clock = connectionOptions.clock;
    this.trusted = connectionOptions.trusted;
    this.roots = connectionOptions.roots;
    this.sharedSession = connectionOptions.sharedSession;
    this.scope = scope;
    this.calls = new ActiveCalls(scope.session, connectionOptions.server, connectionOptions.hostRoots);
    this.sharedSession?.takeInputRequests(this.calls);
    this.#backoff = new ConnectionBackoff(connectionOptions.clock);
    this.#health = new ConnectionHealth(connectionOptions.clock, () => connectionOptions.onStateChange?.());
    const reportFlood = (what: string) => connectionOptions.onError(createFloodError(this.server, what));
    this.#logLimit = new MessageRateLimit(connectionOptions.clock, () => reportFlood('log messages'));
    this.#errorLimit = new MessageRateLimit(connectionOptions.clock, () => reportFlood('errors'), MAX_ERRORS);
    this.#openings = new OpenAttempts(connectionOptions, () =>
      createStartTimeoutError(this.server, this.#connectionOptions.startTimeout),
    );
    this.lists = new ListCache(
      connectionOptions.server,
      async isForCall => {
        const client = await this.#findClient(isForCall);
        return client;
      },
      connectionOptions.clock,
      error => this.reportError(error),
      error => (error === undefined ? this.#health.recordResponse() : this.#health.recordFailure(error)),
      connectionOptions.sharedEntries,
    );
  }

  /** State of the connection. An open connection whose last request has failed is `failed` or `waiting`. */
  get state(): ConnectionState | 'idle' | 'waiting' {
    if (this.#opening && this.#isSigningIn) return 'waiting';
    const state = this.#client?.state;
    if (state !== undefined && (state !== 'connected' || this.#health.error === undefined)) return state;
    if (this.#opening) return 'connecting';
    if (this.lastError === undefined) return 'idle';
    return isSignInRequired(this.lastError) ? 'waiting' : 'failed';
  }

  /** Result of the last request. */
  get health(): Pick<ConnectionHealth, 'error' | 'sequence'> {
    return this.#health;
  }

  /** Timeouts in milliseconds, and their clock. */
  get times(): Pick<ConnectionOptions, 'clock' | 'totalTimeout' | 'retryTimeout'> {
    return this.#connectionOptions;
  }

  /** Error of the last connection attempt or request, if it failed. */
  get lastError(): TenonError | undefined {
    if (this.#opening && this.#isSigningIn) return createSignInWaitError(this.server);
    return this.#health.error ?? this.#lastError;
  }

  /** Open client, if there is one. */
  get openClient(): Client | undefined {
    return this.#client;
  }

  /**
   * Current server information and capabilities, or the last ones of a process that was stopped because it was idle.
   */
  get serverInfo(): Client['server'] | undefined {
    return this.#client?.server ?? this.#stoppedServer;
  }

  /**
   * True if a call, a subscription, a list request or a start uses the connection. Calls that wait for input from a
   * client that has disappeared do not count.
   */
  get isBusy(): boolean {
    const hasCalls = this.hasCalls && this.scope.session?.isUnattended !== true;
    return this.#holds > 0 || hasCalls || this.#opening !== undefined || this.lists.isReading;
  }

  /** True once nothing more is sent on the connection. */
  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** True while a call runs, or is about to be sent. */
  get hasCalls(): boolean {
    return this.calls.size > 0 || this.#reservedCalls > 0;
  }

  /** Announces a call that is authorized before it is sent. Returns a function that ends this. */
  reserveCall(): () => void {
    this.#reservedCalls += 1;
    return () => {
      this.#reservedCalls -= 1;
    };
  }

  /** True while the next attempt is delayed because connections end soon after their setup. */
  get isUnstable(): boolean {
    return this.#briefConnections > 1 && this.#backoff.remaining > 0;
  }

  /** Keeps the connection open. Returns a function that releases it. */
  keepOpen(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (held) this.#holds -= 1;
      held = false;
    };
  }

  onElicitationComplete(listener: (elicitationId: string) => void): void {
    this.#elicitationListeners.add(listener);
  }

  /** Returns the open client, or opens one that all callers share. Rejects at once during the delay after a failure. */
  async getClient(): Promise<Client> {
    return this.#findClient();
  }

  /** Returns the client. A call waits during a short delay after a failure. */
  #findClient(isForCall = false): MaybePromise<Client> {
    if (this.#closed) throw createClosedConnectionError(this.server);
    const state = this.#client?.state;
    const remaining = state === 'connected' ? 0 : this.#backoff.remaining;
    if (isForCall && remaining > 0 && remaining <= MAX_AWAITED_DELAY)
      return new Promise<void>(resolve => void this.clock.after(remaining, resolve)).then(() => this.#findClient(true));
    if (remaining > 0) throw createBackoffError(this.#lastError, remaining);
    if (this.#client && state !== 'failed') {
      this.#connectionOptions.processes?.markUsed(this);
      return this.#client;
    }
    if (this.#opening === undefined) {
      this.#opening = this.#open().finally(() => {
        this.#opening = undefined;
        this.#connectionOptions.onStateChange?.();
      });
      this.#connectionOptions.onStateChange?.();
    }
    return this.#limitSignIn(this.#opening);
  }

  /** Waits for a sign-in as long as for a start. The page stays open for longer, but the caller can only try again. */
  #limitSignIn(opening: Promise<Client>): Promise<Client> {
    const { clock, startTimeout } = this.#connectionOptions;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(startTimeout, () => {
        if (!this.#isSigningIn) return;
        this.#hasRefusedCallers = true;
        reject(createSignInWaitError(this.server));
      });
      opening.then(
        client => {
          cancel();
          resolve(client);
        },
        error => {
          cancel();
          reject(error);
        },
      );
    });
  }

  #markSigningIn(isSigningIn: boolean): void {
    this.#isSigningIn = isSigningIn;
    this.#connectionOptions.onStateChange?.();
  }

  /** Runs `work` with the client, on behalf of a call. */
  async run<T>(call: UpstreamCall, work: (client: Client) => MaybePromise<T>): Promise<T> {
    const client = await this.#findClient(true);
    return this.calls.run(call, () => this.#observeResponse(work(client), true));
  }

  /** Notices that the server responds, also with an error. */
  async #observeResponse<T>(answering: MaybePromise<T>, isCall: boolean): Promise<T> {
    try {
      const result = await answering;
      this.#hasAnsweredCall ||= isCall;
      this.#health.recordResponse();
      return result;
    } catch (error) {
      this.#hasAnsweredCall ||= isCall && TenonError.is(error) && error.code === 'peer/error';
      this.#health.recordFailure(error);
      throw error;
    }
  }

  /**
   * Sends a request without effects, to learn if the server responds and accepts the credentials.
   *
   * @param method `ping`, or the list that also a server with a public ping protects.
   */
  async verify(method: 'ping' | 'tools/list'): Promise<void> {
    const client = await this.#findClient();
    const options = { totalTimeout: VERIFY_TIMEOUT };
    const listsTools = method === 'tools/list' && client.server.capabilities.tools !== undefined;
    await this.#observeResponse<unknown>(listsTools ? client.call(method, {}, options) : client.ping(options), false);
  }

  /** Verifies an open connection to a server at a URL, unless a request has done so within `maxAge` milliseconds. */
  async verifyWithin(maxAge: number): Promise<void> {
    if (this.#connectionOptions.isRemote && this.#health.age >= maxAge) await this.verify('ping');
  }

  /**
   * Notices that a request in the background, such as a stream of changes, has not reached the server. Asks the server until
   * it responds, because nobody may call it meanwhile.
   */
  #recordUnreachable(error: TenonError): void {
    this.#health.recordFailure(error);
    this.#cancelVerification ??= this.clock.after(VERIFY_INTERVAL, () => {
      this.#cancelVerification = undefined;
      if (this.#client === undefined || this.#health.error === undefined) return;
      this.verify('ping').catch(error => {
        if (TenonError.is(error) && isUnreachable(error)) this.#recordUnreachable(error);
      });
    });
  }

  /** Ends the delay after failed attempts, because the operator wants to connect now. */
  endDelay(): void {
    this.#backoff.reset();
  }

  /** Stops the process of an idle server. It starts again on demand. Until then its cached lists stay valid. */
  stop(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.isBusy) return Promise.resolve();
    this.#client = undefined;
    this.#stoppedServer = client.server;
    this.lists.pause();
    this.#openings.end();
    this.#connectionOptions.processes?.release(this);
    this.#stopping = this.#openings.waitForClosed(client.close());
    this.#connectionOptions.onStateChange?.();
    return this.#stopping;
  }

  /** Tells if an error only says that the host has closed this connection, which is no fault of the server. */
  isClosedByHost(error: TenonError): boolean {
    return this.isClosed && error.code === 'connection/closed';
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#cancelVerification?.();
    this.lists.close();
    this.#connectionOptions.processes?.release(this);
    this.#openings.close(createClosedConnectionError(this.server));
    const client = this.#client;
    this.#client = undefined;
    const opening = this.#opening?.then(
      opened => opened.close(),
      () => {},
    );
    await this.#openings.waitForClosed(client?.close(), opening, this.#stopping);
    this.sharedSession?.close();
  }

  async #open(): Promise<Client> {
    const before = this.#client;
    this.#client = undefined;
    await Promise.all([before?.close(), this.#stopping]);
    await this.#connectionOptions.processes?.acquire(this);
    try {
      if (this.#closed) throw createClosedConnectionError(this.server);
      const signal = this.#openings.begin();
      const level = this.logLevel.value;
      const client = await this.#openings.waitForOpen(
        signal,
        this.#connectionOptions.connect(this.#createClientOptions(signal), isSigningIn =>
          this.#markSigningIn(isSigningIn),
        ),
      );
      // A call may have set the level while the connection was opened.
      if (this.logLevel.value !== undefined && this.logLevel.value !== level)
        await client.setLogLevel(this.logLevel.value).catch((error: TenonError) => this.reportError(error));
      this.#observeClient(client);
      this.#backoff.reset();
      this.#lastError = undefined;
      this.#health.recordResponse();
      this.#connectedAt = this.clock.elapsed();
      this.#client = client;
      if (this.#hasRefusedCallers) this.lists.announceAll();
      this.#hasRefusedCallers = false;
      return client;
    } catch (error) {
      this.#connectionOptions.processes?.release(this);
      this.#lastError = TenonError.from(error, 'host/connect');
      this.#health.recordFailure(this.#lastError);
      if (isSignInRequired(this.#lastError)) throw this.#lastError;
      this.#backoff.recordFailure();
      // Callers learn only that the server is unavailable.
      if (!this.#closed) this.reportError(this.#lastError);
      throw this.#lastError;
    }
  }

  #observeClient(client: Client): void {
    client.on('log', ({ level, data, logger }) => {
      if (this.#logLimit.tryConsume()) this.calls.log(level, data, logger);
    });
    client.on('elicitationComplete', ({ elicitationId }) => {
      for (const listener of this.#elicitationListeners) listener(elicitationId);
    });
    client.on('error', error => {
      if (this.isClosedByHost(error)) return;
      this.reportError(error);
      if (isUnreachable(error)) this.#recordUnreachable(error);
    });
    client.on('state', state => {
      if (state === 'reconnecting') this.#handleLost();
      if (state === 'connected') this.#connectedAt = this.clock.elapsed();
      if (state === 'connected' || state === 'failed') this.#openings.end();
      if (state === 'failed') {
        this.#connectionOptions.processes?.release(this);
        this.#lastError = createLostError(this.server, 'is unreachable');
        this.#backoff.recordFailure();
      }
      this.#connectionOptions.onStateChange?.();
    });
    this.lists.observeClient(client);
  }

  /**
   * Handles a lost connection. The next call opens another one, unless the last connections were too short. Some servers
   * end after each call, so a connection with a call that was answered is not too short.
   */
  #handleLost(): void {
    // Another process or session may have other entries.
    this.lists.expire();
    const isBrief = this.clock.elapsed() - this.#connectedAt < MIN_STABLE_TIME;
    this.#briefConnections = isBrief && !this.#hasAnsweredCall ? this.#briefConnections + 1 : 0;
    this.#hasAnsweredCall = false;
    if (this.#briefConnections === 0) this.#backoff.reset();
    if (this.#briefConnections <= 1) return;
    this.#lastError = createLostError(this.server, 'repeatedly disconnects soon after the connection setup');
    this.#backoff.recordFailure();
  }

  /**
   * Creates the options of the client.
   * @param opening Signal of the first attempt. Later attempts create their own.
   */
  #createClientOptions(opening: AbortSignal): ClientOptions {
    const { input, tasks, preferredVersion, extensions = {} } = this.scope;
    const { idleTimeout, totalTimeout, startTimeout, identity, clock, telemetry, sharedSession } =
      this.#connectionOptions;
    return {
      ...identity,
      ...(preferredVersion === undefined ? {} : { preferredVersion }),
      clock,
      telemetry,
      sharedSession: sharedSession?.sharing,
      tasks,
      extensions: Object.entries(extensions).map(([id, settings]) => ({ id, settings })),
      validate: 'off',
      cacheSize: 0,
      openTimeout: startTimeout,
      getOpenSignal: hasProgress => {
        if (this.#client) return this.#openings.begin(hasProgress);
        this.#openings.observeProgress(() => this.#isSigningIn || hasProgress());
        return opening;
      },
      ...(idleTimeout === undefined ? {} : { idleTimeout }),
      ...(totalTimeout === undefined ? {} : { totalTimeout }),
      ...(this.logLevel.value === undefined ? {} : { logLevel: this.logLevel.value }),
      forwarder: {
        capabilities: declareCapabilities(input, this.#connectionOptions),
        forward: (...request) => this.#ask(...request),
      },
    };
  }

  /** Handles an input request of the server. The host itself handles some of them. */
  async #ask(method: string, params: JsonObject, serverInfo: ServerRequestInfo): Promise<JsonObject> {
    const { signal } = serverInfo;
    const inputRequests = this.#connectionOptions.createInputRequestHandler(this);
    if (inputRequests.isHandledByHost(method)) return inputRequests.handle(method, params, signal);
    if (hasNoInput(this.scope)) throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    try {
      // A server may request roots outside of a call. Another input request may belong to a call of another process.
      const mayForward = !this.calls.canAsk && method !== 'roots/list';
      const forwarded = mayForward && (await this.sharedSession?.forwardInputRequest(method, params, signal));
      return forwarded || (await this.calls.ask(method, params, serverInfo));
    } catch (error) {
      throw toPeerError(error, params);
    }
  }

  /** Reports an error of the connection to the host, unless there are too many of them. */
  reportError(error: TenonError): void {
    if (this.#errorLimit.tryConsume()) this.#connectionOptions.onError(error);
  }
}
