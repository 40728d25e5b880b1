import {
  type Clock,
  catchMaybe,
  createCausedError,
  INTERNAL_ERROR,
  isPromise,
  type MaybePromise,
  runWithTimeout,
  TenonError,
} from '@tenon/base';
import { type Cacheable, getSignInRequest } from 'tenon/host-internals';
import { mergeCacheHints } from './cache-hints.js';
import { createUnknownServerError } from './connection-errors.js';
import type { ConnectionScope } from './connection-scope.js';
import type { EntryList, ListKind } from './list-cache.js';
import { describePublicly } from './public-error-text.js';
import type { UpstreamConnection } from './upstream-connection.js';
import type { UpstreamServer } from './upstream-server.js';

/** Server whose part of a list is missing, with the reason. */
export interface UnavailableServer {
  /** Name of the server. */
  readonly server: string;
  /** Reason in plain text. */
  readonly reason: string;
  /** Stable code of the error. */
  readonly code: string;
  /** True if the server waits for the caller to sign in. */
  readonly signIn?: true;
}

/** Part of a list that belongs to one server. */
export interface ServerList<K extends ListKind> {
  readonly server: string;
  readonly connection: UpstreamConnection;
  readonly list: EntryList<K>;
}

/** Parts of a list in the order of the configured servers, with the unavailable servers. */
export interface AggregatedList<K extends ListKind> extends Cacheable {
  /** True if all parts were in the cache. */
  readonly isCached: boolean;
  readonly parts: readonly ServerList<K>[];
  readonly unavailable: readonly UnavailableServer[];
}

/**
 * Time for which a list waits for a server that was added to a running host and has not returned a list yet, in
 * milliseconds. Callers have used the lists without it before, and are notified of its entries.
 */
const ADDED_SERVER_TIMEOUT = 500;

/** All servers of a host, with their connections. */
export class UpstreamRegistry {
  upstreams: ReadonlyMap<string, UpstreamServer> = new Map();
  servers: readonly string[] = [];
  /** Names of the values of a caller that the servers need. */
  valueNames: readonly string[] = [];
  /** Names of disabled servers in the configuration. */
  disabled: readonly string[] = [];
  readonly clock: Clock;
  readonly #listTimeout: number;
  /** Start times of the list requests, so that one slow request delays no other list again. */
  readonly #startTimes = new WeakMap<Promise<unknown>, number>();
  readonly #onLateList: (scope: ConnectionScope, kind: ListKind) => void;

  /**
   * Creates the registry.
   *
   * @param late Called when a part arrives after the list was returned without it.
   */
  constructor(
    upstreams: ReadonlyMap<string, UpstreamServer>,
    clock: Clock,
    listTimeout: number,
    onLateList: (scope: ConnectionScope, kind: ListKind) => void,
    disabled: readonly string[] = [],
  ) {
    this.update(upstreams, disabled);
    this.clock = clock;
    this.#listTimeout = listTimeout;
    this.#onLateList = onLateList;
  }

  /** Replaces the servers. */
  update(upstreams: ReadonlyMap<string, UpstreamServer>, disabled: readonly string[]): void {
    this.upstreams = upstreams;
    this.servers = [...upstreams.keys()];
    this.disabled = disabled;
    const names = new Set([...upstreams.values()].flatMap(({ valueNames }) => valueNames));
    this.valueNames = [...names].sort();
  }

  getConnection(server: string, scope: ConnectionScope): UpstreamConnection {
    const upstream = this.upstreams.get(server);
    if (upstream) return upstream.getConnection(scope);
    throw createUnknownServerError(server, this.servers);
  }

  get connections(): UpstreamConnection[] {
    return [...this.upstreams.values()].flatMap(({ connections }) => connections);
  }

  /**
   * Looks an entry up at a server on behalf of a call. An update of the host may replace the server meanwhile. The entry
   * is then looked up at the new server, which is not closed before the lookup has ended: updates may follow one another
   * faster than a server starts.
   */
  lookUp<T>(
    server: string,
    scope: ConnectionScope,
    find: (connection: UpstreamConnection) => MaybePromise<T>,
  ): MaybePromise<T> {
    const connection = this.getConnection(server, scope);
    return catchMaybe(
      () => find(connection),
      error => {
        if (!this.#isReplaced(connection, scope)) throw error;
        return this.#lookUpReserved(server, scope, find);
      },
    );
  }

  async #lookUpReserved<T>(
    server: string,
    scope: ConnectionScope,
    find: (connection: UpstreamConnection) => MaybePromise<T>,
  ): Promise<T> {
    for (;;) {
      const connection = this.getConnection(server, scope);
      const release = connection.reserveCall();
      try {
        return await find(connection);
      } catch (error) {
        if (!this.#isReplaced(connection, scope)) throw error;
      } finally {
        release();
      }
    }
  }

  /** Tells if an update of the host has closed a connection, and the server has another one. */
  #isReplaced({ isClosed, server }: UpstreamConnection, scope: ConnectionScope): boolean {
    // Each connection of an ended session is closed at once.
    return isClosed && this.upstreams.has(server) && !this.getConnection(server, scope).isClosed;
  }

  /**
   * Reads lists to find an entry for a call. If none has it, the lists of servers that were added to the running host
   * are awaited for longer, because callers may know their entries from before.
   *
   * @param read Reads the lists. `isForCall` is its argument for `aggregateList`.
   */
  async searchLists<T>(read: (isForCall: boolean) => Promise<T>, isFound: () => boolean): Promise<T> {
    const wasAdded = () => [...this.upstreams.values()].some(upstream => upstream.wasAdded);
    if (!wasAdded()) return read(false);
    const reading = read(false);
    await reading.catch(() => {});
    return isFound() || !wasAdded() ? reading : read(true);
  }

  /**
   * Reads one list of all servers. A slow or unavailable server does not delay the others. The result names the missing
   * ones.
   *
   * @param isForCall True to wait for a server that was added to the running host as long as for the other ones.
   */
  async aggregateList<K extends ListKind>(
    kind: K,
    scope: ConnectionScope,
    isForCall = false,
  ): Promise<AggregatedList<K>> {
    const reading = this.servers.map(server => this.#getServerList(kind, server, scope, isForCall));
    const isCached = !reading.some(isPromise);
    const parts = !isCached ? await Promise.all(reading) : (reading as Awaited<(typeof reading)[number]>[]);
    const available = parts.filter(part => 'list' in part);
    const unavailable = parts.filter(part => 'reason' in part);
    if (available.length === 0 && unavailable.length > 0 && !unavailable.some(({ signIn }) => signIn))
      throw createUnavailableError(unavailable);
    const hints = available.reduce<Cacheable>((before, { list }) => mergeCacheHints(before, list), {});
    // The unavailable servers may respond next time, so the list must not be cached.
    return { parts: available, unavailable, isCached, ...(unavailable.length > 0 ? { ...hints, ttlMs: 0 } : hints) };
  }

  #getServerList<K extends ListKind>(
    kind: K,
    server: string,
    scope: ConnectionScope,
    isForCall: boolean,
  ): MaybePromise<ServerList<K> | UnavailableServer> {
    const getList = (connection: UpstreamConnection) => {
      const list = connection.lists.getFresh(kind);
      return list ? { server, connection, list } : this.#readServerList(kind, connection, scope, isForCall);
    };
    return catchMaybe<ServerList<K> | UnavailableServer>(
      () => (isForCall ? this.lookUp(server, scope, getList) : getList(this.getConnection(server, scope))),
      error => {
        const part = this.#findLastList(kind, server, scope);
        if (part?.connection.isUnstable) return part;
        const { code } = TenonError.from(error);
        if (getSignInRequest(error))
          return { server, reason: 'the server requires the user to sign in', code, signIn: true };
        return { server, reason: describePublicly(TenonError.from(error)), code };
      },
    );
  }

  async #readServerList<K extends ListKind>(
    kind: K,
    connection: UpstreamConnection,
    scope: ConnectionScope,
    isForCall: boolean,
  ): Promise<ServerList<K> | UnavailableServer> {
    const { server } = connection;
    const upstream = this.upstreams.get(server);
    const { unresponsive, wasAdded = false } = upstream ?? {};
    const isAwaited = isForCall && wasAdded;
    const reading = connection.lists.get(kind);
    const isFirst = !this.#startTimes.has(reading);
    const isUnresponsive = !isAwaited && (unresponsive?.has('start') || unresponsive?.has(kind));
    const markResponsive = () => {
      unresponsive?.delete(kind);
      if (upstream) upstream.wasAdded = false;
    };
    if (isFirst) reading.then(markResponsive).catch(() => {});
    const timeout = wasAdded && !isAwaited ? Math.min(ADDED_SERVER_TIMEOUT, this.#listTimeout) : this.#listTimeout;
    const list = await this.#waitForList(reading, isUnresponsive ? 0 : timeout);
    if (list) return { server, connection, list };
    unresponsive?.add(connection.openClient ? kind : 'start');
    if (isFirst) reading.then(() => this.#onLateList(scope, kind)).catch(() => {});
    const last = connection.lists.getLast(kind);
    if (last) return { server, connection, list: last };
    if (connection.state === 'waiting' && connection.lastError)
      return { server, reason: describePublicly(connection.lastError), code: connection.lastError.code };
    return { server, reason: `no response within ${timeout} ms. The request continues`, code: 'call/timeout' };
  }

  /** Returns the last list of a server that does not respond now. */
  #findLastList<K extends ListKind>(kind: K, server: string, scope: ConnectionScope): ServerList<K> | undefined {
    const connection = this.upstreams.get(server)?.findConnection(scope);
    const list = connection?.lists.getLast(kind);
    return connection && list && { server, connection, list };
  }

  /** Waits for a list within the timeout. A request that has exceeded the timeout before is not awaited again. */
  #waitForList<T>(work: Promise<T>, maxTime: number): Promise<T | undefined> {
    const now = this.clock.elapsed();
    const begun = this.#startTimes.get(work) ?? now;
    this.#startTimes.set(work, begun);
    const timeout = Math.max(0, begun + maxTime - now);
    return runWithTimeout(() => work, { clock: this.clock, timeout, onTimeout: () => undefined });
  }
}

function createUnavailableError(unavailable: readonly UnavailableServer[]): TenonError {
  const [first] = unavailable;
  const who =
    unavailable.length === 1
      ? `The server "${first?.server}" is unavailable`
      : `All ${unavailable.length} servers are unavailable`;
  return createCausedError(getUnavailableCause(unavailable), INTERNAL_ERROR, `${who}: ${first?.reason}`, {
    unavailable,
  });
}

/** Returns the error of the first server, as the cause of an error for callers. */
export function getUnavailableCause([first]: readonly UnavailableServer[]): TenonError {
  return new TenonError(first?.code ?? 'host/lost', first?.reason ?? 'no server is available');
}
