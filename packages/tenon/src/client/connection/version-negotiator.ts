import { isAuthError, isSessionLoss, TenonError } from '../../jsonrpc/error.js';
import type { JsonObject, JsonRpcResponse } from '../../jsonrpc/message.js';
import type { Transport } from '../../jsonrpc/transport.js';
import { SERVER_INFO } from '../../protocol/meta.js';
import { methods, toResult } from '../../protocol/methods.js';
import { interpretProbe } from '../../protocol/negotiation/probe.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { dialects, getDialect, getNewestDialect } from '../../protocol/versions/index.js';
import type { PausableClock } from '../calls/call-deadline.js';
import { createClientInfo } from '../client-info.js';
import type { ClientOptions } from '../options.js';
import { createCapabilities } from '../server-requests/request-handlers.js';
import { addAssumedCapabilities } from './assumed-capabilities.js';
import { Connection } from './connection.js';
import type { ConnectionEvents, ServerDetails } from './connection-events.js';
import type { ListeningTransport, ServerEndpoint } from './endpoint.js';
import { createMalformedResultError } from './malformed-result.js';
import { OpeningNoise } from './opening-noise.js';
import { findLateVersion, probeServer } from './probe-server.js';
import { selectDialects } from './select-dialects.js';
import { processVersionCache } from './version-cache.js';
import {
  chooseAlternative,
  createNoSharedVersionError,
  createUnsupportedVersionsError,
  isDiscoverRefusal,
  isVersionRefusal,
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
  const preferred = getDialect(options.preferredVersion ?? '');
  // The cache is only used if a probe would be necessary.
  if (options.protocolVersion !== undefined || key === undefined || preferred?.opening === 'handshake')
    return negotiator.open(preferred);
  const versionCache = options.versionCache ?? processVersionCache;
  const cached = getDialect((await versionCache.get(key)) ?? '');
  negotiator.onLateDiscovery = version => void versionCache.set(key, version);
  negotiator.isKnownStateless = cached?.opening === 'per-request';
  const connection = await negotiator.open(cached ?? preferred);
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
  /** True if the server lost the session during `initialize`, which is retried once. */
  #hasLostSession = false;
  /** True if the server failed or was still starting during the probe, which then does not show its versions. */
  hasProbeFailed = false;
  #hasProbeTimedOut = false;
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
    this.#signal ??= this.#options.getOpenSignal?.();
    const connection = await this.#createConnection(this.#endpoint);
    try {
      if (first?.opening === 'handshake') return await this.#openByHandshake(connection, first);
      return await this.#probe(connection);
    } catch (error) {
      await connection.close();
      if (this.#signal?.aborted) throw TenonError.from(this.#signal.reason);
      if (isSessionLoss(error) && !this.#hasLostSession) {
        this.#hasLostSession = true;
        return this.open(cached);
      }
      if (cached && cached.opening === 'handshake' && TenonError.is(error) && error.rpcCode !== undefined)
        return this.open(undefined);
      throw this.#noise.addTo(error);
    }
  }

  async #createConnection(endpoint: ServerEndpoint): Promise<Connection> {
    const transport = await this.#openTransport(endpoint);
    const connection = new Connection(endpoint, transport, this.#options, this.#events, this.#clock);
    await connection.open();
    return connection;
  }

  async #openTransport(endpoint: ServerEndpoint): Promise<Transport> {
    const transport = await endpoint.open();
    const { onMessage } = this.#options;
    if (onMessage === undefined) return transport;
    // Loaded on first use, because few clients need it.
    const { observeTransport } = await import('../../jsonrpc/observe-transport.js');
    return observeTransport(transport, onMessage);
  }

  async #probe(connection: Connection): Promise<Connection> {
    connection.useDialect(this.#getPerRequestDialect());
    const answer = await this.#discover(connection);
    const outcome = interpretProbe(answer, this.#wanted);
    if (outcome.opening === 'per-request') return this.#acceptDiscovery(connection, outcome.dialect, answer);
    // A server that exits during the probe requires a handshake, so it is started again.
    if (outcome.opening === 'handshake')
      return connection.ended ? this.#reopen(outcome.dialect) : this.#openByHandshake(connection, outcome.dialect);
    throw this.#createProbeError(connection, answer);
  }

  async #reopen(dialect: Dialect): Promise<Connection> {
    const connection = await this.#createConnection(this.#endpoint);
    return this.#closeOnFailure(connection, () => this.#openByHandshake(connection, dialect));
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

  /** Remembers that a server is stateless, so that the next connection waits for it. */
  #learnLateVersion(response: JsonRpcResponse): void {
    const version = findLateVersion(response, this.#wanted);
    if (version === undefined) return;
    this.hasProbeFailed = true;
    this.onLateDiscovery(version);
  }

  #createProbeError(connection: Connection, answer: JsonObject | TenonError): TenonError {
    if (TenonError.is(answer))
      return isDiscoverRefusal(answer) ? createUnsupportedVersionsError(connection.peer, answer, this.#wanted) : answer;
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
    const problem = methods['server/discover'].result(discovered);
    if (problem) throw createMalformedResultError(connection, 'server/discover', problem);
    const { capabilities, instructions, _meta } = toResult('server/discover', discovered);
    const info = (_meta?.[SERVER_INFO] as never) ?? connection.server.info;
    this.#complete(connection, { info, capabilities, instructions });
    return connection;
  }

  /** Ends the negotiation with the details of the server. */
  #complete(connection: Connection, { capabilities, ...details }: ServerDetails): void {
    const { assumeCapabilities } = this.#options;
    connection.server = { ...details, capabilities: addAssumedCapabilities(capabilities, assumeCapabilities) };
    connection.completeOpening();
  }

  async #openByHandshake(connection: Connection, dialect: Dialect): Promise<Connection> {
    connection.useDialect(dialect);
    try {
      return await this.#initializeWithRetry(connection, dialect);
    } catch (error) {
      const fallback = this.#endpoint.fallback?.();
      if (!fallback || !TenonError.is(error) || isSessionLoss(error) || isAuthError(error)) throw error;
      if (error.status === undefined || !dialect.http.isFallbackStatus(error.status)) throw error;
      await connection.close();
      // If the other transport does not work either, the error of the first one names the cause.
      const other = await this.#openWithDialect(fallback, dialect).catch(otherError => {
        throw error.rpcCode === undefined ? otherError : error;
      });
      return this.#closeOnFailure(other, () => this.#initialize(other, dialect));
    }
  }

  /**
   * Initializes the connection. If the server refuses the version, tries once more with a version that it lists, or
   * with the oldest.
   */
  async #initializeWithRetry(connection: Connection, dialect: Dialect): Promise<Connection> {
    try {
      return await this.#initialize(connection, dialect);
    } catch (error) {
      if (!isVersionRefusal(error)) throw error;
      const other = chooseAlternative(error, dialect, this.#wanted);
      if (other === undefined) throw createNoSharedVersionError(connection.channel.peer, error, this.#wanted);
      if (other.opening === 'per-request') {
        connection.useDialect(other);
        return this.#acceptDiscovery(connection, other, error);
      }
      connection.useDialect(other);
      return this.#initialize(connection, other).catch(second => {
        throw isVersionRefusal(second)
          ? createNoSharedVersionError(connection.channel.peer, error, this.#wanted)
          : second;
      });
    }
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
    const params = {
      protocolVersion: dialect.protocolVersion,
      capabilities: withListChanged(createCapabilities(this.#options) as JsonObject),
      clientInfo: { ...createClientInfo(this.#options) },
    };
    const sentAt = this.#clock.now();
    const answer = await connection.call('initialize', params, {
      totalTimeout: this.#options.totalTimeout,
      signal: this.#signal,
    });
    if (this.#hasProbeTimedOut && this.#clock.now() - sentAt > SLOW_START) this.hasProbeFailed = true;
    const problem = methods.initialize.result(answer);
    if (problem) throw createMalformedResultError(connection, 'initialize', problem);
    const agreed = this.#selectAgreedDialect(connection, answer.protocolVersion as string, dialect);
    const decoded = agreed.transforms.decode.result('initialize')?.(answer, {}) ?? answer;
    const { serverInfo, capabilities, instructions } = toResult('initialize', decoded);
    connection.useDialect(agreed);
    this.#complete(connection, { info: serverInfo, capabilities, instructions });
    await connection.notify('notifications/initialized');
    if (connection.sessionError) throw connection.sessionError;
    if ('listen' in connection.channel) (connection.channel as ListeningTransport).listen();
    return connection;
  }

  #selectAgreedDialect(connection: Connection, version: string, requested: Dialect): Dialect {
    const candidates = this.#wanted.length > 1 ? dialects : [requested];
    const dialect = candidates.find(
      ({ protocolVersion, opening }) => opening === 'handshake' && protocolVersion === version,
    );
    if (dialect) return dialect;
    throw new TenonError(
      'connect/no-shared-version',
      'the server chose a protocol version that this client does not support',
      {
        peer: connection.channel.peer,
        expected: candidates.map(({ protocolVersion }) => protocolVersion).join(', '),
        received: version.slice(0, 40),
        hint: 'update the older side, or remove the option `protocolVersion`',
      },
    );
  }
}

/** Declares that the client notifies about changes of its roots. Only for versions with sessions. */
function withListChanged(capabilities: JsonObject): JsonObject {
  return capabilities.roots ? { ...capabilities, roots: { listChanged: true } } : capabilities;
}
