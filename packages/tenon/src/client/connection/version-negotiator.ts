import { isAuthError, isSessionLoss, type JsonObject, rejectOnAbort, TenonError } from '@tenon/base';
import type { JsonRpcResponse } from '../../jsonrpc/message.js';
import type { Transport } from '../../jsonrpc/transport.js';
import { SERVER_INFO } from '../../protocol/meta.js';
import { methods, toResult } from '../../protocol/methods.js';
import { interpretProbe } from '../../protocol/negotiation/probe.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { getDialect, getNewestDialect } from '../../protocol/versions/index.js';
import type { PausableClock } from '../calls/call-deadline.js';
import { createClientInfo } from '../client-info.js';
import type { ClientOptions } from '../options.js';
import { createCapabilities } from '../server-requests/request-handlers.js';
import { addAssumedCapabilities } from './assumed-capabilities.js';
import { Connection, type ConnectionEvents } from './connection.js';
import { openEndpoint, type ServerDetails, type ServerEndpoint } from './endpoint.js';
import { OpeningNoise } from './opening-noise.js';
import {
  createLateProbe,
  findLateDialect,
  type HandshakeSteps,
  type LateDiscovery,
  probeServer,
  shakeHands,
} from './probe-server.js';
import { selectAgreedDialect, selectDialects } from './select-dialects.js';
import { processVersionCache } from './version-cache.js';
import {
  chooseAlternative,
  createFailedProbeError,
  createUnsupportedVersionsError,
  isDiscoverRefusal,
  isVersionError,
  mayRefuseVersion,
  showsChangedServer,
} from './version-refusal.js';

const PROBE_TIMEOUT = 2000;
/** Time after which a response to `initialize` shows that the server was still starting, in milliseconds. */
const SLOW_START = 500;

/**
 * Opens transports to one server until a protocol version is negotiated.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export async function negotiateConnection(
  endpoint: ServerEndpoint,
  options: ClientOptions,
  events: ConnectionEvents,
  clock: PausableClock,
): Promise<Connection> {
  const wanted = selectDialects(options);
  const negotiator = new VersionNegotiator(endpoint, options, events, clock, wanted);
  const { key } = endpoint;
  const preferred = wanted.find(({ protocolVersion }) => protocolVersion === options.preferredVersion);
  if (options.protocolVersion !== undefined || key === undefined) return negotiator.open(preferred);
  const versionCache = options.versionCache ?? processVersionCache;
  if (preferred?.opening === 'handshake') {
    const openStateless = (protocolVersion: string) =>
      negotiateConnection(
        endpoint,
        {
          ...options,
          protocolVersion,
          preferredVersion: undefined,
          probeTimeout: options.probeTimeout ?? PROBE_TIMEOUT,
        },
        events,
        clock,
      );
    // Only hosts prefer a version.
    const { preferSession } = await import('./prefer-session.js');
    return preferSession(key, versionCache, () => negotiator.open(preferred), openStateless, isVersionError);
  }
  const cached = getDialect((await versionCache.get(key)) ?? '');
  negotiator.onLateDiscovery = version => void versionCache.set(key, version);
  negotiator.isKnownStateless = cached?.opening === 'per-request';
  const connection = await negotiator.open(cached ?? preferred).catch(async (error: unknown) => {
    if (cached?.opening === 'handshake' && showsChangedServer(error)) await versionCache.delete(key);
    throw error;
  });
  if (!negotiator.hasProbeFailed) await versionCache.set(key, connection.dialect.protocolVersion);
  return connection;
}

class VersionNegotiator {
  readonly #endpoint: ServerEndpoint;
  readonly #options: ClientOptions;
  readonly #events: ConnectionEvents;
  readonly #wanted: readonly Dialect[];
  readonly #clock: PausableClock;
  readonly #noise = new OpeningNoise();
  #signal: AbortSignal | undefined;
  /** Transport that was opened last. */
  #transport: Transport | undefined;
  /** True if the server lost the session during `initialize`, which is retried once. */
  #hasLostSession = false;
  /** True if the server failed or was still starting during the probe, which then does not show its versions. */
  hasProbeFailed = false;
  #hasProbeTimedOut = false;
  /** True if the process has written anything. */
  #hasOutput = false;
  /** Response to a probe that has timed out. `undefined`: it names no stateless version. */
  readonly #lateProbe = createLateProbe();
  /** True while a version is tried that the server accepted before, or that the options prefer. */
  #isRemembered = false;
  /** True if the server was stateless before, so that it only needs time to start. */
  isKnownStateless = false;
  /** Called with the protocol version of a server that answered the probe after the handshake had begun. */
  onLateDiscovery: (protocolVersion: string) => void = () => {};

  constructor(
    endpoint: ServerEndpoint,
    options: ClientOptions,
    events: ConnectionEvents,
    clock: PausableClock,
    wanted: readonly Dialect[],
  ) {
    this.#endpoint = endpoint;
    this.#options = options;
    this.#events = this.#noise.observe(events);
    this.#wanted = wanted;
    this.#clock = clock;
  }

  /** Opens a connection with the cached dialect, if there is one. Negotiates again when the server refuses it. */
  async open(cached: Dialect | undefined): Promise<Connection> {
    const first = cached ?? this.#wanted[0];
    this.#signal ??= this.#options.getOpenSignal?.(() => this.#transport?.takeProgress?.() ?? false);
    const connection = await this.#createConnection(this.#endpoint);
    try {
      this.#isRemembered = cached?.opening === 'handshake';
      if (first?.opening === 'handshake') return await this.#openByHandshake(connection, first, true);
      return await this.#probe(connection);
    } catch (error) {
      await connection.close();
      if (this.#signal?.aborted) throw TenonError.from(this.#signal.reason);
      if (isSessionLoss(error) && !this.#hasLostSession) {
        this.#hasLostSession = true;
        return this.open(cached);
      }
      const isRefused = TenonError.is(error) && (error.rpcCode ?? error.status) !== undefined;
      if (this.#isRemembered && isRefused && showsChangedServer(error)) return this.open(undefined);
      throw this.#noise.addTo(error);
    }
  }

  async #createConnection(endpoint: ServerEndpoint): Promise<Connection> {
    const transport = await this.#openTransport(endpoint);
    const connection = new Connection(endpoint, transport, this.#options, this.#events, this.#clock);
    this.#hasOutput = false;
    void transport.firstOutput?.then(() => {
      this.#hasOutput = true;
    });
    return this.#closeOnFailure(connection, async () => {
      this.#events.onCreated(connection);
      await connection.open();
      return connection;
    });
  }

  async #openTransport(endpoint: ServerEndpoint): Promise<Transport> {
    let transport = await openEndpoint(endpoint);
    this.#transport = transport;
    const { onMessage, wrapTransport } = this.#options;
    if (onMessage) {
      // Loaded on first use, because few clients need it.
      const { observeTransport } = await import('../../jsonrpc/observe-transport.js');
      transport = observeTransport(transport, onMessage);
    }
    return wrapTransport?.(transport) ?? transport;
  }

  async #probe(connection: Connection): Promise<Connection> {
    connection.useDialect(this.#getPerRequestDialect());
    const answer = await this.#discover(connection);
    const outcome = interpretProbe(answer, this.#wanted);
    if (outcome.opening === 'per-request') return this.#acceptDiscovery(connection, outcome.dialect, answer);
    if (outcome.opening === 'handshake') return this.#openAfterProbe(connection, outcome.dialect, answer);
    throw this.#createProbeError(connection, answer);
  }

  /** Opens the connection by a handshake. A server that ended during the probe is opened again before. */
  async #openAfterProbe(
    connection: Connection,
    dialect: Dialect,
    answer: JsonObject | TenonError,
  ): Promise<Connection> {
    if (!connection.ended) return this.#openByHandshake(connection, dialect, false);
    const other = await this.#reopen(answer);
    return this.#closeOnFailure(other, () => this.#openByHandshake(other, dialect, true));
  }

  #getPerRequestDialect(): Dialect {
    return this.#wanted.find(({ opening }) => opening === 'per-request') ?? getNewestDialect('per-request');
  }

  async #discover(connection: Connection): Promise<JsonObject | TenonError> {
    try {
      const hasHandshake = this.#wanted.some(({ opening }) => opening === 'handshake');
      // If there is no alternative to try, the server gets the time of a normal call.
      const timeout = this.#options.probeTimeout ?? (hasHandshake ? PROBE_TIMEOUT : undefined);
      const { isKnownStateless } = this;
      const onLateResponse = (response: JsonRpcResponse) => this.#learnLateVersion(response);
      return await probeServer(connection, { timeout, isKnownStateless, signal: this.#signal, onLateResponse });
    } catch (error) {
      const failure = TenonError.from(error);
      this.hasProbeFailed = !isAuthError(failure) && (failure.status ?? 0) >= 500;
      this.#hasProbeTimedOut = failure.code === 'call/timeout';
      return failure;
    }
  }

  /** Remembers that a server is stateless. A connection that is still being opened uses its version. */
  #learnLateVersion(response: JsonRpcResponse): void {
    const dialect = findLateDialect(response, this.#wanted);
    if (dialect && 'result' in response) {
      this.hasProbeFailed = true;
      this.onLateDiscovery(dialect.protocolVersion);
      this.#lateProbe.resolve({ dialect, result: response.result });
    } else this.#lateProbe.resolve(undefined);
  }

  /** Resolves with the response to the probe if it arrives before that to `initialize`, and names a stateless version. */
  #race(answering: Promise<unknown>): Promise<LateDiscovery | undefined> {
    const ended = answering.then(
      () => undefined,
      () => undefined,
    );
    const found = this.#lateProbe.response.then(discovery => discovery ?? ended);
    return Promise.race([found, ended]);
  }

  /**
   * Waits for the response to the probe of a process that was still starting when `initialize` was sent. Its time counts
   * from now, because now the process reads messages.
   */
  #waitForLateProbe(): Promise<LateDiscovery | undefined> {
    return new Promise(resolve => {
      const cancel = this.#clock.after(this.#options.probeTimeout ?? PROBE_TIMEOUT, () => resolve(undefined));
      void this.#lateProbe.response.then(discovery => {
        cancel();
        resolve(discovery);
      });
    });
  }

  #createProbeError(connection: Connection, answer: JsonObject | TenonError): TenonError {
    if (TenonError.is(answer))
      return isDiscoverRefusal(answer)
        ? createUnsupportedVersionsError(connection.peer, answer, this.#wanted)
        : createFailedProbeError(answer);
    return new TenonError('connect/no-known-version', 'cannot determine the protocol version of the server', {
      peer: connection.peer,
      hint: 'set `protocolVersion` to a version of the server',
    });
  }

  async #acceptDiscovery(
    connection: Connection,
    dialect: Dialect,
    answer: JsonObject | TenonError,
  ): Promise<Connection> {
    connection.useDialect(dialect);
    const discovered = TenonError.is(answer)
      ? await connection.call('server/discover', {}, { signal: this.#signal })
      : answer;
    const issue = methods['server/discover'].result(discovered);
    if (issue) throw this.#createMalformedError(connection, 'server/discover', issue);
    const { capabilities, instructions, _meta } = toResult('server/discover', discovered);
    const info = (_meta?.[SERVER_INFO] as never) ?? connection.server.info;
    this.#complete(connection, { info, capabilities, instructions });
    return connection;
  }

  #createMalformedError({ channel: { peer } }: Connection, method: string, issue: string): TenonError {
    return new TenonError('peer/invalid-result', `the response is malformed: ${issue}`, { peer, method });
  }

  /** Ends the negotiation with the details of the server. */
  #complete(connection: Connection, { capabilities, ...details }: ServerDetails): void {
    const { assumeCapabilities } = this.#options;
    connection.server = { ...details, capabilities: addAssumedCapabilities(capabilities, assumeCapabilities) };
    connection.completeOpening();
  }

  async #openByHandshake(connection: Connection, dialect: Dialect, isFresh: boolean): Promise<Connection> {
    const fallback = this.#endpoint.fallback?.();
    const steps: HandshakeSteps = {
      wanted: this.#wanted,
      triesEarlier: !this.#isRemembered,
      isAboutTransport: ({ rpcCode, status = 0 }) =>
        fallback !== undefined && rpcCode === undefined && dialect.http.isFallbackStatus(status),
      initialize: (current, version) => this.#initialize(current, version),
      acceptPerRequest: (current, version, refusal) => this.#acceptDiscovery(current, version, refusal),
      reopen: cause => this.#reopen(cause),
    };
    let failure: TenonError;
    try {
      return await shakeHands(connection, dialect, isFresh, steps);
    } catch (error) {
      if (!fallback || !TenonError.is(error) || isSessionLoss(error) || isAuthError(error)) throw error;
      if (error.status === undefined || !dialect.http.isFallbackStatus(error.status)) throw error;
      failure = error;
    }
    await connection.close();
    let other: Connection;
    try {
      other = await this.#openWithDialect(fallback, dialect);
    } catch (otherError) {
      // If the other transport does not exist either, the error of the first one names the cause.
      const isMissing = TenonError.is(otherError) && dialect.http.isFallbackStatus(otherError.status ?? 0);
      if (failure.rpcCode !== undefined) throw failure;
      const earlier = this.#isRemembered ? undefined : chooseAlternative(failure, [dialect], this.#wanted);
      const reason = isMissing ? failure : otherError;
      if (earlier === undefined || !mayRefuseVersion(failure)) throw reason;
      const last = await this.#createConnection(this.#endpoint);
      return this.#closeOnFailure(last, () =>
        shakeHands(last, earlier, true, { ...steps, isAboutTransport: () => false }),
      ).catch(() => Promise.reject(reason));
    }
    return this.#closeOnFailure(other, () => this.#initialize(other, dialect));
  }

  /** Opens another transport. Rejects with `cause` if the transport can be opened only once. */
  async #reopen(cause: unknown): Promise<Connection> {
    return this.#createConnection(this.#endpoint).catch((error: unknown) => {
      throw TenonError.is(error) && error.code === 'connection/used' ? cause : error;
    });
  }

  async #closeOnFailure(connection: Connection, open: () => Promise<Connection>): Promise<Connection> {
    try {
      return await open();
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async #openWithDialect(endpoint: ServerEndpoint, dialect: Dialect): Promise<Connection> {
    const connection = await this.#createConnection(endpoint);
    connection.useDialect(dialect);
    return connection;
  }

  async #initialize(connection: Connection, dialect: Dialect): Promise<Connection> {
    const capabilities = createCapabilities(this.#options) as JsonObject;
    const params = {
      protocolVersion: dialect.protocolVersion,
      // On versions with sessions, the client notifies about changes of its roots.
      capabilities: capabilities.roots ? { ...capabilities, roots: { listChanged: true } } : capabilities,
      clientInfo: { ...createClientInfo(this.#options) },
    };
    const sentAt = this.#clock.elapsed();
    const wasSilent = !this.#hasOutput;
    // The timeouts of calls are not those of a start, which the signal ends.
    const timeouts = this.#signal
      ? { idleTimeout: Number.POSITIVE_INFINITY, totalTimeout: Number.POSITIVE_INFINITY }
      : { totalTimeout: this.#options.totalTimeout };
    const answering = connection.call('initialize', params, { ...timeouts, signal: this.#signal });
    const early = this.#hasProbeTimedOut ? await this.#race(answering) : undefined;
    if (early) return this.#acceptDiscovery(connection, early.dialect, early.result);
    const answer = await answering;
    const isSlow = this.#clock.elapsed() - sentAt > SLOW_START || (wasSilent && this.#hasOutput);
    if (this.#hasProbeTimedOut && isSlow) {
      this.hasProbeFailed = true;
      const late = connection.channel.firstOutput && (await this.#waitForLateProbe());
      if (late) return this.#acceptDiscovery(connection, late.dialect, late.result);
    }
    const issue = methods.initialize.result(answer);
    if (issue) throw this.#createMalformedError(connection, 'initialize', issue);
    const agreed = selectAgreedDialect(
      connection.channel.peer,
      answer.protocolVersion as string,
      dialect,
      this.#wanted,
    );
    const decoded = agreed.transforms.decode.result?.('initialize')?.(answer, {}) ?? answer;
    const result = toResult('initialize', decoded);
    connection.useDialect(agreed);
    const { serverInfo: info, instructions } = result;
    this.#complete(connection, { info, capabilities: result.capabilities, instructions });
    await rejectOnAbort(connection.notify('notifications/initialized'), this.#signal);
    if (connection.sessionError) throw connection.sessionError;
    connection.listen();
    return connection;
  }
}
