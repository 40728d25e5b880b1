import { getKeptScheme, isPromise, type MaybePromise, mapPageAddresses, type WrappedResource } from '@tenon/base';
import type { Cacheable } from 'tenon/host-internals';
import { mergeCacheHints } from '../connections/cache-hints.js';
import type { ConnectionScope } from '../connections/connection-scope.js';
import type { EntryList, ListEntries, ListKind } from '../connections/list-cache.js';
import { declaresNothing, lacksCapability } from '../connections/undeclared-capabilities.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type {
  AggregatedList,
  ServerList,
  UnavailableServer,
  UpstreamRegistry,
} from '../connections/upstream-registry.js';
import {
  createAmbiguousToolError,
  createAmbiguousUriError,
  createUnknownNameError,
  translateListError,
} from './catalog-errors.js';
import type { HostCatalogOptions, ListFilter } from './catalog-options.js';
import { createNameMapper, findByPrefix, type NameMapper } from './names/name-mapper.js';
import type { PublicAddresses } from './names/public-addresses.js';
import { createResourceNameMapper, type ResourceNameMapper } from './names/resource-name-mapper.js';
import { withToolNames } from './names/tool-names.js';
import { isMarkedForApps, listPageAddresses, UI_EXTENSION } from './page-meta.js';
import type { PublicEntries } from './public-entries.js';
import { getTaskSupport } from './task-support.js';

/** Kinds of entries that have public names. */
export type NamedKind = 'tools' | 'prompts';
type ResourceKind = 'resources' | 'templates';

/** Combined list of all servers, with public names. */
export interface CatalogList<K extends ListKind> extends Cacheable {
  readonly items: readonly ListEntries[K][];
  readonly unavailable: readonly UnavailableServer[];
  readonly isCached: boolean;
}

/**
 * Target of a public name. An entry that is not listed is found too if the server has it, so that the guard can reject
 * the call with a reason.
 */
export interface ResolvedTool<K extends NamedKind> {
  readonly connection: UpstreamConnection;
  /** Name of the entry at the server. */
  readonly name: string;
  readonly entry: ListEntries[K];
}

/** Target of a URI or a template. */
export interface ResolvedResource {
  readonly connection: UpstreamConnection;
  readonly uri: string;
}

/** Lists the names that the caller sees, for the error about an unknown one. */
type ListNames = () => Promise<readonly string[]>;

type EntryIndex = ReadonlyMap<string, ListEntries[NamedKind]>;

/** Entries by name of each list. Catalogs share lists. */
const entryIndices = new WeakMap<readonly ListEntries[ListKind][], EntryIndex>();

/** Lists of all servers for one connection scope, under public names. */
export class HostCatalog {
  readonly scope: ConnectionScope;
  readonly #registry: UpstreamRegistry;
  readonly #names: Readonly<Record<NamedKind, NameMapper>>;
  readonly #resources: ResourceNameMapper;
  readonly #addresses: PublicAddresses | undefined;
  readonly #filterList: ListFilter;
  readonly #isPlainName: (server: string, name: string) => boolean;
  readonly #publicEntries: PublicEntries;
  /** Lists of resources from the last update of the URI owners. */
  #resourceLists: readonly Pick<ServerList<'resources'>, 'server' | 'list'>[] = [];
  readonly #filteredLists = new WeakMap<EntryList<ListKind>, MaybePromise<readonly ListEntries[ListKind][]>>();
  readonly #combinedLists = new Map<
    ListKind,
    { readonly lists: readonly EntryList<ListKind>[]; readonly items: readonly ListEntries[ListKind][] }
  >();
  /** Servers that were unavailable at the last update of the URI owners. */
  unavailable: readonly UnavailableServer[] = [];

  constructor(
    registry: UpstreamRegistry,
    scope: ConnectionScope,
    options: HostCatalogOptions,
    addresses?: PublicAddresses | undefined,
  ) {
    const { servers } = registry;
    const { prefix, filterList, getToolNames, publicEntries } = options;
    this.#registry = registry;
    this.scope = scope;
    const create = () => createNameMapper({ servers, prefix });
    // Each change of the configuration creates another catalog.
    const hasToolNames = servers.some(server => getToolNames(server) !== undefined);
    this.#names = { tools: hasToolNames ? withToolNames(create(), getToolNames) : create(), prompts: create() };
    this.#addresses = addresses;
    this.#resources = createResourceNameMapper({ servers, addresses });
    this.#filterList = filterList;
    this.#publicEntries = publicEntries;
    this.#isPlainName = (server, name) =>
      prefix === 'never' && (getToolNames(server)?.toConfigured(name) ?? name) === name;
  }

  /** Lists the entries of all servers, grouped by server. Returns the same array until an entry changes. */
  async listEntries<K extends ListKind>(kind: K): Promise<CatalogList<K>> {
    return kind === 'resources' || kind === 'templates'
      ? (this.#listResourceEntries(kind) as Promise<CatalogList<K>>)
      : this.#listNamedEntries(kind, false);
  }

  async #listNamedEntries<K extends ListKind>(kind: K, isForCall: boolean): Promise<CatalogList<K>> {
    const { parts, unavailable, ...hints } = await this.#registry.aggregateList(kind, this.scope, isForCall);
    if (kind === 'tools') await this.#declarePages(parts as readonly ServerList<'tools'>[]);
    const items = await this.#combineEntries(kind, parts, part =>
      this.#toPublicEntries(kind as NamedKind, part as ServerList<NamedKind>),
    );
    return { items: items as readonly ListEntries[K][], unavailable, ...hints };
  }

  /**
   * Finds the tool or prompt with a public name: at once if it is in a list that was read. Throws -32602 when there is
   * none.
   */
  resolveByName<K extends NamedKind>(
    kind: K,
    outer: string,
    listNames: ListNames = async () => [],
  ): MaybePromise<ResolvedTool<K>> {
    const named = this.#names[kind].toServer(outer);
    if (named === undefined) return this.#resolveLater(kind, outer, undefined, listNames);
    const { server, name } = named;
    const connection = this.#registry.getConnection(server, this.scope);
    const list = connection.lists.getKnown(kind);
    const entries = list && this.#filteredLists.get(list);
    const entry = entries === undefined || isPromise(entries) ? undefined : this.#getIndex(entries).get(name);
    if (entry) return { connection, name, entry: entry as ListEntries[K] };
    return this.#resolveLater(kind, outer, this.#resolveEntry(kind, server, name), listNames);
  }

  async #resolveLater<K extends NamedKind>(
    kind: K,
    outer: string,
    resolving: Promise<ResolvedTool<K> | undefined> | undefined,
    listNames: ListNames,
  ): Promise<ResolvedTool<K>> {
    const disabled = resolving === undefined ? findByPrefix(this.#registry.disabled, outer) : undefined;
    const searching = resolving ?? this.#resolveAfterListing(kind, outer, listNames);
    // That other servers are unavailable is no reason why the tool of a disabled server is unknown.
    const resolved = await (disabled === undefined ? searching : searching.catch(() => undefined));
    if (resolved) return resolved;
    const ofApp = kind === 'tools' ? await this.#findAppTool(outer) : undefined;
    if (ofApp) return ofApp as ResolvedTool<K>;
    const names = await (disabled === undefined ? listNames() : listNames().catch(() => []));
    throw createUnknownNameError(kind, outer, { disabled, undeclared: this.#listUndeclared(kind, outer), names });
  }

  /**
   * Lists the servers that may have a name without declaring the capability: the one whose prefix the name has, or, without
   * prefixes, those that declare nothing.
   */
  #listUndeclared(kind: NamedKind, outer: string): string[] {
    const { servers } = this.#registry;
    return this.#findUndeclared(kind, this.#names[kind].toServer(outer)?.server ?? findByPrefix(servers, outer));
  }

  /** Lists the servers that may have a resource without declaring the capability. */
  listUndeclaredResources(uri: string): string[] {
    return this.#findUndeclared('resources', this.#resources.toServer(uri)?.server);
  }

  #findUndeclared(kind: NamedKind | 'resources', named: string | undefined): string[] {
    const { servers } = this.#registry;
    const connections = (named === undefined ? servers : [named]).map(server => ({
      server,
      connection: this.#registry.getConnection(server, this.scope),
    }));
    return connections.flatMap(({ server, connection }) =>
      (named === undefined ? declaresNothing(connection) : lacksCapability(connection, kind)) ? [server] : [],
    );
  }

  /**
   * Finds a tool that a page of an app calls by the name at its server. Only tools that are marked for apps are found, of
   * servers that are connected. If several servers have one, it is that of the server whose page the caller has read.
   */
  async #findAppTool(name: string): Promise<ResolvedTool<'tools'> | undefined> {
    if (this.scope.extensions?.[UI_EXTENSION] === undefined) return undefined;
    const { parts } = await this.#registry.aggregateList('tools', this.scope);
    const found: ResolvedTool<'tools'>[] = [];
    for (const part of parts) {
      const entry = (await this.#getFilteredEntries('tools', part)).find(each => each.name === name);
      if (entry && isMarkedForApps(entry) && part.connection.openClient)
        found.push({ connection: part.connection, name, entry });
    }
    const viewed = found.filter(({ connection }) => this.#addresses?.viewed.has(connection.server));
    const candidates = found.length > 1 ? viewed : found;
    if (candidates.length === 1) return candidates[0];
    if (found.length === 0) return undefined;
    const names = found.map(({ connection }) => this.#names.tools.toPublic(connection.server, name));
    throw createAmbiguousToolError(name, names);
  }

  /** Declares the addresses of pages of all tools, before one of them is shown. */
  async #declarePages(parts: readonly ServerList<'tools'>[]): Promise<void> {
    let hasPages = false;
    for (const part of parts) {
      const uris = listPageAddresses(await this.#getFilteredEntries('tools', part));
      hasPages ||= uris.length > 0;
      this.#resources.declarePages(part.server, uris);
    }
    // Another server may list the same address without a tool.
    if (hasPages && this.#registry.servers.length > 1) await this.#readResourceLists().catch(() => undefined);
  }

  /** Searches the cached list, then the current list if the entry is missing. */
  async #resolveEntry<K extends NamedKind>(
    kind: K,
    server: string,
    name: string,
  ): Promise<ResolvedTool<K> | undefined> {
    return this.#registry.lookUp(server, this.scope, async connection => {
      const cached = await translateListError(kind, connection, () => connection.lists.getCached(kind));
      const readEntries = () => translateListError(kind, connection, () => connection.lists.get(kind));
      const entry =
        (await this.#findEntry(kind, connection, name, cached)) ??
        (await this.#findEntry(kind, connection, name, await readEntries())) ??
        (await readEntries()).items.find(each => each.name === name);
      return entry && { connection, name, entry: entry as ListEntries[K] };
    });
  }

  /** Resolves the server of a URI. `undefined`: no known server has it. Rejects when the owner is ambiguous. */
  async resolveResource(uri: string): Promise<ResolvedResource | undefined> {
    const held = await this.#resolveUri(uri, () => this.#resources.toServer(uri));
    if (held) return { connection: this.#registry.getConnection(held.server, this.scope), uri: held.uri };
    const owners = this.#resources.findOwners(uri);
    if (owners.length > 1) throw createAmbiguousUriError(uri, owners, 'resources/list');
    const part = this.#resourceLists.find(({ list }) => list.items.some(each => each.uri === uri));
    return part && { connection: this.#registry.getConnection(part.server, this.scope), uri };
  }

  /** Resolves the server of a template. `undefined`: no known server has it. Rejects when the owner is ambiguous. */
  async resolveTemplate(template: string): Promise<ResolvedResource | undefined> {
    const held = await this.#resolveUri(template, () => this.#resources.toServerTemplate(template));
    if (held) return { connection: this.#registry.getConnection(held.server, this.scope), uri: held.uri };
    const owners = this.#resources.findTemplateOwners(template);
    if (owners.length > 1) throw createAmbiguousUriError(template, owners, 'resources/templates/list');
    return undefined;
  }

  /** Returns the server of a tool with this public name, and its name there. */
  findTool(tool: string): { readonly server: string; readonly name: string } | undefined {
    return this.#names.tools.toServer(tool);
  }

  /** Returns the server of a listed entry, and its entry there. */
  getOrigin(
    listed: ListEntries[ListKind],
  ): { readonly connection: UpstreamConnection; readonly entry: ListEntries[ListKind] } | undefined {
    const origin = this.#publicEntries.getOrigin(listed);
    return origin && { connection: this.#registry.getConnection(origin.server, this.scope), entry: origin.entry };
  }

  /** Returns the public URI for a URI of a server. */
  toPublicUri(server: string, uri: string): string {
    return this.#resources.toPublic(server, uri);
  }

  /** Resolves a name that is known only after the lists were read, or whose entry is withheld from them. */
  async #resolveAfterListing<K extends NamedKind>(
    kind: K,
    outer: string,
    listNames: ListNames,
  ): Promise<ResolvedTool<K> | undefined> {
    const find = () => this.#names[kind].toServer(outer);
    const { unavailable } = await this.#registry.searchLists(
      isForCall => this.#listNamedEntries(kind, isForCall),
      () => find() !== undefined,
    );
    const found = find();
    if (found) return this.#resolveEntry(kind, found.server, found.name);
    if (unavailable.length > 0) throw createUnknownNameError(kind, outer, { unavailable, names: await listNames() });
    return this.#findWithheld(kind, outer);
  }

  /** Finds an entry that a server has but the host does not list, because the lock or the configuration excludes it. */
  async #findWithheld<K extends NamedKind>(kind: K, outer: string): Promise<ResolvedTool<K> | undefined> {
    const { parts } = await this.#registry.aggregateList(kind, this.scope);
    for (const { connection, server, list } of parts) {
      const entry = list.items.find(({ name }) => {
        return (
          this.#names[kind].toPublic(server, name) === outer || (this.#isPlainName(server, name) && name === outer)
        );
      });
      if (entry) return { connection, name: entry.name, entry };
    }
    return undefined;
  }

  async #findEntry<K extends NamedKind>(
    kind: K,
    connection: UpstreamConnection,
    name: string,
    list: EntryList<K>,
  ): Promise<ListEntries[K] | undefined> {
    const admitted = await this.#getFilteredEntries(kind, { server: connection.server, connection, list });
    return this.#getIndex(admitted).get(name) as ListEntries[K] | undefined;
  }

  async #toPublicEntries(kind: NamedKind, part: ServerList<NamedKind>): Promise<readonly ListEntries[NamedKind][]> {
    const admitted = await this.#getFilteredEntries(kind, part);
    const names = this.#names[kind];
    names.update(
      part.server,
      admitted.map(({ name }) => name),
    );
    return admitted.map(entry => {
      const name = names.toPublic(part.server, entry.name);
      const support = 'inputSchema' in entry ? getTaskSupport(part.connection, entry) : undefined;
      const execution = support === undefined ? {} : { execution: { taskSupport: support } };
      const shown = mapPageAddresses(entry, uri => this.toPublicUri(part.server, uri));
      const meta = shown === entry ? {} : { _meta: shown._meta };
      return this.#publicEntries.change(part.server, entry, { name, ...execution, ...meta });
    });
  }

  async #listResourceEntries<K extends ResourceKind>(kind: K): Promise<CatalogList<K>> {
    const [resources, templates] = await this.#readResourceLists(kind);
    if (this.#registry.servers.length > 1 && resources.parts.some(hasPage)) {
      const tools = await this.#registry.aggregateList('tools', this.scope).catch(() => undefined);
      if (tools) await this.#declarePages(tools.parts);
    }
    const { parts, unavailable, ...hints } = (
      kind === 'resources' ? resources : templates
    ) as AggregatedList<ResourceKind>;
    const both = [...resources.parts, ...templates.parts].map(({ list }) => list);
    const all = { ...mergeCacheHints(resources, templates), ...hints };
    const items = await this.#combineEntries(
      kind,
      parts,
      part => this.#toPublicResources(kind, part as ServerList<ResourceKind>),
      both,
    );
    return { items: items as readonly ListEntries[K][], unavailable, ...all };
  }

  async #toPublicResources(
    kind: ResourceKind,
    part: ServerList<ResourceKind>,
  ): Promise<readonly ListEntries[ResourceKind][]> {
    const admitted = await this.#getFilteredEntries(kind, part);
    return admitted.map(entry => {
      const members =
        'uriTemplate' in entry
          ? { uriTemplate: this.#resources.toPublicTemplate(part.server, entry.uriTemplate) }
          : { uri: this.toPublicUri(part.server, entry.uri) };
      return this.#publicEntries.change<ListEntries[ResourceKind]>(part.server, entry, members);
    });
  }

  /**
   * Resolves a URI with the cached lists, else with the lists of all servers. A slow server thus delays few requests.
   */
  async #resolveUri(uri: string, find: () => WrappedResource | undefined): Promise<WrappedResource | undefined> {
    const known = find();
    if (known || this.#registry.servers.length === 1) return known;
    await this.#registry.searchLists(
      isForCall => this.#readResourceLists(undefined, isForCall),
      () => find() !== undefined,
    );
    const listed = find();
    if (listed || getKeptScheme(uri) !== 'ui') return listed;
    // A tool may declare a page that no list of resources has.
    await this.listEntries('tools').catch(() => undefined);
    return find();
  }

  /**
   * Reads both lists and updates the owners of URIs. A list that fails leaves the other one alone.
   *
   * @param required List whose failure is an error. Without it, both must fail.
   */
  async #readResourceLists(
    required?: ResourceKind,
    isForCall = false,
  ): Promise<[AggregatedList<'resources'>, AggregatedList<'templates'>]> {
    const read = <K extends ResourceKind>(kind: K) =>
      this.#registry.aggregateList(kind, this.scope, isForCall).then(
        list => ({ list, error: undefined }),
        (error: unknown) => ({ list: { parts: [], unavailable: [], isCached: false } as AggregatedList<K>, error }),
      );
    const [readResources, readTemplates] = await Promise.all([read('resources'), read('templates')]);
    const failed = required === 'templates' ? readTemplates.error : readResources.error;
    if (failed !== undefined && (required !== undefined || readTemplates.error !== undefined)) throw failed;
    const [resources, templates] = [readResources.list, readTemplates.list];
    const servers = new Set([...resources.parts, ...templates.parts].map(({ server }) => server));
    for (const server of servers) {
      const own = resources.parts.find(each => each.server === server);
      const others = templates.parts.find(each => each.server === server);
      this.#resources.update(
        server,
        own ? await this.#getFilteredEntries('resources', own) : [],
        others ? await this.#getFilteredEntries('templates', others) : [],
      );
    }
    this.unavailable = resources.unavailable;
    this.#resourceLists = resources.parts.map(({ server, list }) => ({ server, list }));
    return [resources, templates];
  }

  #getFilteredEntries<K extends ListKind>(kind: K, part: ServerList<K>): MaybePromise<readonly ListEntries[K][]> {
    const known = this.#filteredLists.get(part.list) as MaybePromise<readonly ListEntries[K][]> | undefined;
    if (known) return known;
    const filtering = this.#filterList(kind, part);
    this.#filteredLists.set(part.list, filtering);
    filtering.then(
      entries => this.#filteredLists.set(part.list, entries),
      () => this.#filteredLists.delete(part.list),
    );
    return filtering;
  }

  async #combineEntries(
    kind: ListKind,
    parts: readonly ServerList<ListKind>[],
    entries: (part: ServerList<ListKind>) => Promise<readonly ListEntries[ListKind][]>,
    lists: readonly EntryList<ListKind>[] = parts.map(({ list }) => list),
  ): Promise<readonly ListEntries[ListKind][]> {
    const before = this.#combinedLists.get(kind);
    if (before && before.lists.length === lists.length && lists.every((list, at) => list === before.lists[at]))
      return before.items;
    const items = this.#publicEntries.combine(await Promise.all(parts.map(entries)));
    this.#combinedLists.set(kind, { lists, items });
    return items;
  }

  #getIndex(entries: readonly ListEntries[ListKind][]): EntryIndex {
    const known = entryIndices.get(entries);
    if (known) return known;
    const index = new Map(entries.map(entry => [entry.name, entry as ListEntries[NamedKind]]));
    entryIndices.set(entries, index);
    return index;
  }
}

const hasPage = ({ list }: ServerList<'resources'>): boolean =>
  list.items.some(({ uri }) => getKeptScheme(uri) === 'ui');
