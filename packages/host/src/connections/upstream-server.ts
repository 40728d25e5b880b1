import { type CallerIdentity, getOwnerKey, SharedLimit, TenonError, TOO_MANY_REQUESTS } from '@tenon/base';
import type { Client, ClientOptions } from 'tenon';
import type { ClientSession } from 'tenon/proxy';
import { type CallerTemplates, type CallerValues, fillTemplates, listCallerNames } from '../config/caller-template.js';
import type { CallerLimit } from './caller-limit.js';
import { hashCallerValues, hideCallerValues, selectCallerValues } from './caller-values.js';
import { ConnectionGroups } from './connection-groups.js';
import type { ConnectionOptions } from './connection-options.js';
import { type ConnectionScope, hasNoInput, joinSessions } from './connection-scope.js';
import type { ListKind } from './list-cache.js';
import { RETRY_AFTER } from './process-limit.js';
import { SharedEntries } from './shared-entries.js';
import type { SharedSessionHandle } from './shared-sessions.js';
import { UpstreamConnection } from './upstream-connection.js';

/** Options of one server. Times are in milliseconds. */
export interface UpstreamServerOptions
  extends Omit<ConnectionOptions, 'server' | 'connect' | 'sharedSession' | 'sharedEntries'> {
  readonly name: string;
  /** Opens a client with the credentials of a caller. */
  readonly connect: (
    caller: CallerIdentity,
    options: ClientOptions,
    onSigningIn: (isSigningIn: boolean) => void,
    values?: CallerValues,
  ) => Promise<Client>;
  readonly maxConnectionsPerServer: number;
  /** Maximum share of `maxConnectionsPerServer` for one user, or for one address of anonymous callers. */
  readonly maxShare: number;
  /** Time for which an unused connection stays open. A process is also stopped if it belongs to one session. */
  readonly connectionIdleTimeout: number;
  /**
   * Sharing of connections among sessions. With `true`, sessions that support input requests also share one, and
   * receive none.
   */
  readonly share: boolean | undefined;
  readonly onConnection?: (connection: UpstreamConnection) => void;
  /** Opens the session of a scope that other processes use too. Absent if no other process can use the server. */
  readonly openSharedSession?: ((scope: ConnectionScope) => SharedSessionHandle | undefined) | undefined;
  /** Parts of the server that contain values of the caller. Callers with other values do not share a connection. */
  readonly perCaller?: CallerTemplates | undefined;
  /** Limits the connections of one caller to servers with such parts. */
  readonly callerLimit?: CallerLimit | undefined;
}

interface PooledConnection {
  readonly connection: UpstreamConnection;
  lastUsedAt: number;
}

/** Server with all connections to it. */
export class UpstreamServer {
  readonly name: string;
  /**
   * Parts that have exceeded the time for which a list waits: the start of a connection, or one list. Later lists are
   * returned without this server at once, until it has responded.
   */
  readonly unresponsive = new Set<ListKind | 'start'>();
  /** True if the server was added to a running host, until it has returned a list. */
  wasAdded = false;
  readonly #upstreamOptions: UpstreamServerOptions;
  readonly #connections = new Map<string, PooledConnection>();
  readonly #limit: SharedLimit;
  readonly #sharedEntries = new SharedEntries();
  readonly #sharedScopes = new WeakMap<ConnectionScope, ConnectionScope>();
  readonly #byOwner = new ConnectionGroups<string | undefined>();
  readonly #bySession = new ConnectionGroups<ClientSession>();
  /** Connections that are no longer in use and still stop their process or end their session. */
  readonly #closing = new Set<Promise<void>>();
  /** Names of the values of the caller that the server needs. */
  readonly valueNames: readonly string[];
  #cancelSweep: (() => void) | undefined;
  #closed: Promise<void> | undefined;

  constructor(upstreamOptions: UpstreamServerOptions) {
    this.name = upstreamOptions.name;
    this.valueNames = listCallerNames(upstreamOptions.perCaller ?? {});
    this.#upstreamOptions = upstreamOptions;
    this.#limit = new SharedLimit(upstreamOptions.maxConnectionsPerServer, upstreamOptions.maxShare);
  }

  get connections(): readonly UpstreamConnection[] {
    return [...this.#connections.values()].map(({ connection }) => connection);
  }

  /** True while a call runs on a connection, or is about to. */
  get hasCalls(): boolean {
    return this.connections.some(({ hasCalls }) => hasCalls);
  }

  /**
   * Returns a connection of this user and OAuth client that is open, or whose process was stopped because it was idle.
   *
   * @param values Values of the caller. A connection with others is not returned.
   */
  findOpenConnection(identity: CallerIdentity, values: CallerValues = {}): UpstreamConnection | undefined {
    const key = hashCallerValues(selectCallerValues(values, this.valueNames));
    for (const connection of this.#byOwner.get(getOwnerKey(identity)))
      if (connection.serverInfo && hashCallerValues(connection.scope.values ?? {}) === key) return connection;
    return undefined;
  }

  getOwnerConnections(identity: CallerIdentity): readonly UpstreamConnection[] {
    return [...this.#byOwner.get(getOwnerKey(identity))];
  }

  getSessionConnections(session: ClientSession): Iterable<UpstreamConnection> {
    return this.#bySession.get(session);
  }

  /**
   * Returns the scope of all callers that share this caller's connection. A shared process gets no input from callers.
   */
  getSharedScope(scope: ConnectionScope): ConnectionScope {
    const { share, processes } = this.#upstreamOptions;
    const isShared = !this.valueNames.includes('session') && (share ?? (processes !== undefined && hasNoInput(scope)));
    if (!isShared && this.valueNames.length === 0) return scope;
    const known = this.#sharedScopes.get(scope) ?? this.#bindValues(isShared ? joinSessions(scope) : scope, scope);
    this.#sharedScopes.set(scope, known);
    return known;
  }

  /** Restricts a scope to callers with the same values of those that the server needs. */
  #bindValues(shared: ConnectionScope, { values = {}, caller }: ConnectionScope): ConnectionScope {
    if (this.valueNames.length === 0) {
      const { values: _, ...unbound } = shared;
      return unbound;
    }
    const own = selectCallerValues(values, this.valueNames);
    return { ...shared, key: JSON.stringify([shared.key, hashCallerValues(own)]), values: own, caller };
  }

  /** Tells if a caller has the values that the server needs. The program of the host itself has none. */
  canConnect({ values = {} }: ConnectionScope): boolean {
    const { perCaller } = this.#upstreamOptions;
    try {
      if (perCaller) fillTemplates(this.name, perCaller, values);
      return true;
    } catch {
      return false;
    }
  }

  /** Returns the connection of a caller if it exists. */
  findConnection(caller: ConnectionScope): UpstreamConnection | undefined {
    return this.#connections.get(this.getSharedScope(caller).key)?.connection;
  }

  /**
   * Returns what the server declares to a caller. While the caller's connection opens, that is what it has declared to another
   * connection of the same user and OAuth client.
   */
  findServerInfo(caller: ConnectionScope): UpstreamConnection['serverInfo'] {
    return (
      this.findConnection(caller)?.serverInfo ?? this.findOpenConnection(caller.identity, caller.values)?.serverInfo
    );
  }

  /** Returns the connection of a caller. It opens on first use. */
  getConnection(caller: ConnectionScope): UpstreamConnection {
    if (this.#closed)
      throw new TenonError('host/closed', `the server "${this.name}" is closed`, { hint: 'create a new host' });
    const scope = this.getSharedScope(caller);
    const { clock, perCaller, callerLimit } = this.#upstreamOptions;
    const pooled = this.#connections.get(scope.key);
    if (pooled) {
      pooled.lastUsedAt = clock.elapsed();
      if (perCaller) callerLimit?.markUsed(pooled.connection);
      return pooled.connection;
    }
    if (perCaller) fillTemplates(this.name, perCaller, scope.values ?? {});
    if (perCaller) callerLimit?.makeRoom(scope.caller, this.name);
    this.#makeRoom(scope.caller);
    this.#limit.add(scope.caller);
    const connection = new UpstreamConnection(this.#createConnectionOptions(scope), scope);
    this.#connections.set(scope.key, { connection, lastUsedAt: clock.elapsed() });
    if (perCaller)
      callerLimit?.add(connection, { caller: scope.caller, close: () => this.#closeConnection(scope.key) });
    this.#byOwner.add(getOwnerKey(scope.identity), connection);
    if (scope.session) this.#bySession.add(scope.session, connection);
    scope.session?.onEnd(() => this.#closeConnection(scope.key));
    this.#upstreamOptions.onConnection?.(connection);
    this.#scheduleSweep();
    return connection;
  }

  /** Closes all connections, and waits for them and for those that were closed before. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    this.#cancelSweep?.();
    for (const key of [...this.#connections.keys()]) this.#closeConnection(key);
    await Promise.all(this.#closing);
  }

  #createConnectionOptions(scope: ConnectionScope): ConnectionOptions {
    const { name, connect, openSharedSession, onError, ...upstreamOptions } = this.#upstreamOptions;
    const { values } = scope;
    const sharedSession = openSharedSession?.(scope);
    const connectAndRecord: ConnectionOptions['connect'] = async (options, onSigningIn) => {
      const client = await connect(scope.identity, options, onSigningIn, values);
      this.unresponsive.delete('start');
      return client;
    };
    return {
      ...upstreamOptions,
      sharedSession,
      sharedEntries: this.#sharedEntries,
      server: name,
      connect: connectAndRecord,
      onError: error => onError(values ? hideCallerValues(error, values) : error),
    };
  }

  /**
   * Makes room for another connection at the limit, by closing the one that has been idle for the longest time. A
   * caller at its own limit displaces only its own connections. If none is idle, no more connections are opened.
   */
  #makeRoom(caller: string): void {
    if (this.#limit.canTake(caller)) return;
    const isOwnOnly = !this.#limit.isWithinShare(caller);
    const idle = [...this.#connections].filter(
      ([, { connection }]) => !connection.isBusy && (!isOwnOnly || connection.scope.caller === caller),
    );
    const [longestIdle] = idle.sort(([, a], [, b]) => a.lastUsedAt - b.lastUsedAt);
    if (longestIdle) return this.#closeConnection(longestIdle[0]);
    const { maxConnectionsPerServer } = this.#upstreamOptions;
    const limit = isOwnOnly
      ? `the caller's share of the ${maxConnectionsPerServer} connections`
      : `all ${maxConnectionsPerServer} connections`;
    const summary = `no free connection to the server "${this.name}": ${limit} in use`;
    throw new TenonError('host/too-many-connections', summary, {
      hint: `try again later, or raise ${isOwnOnly ? '`maxShare` or ' : ''}\`maxConnectionsPerServer\``,
      rpcCode: TOO_MANY_REQUESTS,
      data: { retryAfterMs: RETRY_AFTER },
    });
  }

  #closeConnection(key: string): void {
    const { connection } = this.#connections.get(key) ?? {};
    if (connection === undefined) return;
    const { identity, session } = connection.scope;
    this.#connections.delete(key);
    this.#limit.release(connection.scope.caller);
    this.#upstreamOptions.callerLimit?.release(connection);
    this.#byOwner.delete(getOwnerKey(identity), connection);
    if (session) this.#bySession.delete(session, connection);
    const closing = connection
      .close()
      .catch(error => this.#upstreamOptions.onError(TenonError.from(error)))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #scheduleSweep(): void {
    if (this.#cancelSweep || this.#closed) return;
    const { clock, connectionIdleTimeout } = this.#upstreamOptions;
    this.#cancelSweep = clock.after(connectionIdleTimeout, () => {
      this.#cancelSweep = undefined;
      const now = clock.elapsed();
      for (const [key, pooled] of this.#connections) {
        if (pooled.connection.isBusy) pooled.lastUsedAt = now;
        else if (pooled.lastUsedAt <= now - connectionIdleTimeout) this.#closeIdle(key, pooled.connection);
      }
      if (this.#connections.size > 0) this.#scheduleSweep();
    });
  }

  /**
   * Stops an idle process and keeps its lists. Closes any other connection that does not belong to a single session, and
   * those with values of a caller, which may never come back.
   */
  #closeIdle(key: string, connection: UpstreamConnection): void {
    const { perCaller, processes } = this.#upstreamOptions;
    if (perCaller) this.#closeConnection(key);
    else if (processes) void connection.stop().catch(error => this.#upstreamOptions.onError(TenonError.from(error)));
    else if (connection.scope.session === undefined) this.#closeConnection(key);
  }
}
