import { type CallerIdentity, runWithTimeout, setNewest } from '@tenon/base';
import type { LoggingLevel } from 'tenon';
import type { CallerSignIn } from 'tenon/auth';
import type { ClientSession, RequesterInfo } from 'tenon/proxy';
import type { Telemetry } from 'tenon/telemetry';
import type { ToolBudget } from '../catalog/budget/collapse-tools.js';
import type { HostCatalogOptions, ListFilter } from '../catalog/catalog-options.js';
import { type EntrySelection, selectEntries } from '../catalog/entry-selection.js';
import { HostCatalog } from '../catalog/host-catalog.js';
import { createNameMapper, type NameMapper, type Prefix } from '../catalog/names/name-mapper.js';
import { createPublicAddresses, type PublicAddresses } from '../catalog/names/public-addresses.js';
import { SKILLS_EXTENSION, UI_EXTENSION } from '../catalog/page-meta.js';
import { checkPatterns, PatternReport } from '../catalog/pattern-report.js';
import { PublicEntries } from '../catalog/public-entries.js';
import type { CodeMode } from '../code-mode/run-tool.js';
import { type ConnectionScope, createConnectionScope } from '../connections/connection-scope.js';
import { getEntryKey } from '../connections/list-cache.js';
import { NOTIFIABLE_LISTS } from '../connections/notifiable-lists.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type { UpstreamRegistry } from '../connections/upstream-registry.js';
import type { HostGuard } from '../security/guard/host-guard.js';
import { readLists } from '../security/guard/read-inventory.js';
import { ListChangeNotifier } from './list-change-notifier.js';

/** Maximum number of cached catalogs. The least recently used one is dropped first. */
const MAX_CATALOGS = 10_000;
/** Time after which an unused catalog is dropped, in milliseconds. */
const CATALOG_IDLE_TIME = 10 * 60_000;

/** Timeout for servers to confirm a log level, in milliseconds. */
const LOG_LEVEL_TIMEOUT = 1000;

export interface GatewayContextOptions {
  readonly prefix: Prefix;
  readonly pageSize: number;
  readonly budget: ToolBudget | undefined;
  readonly codeMode?: CodeMode | undefined;
  readonly callerSignIn?: CallerSignIn | undefined;
  readonly waitForTasks?: boolean | undefined;
  /** True if lists contain entries that the policy always denies. */
  readonly listDenied?: boolean | undefined;
  /** Further extensions that the host carries, besides apps and skills. */
  readonly extensions?: readonly string[] | undefined;
  readonly selection?: EntrySelection | undefined;
  readonly telemetry?: Telemetry | undefined;
}

/** State shared by the operations of a host. */
export class GatewayContext {
  readonly registry: UpstreamRegistry;
  readonly guard: HostGuard;
  readonly listChanges: ListChangeNotifier;
  readonly pageSize: number;
  readonly budget: ToolBudget | undefined;
  readonly codeMode: CodeMode | undefined;
  readonly callerSignIn: CallerSignIn | undefined;
  readonly listDenied: boolean;
  /** True if the host carries extensions that it does not know. */
  readonly carriesUnknown: boolean;
  /** Entries that the server offers. Absent for all. */
  readonly selection: EntrySelection | undefined;
  readonly telemetry: Telemetry | undefined;
  #ownNames: NameMapper | undefined;
  readonly #catalogOptions: HostCatalogOptions;
  readonly #waitForTasks: boolean | undefined;
  readonly #extensions: ReadonlySet<string>;
  /** Addresses that callers have seen, by scope. They outlive the catalogs. */
  readonly #addresses = new Map<string, PublicAddresses>();
  readonly #patterns: PatternReport;
  #checkedConnections = new WeakSet<UpstreamConnection>();
  /** Catalogs by scope, the least recently used first. */
  readonly #catalogs = new Map<string, { readonly catalog: HostCatalog; readonly usedAt: number }>();
  /** Key of the catalog that was used last. */
  #lastKey: string | undefined;
  /** Cache, because one request needs its scope several times. */
  #scopes = new WeakMap<RequesterInfo, ConnectionScope>();

  constructor(
    registry: UpstreamRegistry,
    guard: HostGuard,
    {
      prefix,
      pageSize,
      budget,
      codeMode,
      callerSignIn,
      waitForTasks,
      listDenied = false,
      extensions = [],
      selection,
      telemetry,
    }: GatewayContextOptions,
  ) {
    this.#extensions = new Set([UI_EXTENSION, SKILLS_EXTENSION, ...extensions]);
    this.carriesUnknown = extensions.length > 0;
    this.listDenied = listDenied;
    this.selection = selection;
    this.telemetry = telemetry;
    this.callerSignIn = callerSignIn;
    this.#waitForTasks = waitForTasks;
    this.registry = registry;
    this.guard = guard;
    this.pageSize = pageSize;
    this.budget = budget;
    this.codeMode = codeMode;
    this.listChanges = new ListChangeNotifier(registry.clock);
    const { getToolNames } = guard;
    this.#patterns = new PatternReport(error => guard.reportError(error));
    const filterList: ListFilter = (kind, part) => {
      void this.checkSelection(part.connection);
      return guard.filterList(kind, part);
    };
    const publicEntries = new PublicEntries();
    this.#catalogOptions = { prefix, filterList: selectEntries(filterList, selection), publicEntries, getToolNames };
  }

  /** Reports patterns of the selection that select nothing of a server. It reads all its lists, once a connection. */
  async checkSelection(connection: UpstreamConnection): Promise<void> {
    const patterns = this.selection?.getPatterns(connection.server);
    if (patterns === undefined || this.#checkedConnections.has(connection)) return;
    this.#checkedConnections.add(connection);
    try {
      const { lists, failures } = await readLists(connection);
      // A pattern may select an entry of the list that failed.
      if (failures[0]) throw failures[0].error;
      const { tools, prompts, resources, templates } = lists;
      const names = [...tools.items, ...prompts.items, ...resources.items, ...templates.items].map(getEntryKey);
      this.#patterns.add(connection.server, checkPatterns('servers', patterns, names), names);
    } catch {
      // The lists are read again for the next caller, who gets the error.
      this.#checkedConnections.delete(connection);
    }
  }

  /** Maps server names to the names of the host's own tools. */
  get ownNames(): NameMapper {
    this.#ownNames ??= createNameMapper({ servers: this.registry.servers, prefix: 'always' });
    return this.#ownNames;
  }

  getScope(requester: RequesterInfo): ConnectionScope {
    const known = this.#scopes.get(requester);
    if (known) return known;
    const created = createConnectionScope(requester, this.#waitForTasks, this.registry.valueNames, this.#extensions);
    // A value of a `WeakMap` lasts until a full collection, so all requests with the same key share one scope.
    const scope = this.#catalogs.get(created.key)?.catalog.scope ?? created;
    this.#scopes.set(requester, scope);
    if (scope.session) this.listChanges.observeSession(scope.session, scope);
    return scope;
  }

  /** Tells if the host carries an extension between callers and servers. */
  carriesExtension(id: string): boolean {
    return this.#extensions.has(id);
  }

  /** Returns the addresses that the callers of a scope have seen. Those that were used last are dropped last. */
  getAddresses({ key, session }: ConnectionScope): PublicAddresses {
    const known = this.#addresses.get(key);
    if (known) {
      setNewest(this.#addresses, key, known, MAX_CATALOGS);
      return known;
    }
    const created = createPublicAddresses();
    setNewest(this.#addresses, key, created, MAX_CATALOGS);
    session?.onEnd(() => this.#addresses.delete(key));
    return created;
  }

  getCatalog(scope: ConnectionScope): HostCatalog {
    const { key, session } = scope;
    const known = this.#catalogs.get(key);
    if (known && key === this.#lastKey) return known.catalog;
    this.#lastKey = key;
    const usedAt = this.registry.clock.elapsed();
    const addresses = this.getAddresses(scope);
    const catalog = known?.catalog ?? new HostCatalog(this.registry, scope, this.#catalogOptions, addresses);
    this.#catalogs.delete(key);
    this.#catalogs.set(key, { catalog, usedAt });
    if (known) return catalog;
    session?.onEnd(() => this.#catalogs.delete(key));
    for (const [eldest, { usedAt: last }] of this.#catalogs) {
      if (this.#catalogs.size <= MAX_CATALOGS && last > usedAt - CATALOG_IDLE_TIME) break;
      this.#catalogs.delete(eldest);
    }
    return catalog;
  }

  /** Observes a new connection, to notify its callers of changes. */
  observeConnection(connection: UpstreamConnection): void {
    const { scope, lists, server } = connection;
    const upstream = this.registry.upstreams.get(server);
    lists.onChange(list =>
      this.listChanges.notifyWhere(each => upstream?.getSharedScope(each).key === scope.key, list),
    );
    const level = scope.session?.requestedLogLevel;
    if (level) connection.logLevel.value = level;
  }

  /**
   * Sets the log level of all current and later connections of a session. It does not wait for a server that responds
   * slowly.
   */
  async setLogLevel(session: ClientSession, level: LoggingLevel): Promise<void> {
    const connections = this.getSessionConnections(session);
    for (const { logLevel } of connections) logLevel.value = level;
    const all = connections.filter(({ openClient }) => openClient).map(({ logLevel }) => logLevel.set(level));
    const { clock } = this.registry;
    await runWithTimeout(() => Promise.all(all), { clock, timeout: LOG_LEVEL_TIMEOUT, onTimeout: () => undefined });
  }

  getSessionConnections(session: ClientSession): UpstreamConnection[] {
    return [...this.registry.upstreams.values()].flatMap(upstream => [...upstream.getSessionConnections(session)]);
  }

  /**
   * Drops the cached lists of a caller after a sign-in or sign-out, and notifies the caller. The server may offer other
   * entries then.
   */
  changeCredentials(server: string, caller: CallerIdentity): void {
    for (const connection of this.registry.upstreams.get(server)?.getOwnerConnections(caller) ?? []) {
      connection.lists.clear();
      for (const list of NOTIFIABLE_LISTS) this.listChanges.notify(connection.scope, list);
    }
  }

  /** Drops cached catalogs and notifies all callers that lists may have changed. */
  reload(): void {
    this.#catalogs.clear();
    // Other servers may need other values of the caller.
    this.#scopes = new WeakMap();
    this.#ownNames = undefined;
    this.#checkedConnections = new WeakSet();
    for (const list of NOTIFIABLE_LISTS) this.listChanges.notifyAll(list);
  }

  close(): void {
    this.listChanges.close();
    this.#catalogs.clear();
  }
}
