import type { JsonObject, MaybePromise, TenonError } from '@tenon/base';
import type { Tool } from 'tenon';
import type { ListFilter } from '../../catalog/catalog-options.js';
import { createToolNames, type ToolNames } from '../../catalog/names/tool-names.js';
import { checkArguments, checkToolSettings, PatternReport } from '../../catalog/pattern-report.js';
import type { ServerInventory } from '../../catalog/server-inventory.js';
import type { ServerEntry } from '../../config/server-entry.js';
import { type EntryList, getEntryKey, type ListEntries, type ListKind } from '../../connections/list-cache.js';
import { recordPage } from '../../connections/page-definitions.js';
import { recordSkills } from '../../connections/skill-entries.js';
import type { UpstreamConnection } from '../../connections/upstream-connection.js';
import type { ServerList } from '../../connections/upstream-registry.js';
import type { DriftKind } from '../lock/drift.js';
import type { PinnedKind } from '../lock/lock.js';
import { isBlocked, type LockGuard, type LockVerdict } from '../lock/lock-guard.js';
import { isLarge, SCREENERS, type ScreenAside, type ScreenerName } from '../screening/large-values.js';
import { createOwnerIndex, type ToolOwners } from '../screening/tool-owners.js';
import { compileToolFilter, matchesTemplate } from './entry-matching.js';
import type { HostGuardOptions, ScreeningReport } from './guard-options.js';
import { isSameInventory, type ReadLists, readInventory } from './read-inventory.js';
import { getDefinitionScreening } from './text-guard.js';

const PINNED = {
  tools: 'tool',
  prompts: 'prompt',
  resources: 'resource',
  templates: 'template',
} as const satisfies Record<ListKind, PinnedKind>;

/** Function that screens the entries of a list. */
const ENTRY_SCREENERS = {
  tools: 'screenTool',
  prompts: 'screenPrompt',
  resources: 'screenResource',
  templates: 'screenResource',
} as const satisfies Record<ListKind, ScreenerName>;

/** Lists that show if an entry is the approved one. A resource may be one of a template. */
const REQUIRED_LISTS: Readonly<Record<PinnedKind | 'method', readonly ListKind[]>> = {
  tool: ['tools'],
  prompt: ['prompts'],
  resource: ['resources', 'templates'],
  template: ['templates'],
  skill: [],
  page: [],
  method: [],
};

/** Inventory with the decision of the lock. */
interface CheckedInventory {
  readonly inventory: ServerInventory;
  readonly verdict: Promise<LockVerdict>;
}

/** Entries as callers see them, with the reports of their screening. */
interface ScreenedEntries {
  readonly values: readonly ListEntries[ListKind][];
  readonly reports: readonly ScreeningReport[];
}

/** Dependencies of the guard, in addition to its options. */
interface InventoryContext {
  /** True if public names have a prefix of their server. */
  readonly hasPrefix: boolean;
  readonly reportError: (error: TenonError) => void;
  readonly screenAside: ScreenAside;
}

/** Checks inventories against the configuration and the lock, and screens them for invisible characters. */
export class InventoryGuard {
  #entries: ReadonlyMap<string, ServerEntry> = new Map();
  readonly #options: HostGuardOptions;
  readonly #hasPrefix: boolean;
  readonly #owners = createOwnerIndex();
  /** Tool filter of each server that has one, by its name. It returns true for a tool that the configuration allows. */
  #isWanted: ReadonlyMap<string, (tool: string) => boolean> = new Map();
  #toolNames: ReadonlyMap<string, ToolNames> = new Map();
  #checked = new WeakMap<UpstreamConnection, CheckedInventory>();
  /** Screened lists, with the version of the tool owners. */
  #changed = new WeakMap<
    readonly ListEntries[ListKind][],
    { readonly version: number; readonly screening: Promise<ScreenedEntries> }
  >();
  readonly #patterns: PatternReport;
  readonly #filteredTools = new WeakMap<object, readonly Tool[]>();

  readonly #screenAside: ScreenAside;

  constructor(
    entries: ReadonlyMap<string, ServerEntry>,
    options: HostGuardOptions,
    { hasPrefix, reportError, screenAside }: InventoryContext,
  ) {
    this.#options = options;
    this.#hasPrefix = hasPrefix;
    this.#screenAside = screenAside;
    this.#patterns = new PatternReport(reportError);
    this.update(entries);
  }

  /** Replaces the servers, and drops cached decisions. */
  update(entries: ReadonlyMap<string, ServerEntry>): void {
    for (const server of this.#entries.keys()) if (!entries.has(server)) this.#owners.update(server, []);
    this.#entries = entries;
    this.#patterns.clear();
    this.#isWanted = new Map(
      [...entries].flatMap(([server, { tools }]) =>
        tools?.include || tools?.exclude ? [[server, compileToolFilter(tools)] as const] : [],
      ),
    );
    this.#toolNames = new Map(
      [...entries].flatMap(([server, { tools }]) =>
        tools?.overrides ? [[server, createToolNames(tools.overrides)] as const] : [],
      ),
    );
    this.#changed = new WeakMap();
    this.reset();
  }

  /** Filters a list. Rejects when the whole server is blocked. */
  readonly filterList: ListFilter = async <K extends ListKind>(
    kind: K,
    part: ServerList<K>,
  ): Promise<readonly ListEntries[K][]> => {
    const { server, list } = part;
    if (kind === 'tools') this.#checkToolSettings(server, list.items as readonly Tool[]);
    const wanted =
      kind === 'tools' ? filterUnlessAll(list.items, ({ name }) => this.#isWantedTool(server, name)) : list.items;
    const verdict = await this.#checkLock(part.connection, [kind], { [kind]: list });
    const held = verdict
      ? filterUnlessAll(
          wanted,
          item =>
            !isBlocked(verdict, PINNED[kind], getEntryKey(item)) &&
            !(kind === 'resources' && isOfBlockedContent(verdict, getEntryKey(item))),
        )
      : wanted;
    if (kind === 'tools') this.#owners.update(server, held);
    const filtered = await this.#changeEntries(kind, server, held);
    if (kind === 'tools') this.#filteredTools.set(list, filtered as readonly Tool[]);
    return filtered;
  };

  /** Filters skills that a caller has read, without those that the lock blocks as they are now. */
  async filterSkills(connection: UpstreamConnection, entries: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    if (this.#options.lockGuard === undefined) return entries;
    await recordSkills(connection, entries);
    const verdict = await this.#checkLock(connection, []);
    return verdict ? entries.filter(({ uri }) => !isBlocked(verdict, 'skill', String(uri))) : entries;
  }

  /** Tells if the lock blocks a page as a caller has read it. */
  async isPageBlocked(connection: UpstreamConnection, uri: string, result: JsonObject): Promise<boolean> {
    if (this.#options.lockGuard === undefined) return false;
    await recordPage(connection, uri, result);
    const verdict = await this.#checkLock(connection, []);
    return verdict !== undefined && isBlocked(verdict, 'page', uri);
  }

  /** Returns the offered tools of a list that was filtered before. */
  readonly getFilteredTools = (list: EntryList<'tools'>): readonly Tool[] | undefined => this.#filteredTools.get(list);

  /** Reports tool settings without an effect. An excluded name that no tool has may be a misspelled one. */
  #checkToolSettings(server: string, tools: readonly Tool[]): void {
    const settings = this.#entries.get(server)?.tools;
    if (settings === undefined) return;
    const names = tools.map(({ name }) => name);
    this.#patterns.add(server, checkToolSettings(settings, names), names);
    for (const { name, inputSchema } of tools) {
      const override = settings.overrides?.[name];
      if (override === undefined) continue;
      const schema = inputSchema as JsonObject;
      this.#patterns.add(server, ...checkArguments(name, override, schema));
      if (override.defaults) this.#patterns.addDefaults(server, name, override.defaults, schema).catch(() => {});
    }
  }

  /** Returns the configured names of a server's tools, if the configuration changes any. */
  readonly getToolNames = (server: string): ToolNames | undefined => this.#toolNames.get(server);

  /** Drops cached decisions, because a change may have been approved. */
  reset(): void {
    this.#checked = new WeakMap();
  }

  /**
   * Returns the reason why the configuration or the lock blocks an entry of a server. A resource may be identified by
   * its template.
   */
  findBlockReason(
    connection: UpstreamConnection,
    kind: PinnedKind | 'method',
    name: string,
  ): MaybePromise<string | undefined> {
    if (kind === 'tool' && !this.#isWantedTool(connection.server, name))
      return `the configuration of the server "${connection.server}" disables it`;
    return this.#checkLock(connection, REQUIRED_LISTS[kind])?.then(verdict =>
      verdict.ok ? undefined : this.#findLockReason(verdict, connection, kind, name),
    );
  }

  async #findLockReason(
    verdict: LockVerdict,
    connection: UpstreamConnection,
    kind: PinnedKind | 'method',
    name: string,
  ): Promise<string | undefined> {
    const isListed =
      kind === 'resource' && (await connection.lists.getCached('resources')).items.some(({ uri }) => uri === name);
    const drifts = verdict.blocked.flatMap(each =>
      isBlocked({ ...verdict, blocked: [each] }, kind, name) ||
      (kind === 'resource' && isOfBlockedContent({ ...verdict, blocked: [each] }, name)) ||
      (kind === 'resource' && !isListed && each.kind === 'template' && matchesTemplate(name, each.name))
        ? each.drifts
        : [],
    );
    if (drifts.length === 0) return undefined;
    return `the lock blocks it: ${describeBlock(drifts.map(drift => drift.kind))}`;
  }

  /** Tells if the whole server is blocked. */
  async isServerBlocked(connection: UpstreamConnection): Promise<boolean> {
    const verdict = await this.#checkLock(connection, []);
    return verdict?.blocked.some(({ kind }) => kind === 'server') ?? false;
  }

  #isWantedTool(server: string, tool: string): boolean {
    const isRenamedOver = this.#toolNames.has(server) && this.getToolNames(server)?.toConfigured(tool) === undefined;
    return !isRenamedOver && (this.#isWanted.get(server)?.(tool) ?? true);
  }

  /**
   * Checks the inventory of a connection against the lock. Repeats the check after each change.
   *
   * @param required Lists on which the decision depends. One that cannot be read is an error, because nothing shows
   * that its entries are the approved ones.
   * @param known Lists whose entries are decided about. Another read of them may have other entries.
   */
  #checkLock(
    connection: UpstreamConnection,
    required: readonly ListKind[],
    known?: Partial<ReadLists>,
  ): Promise<LockVerdict> | undefined {
    const { lockGuard } = this.#options;
    const entry = this.#entries.get(connection.server);
    if (lockGuard === undefined || entry === undefined) return undefined;
    return readInventory(connection, { known, required }).then(({ inventory, failures }) => {
      const failed = failures.find(({ list }) => required.includes(list));
      if (failed) throw failed.error;
      return this.#checkInventory(connection, entry, lockGuard, inventory);
    });
  }

  async #checkInventory(
    connection: UpstreamConnection,
    entry: ServerEntry,
    lockGuard: LockGuard,
    inventory: ServerInventory,
  ): Promise<LockVerdict> {
    const { onDrift } = this.#options;
    const before = this.#checked.get(connection);
    if (before && isSameInventory(before.inventory, inventory)) return before.verdict;
    const verdict = lockGuard.check(entry, inventory).then(found => {
      if (found.drifts.length > 0) onDrift?.(connection.server, found.drifts);
      return found;
    });
    this.#checked.set(connection, { inventory, verdict });
    verdict.catch(() => this.#checked.delete(connection));
    return verdict;
  }

  /** Screens entries, and gives them their configured texts. A list that several users have is screened once. */
  async #changeEntries<K extends ListKind>(
    kind: K,
    server: string,
    entries: readonly ListEntries[K][],
  ): Promise<readonly ListEntries[K][]> {
    // The findings of a tool depend on the tools of other servers.
    const version = kind === 'tools' ? this.#owners.version : 0;
    let changed = this.#changed.get(entries);
    if (changed?.version !== version) {
      const screening = this.#screenEntries(kind, server, entries);
      changed = { version, screening };
      this.#changed.set(entries, changed);
      screening.catch(() => this.#changed.delete(entries));
    }
    const { values, reports } = await changed.screening;
    for (const report of reports) this.#options.onScreeningReport?.(report);
    return values as readonly ListEntries[K][];
  }

  async #screenEntries<K extends ListKind>(
    kind: K,
    server: string,
    entries: readonly ListEntries[K][],
  ): Promise<ScreenedEntries> {
    const names = kind === 'tools' ? this.#toolNames.get(server) : undefined;
    const change = (values: readonly unknown[]) =>
      (names ? values.map(tool => names.changeTool(tool as Tool)) : values) as readonly ListEntries[K][];
    const screening = getDefinitionScreening(this.#options);
    if (screening === undefined) return { values: change(entries), reports: [] };
    const screener = ENTRY_SCREENERS[kind];
    const owners: ToolOwners = this.#owners.current;
    const options = kind === 'tools' ? { ...screening, server, owners, hasPrefix: this.#hasPrefix } : screening;
    const screened = isLarge(entries)
      ? await this.#screenAside({ screener, values: entries, options })
      : entries.map(entry => SCREENERS[screener](entry as never, options));
    const reports = screened.flatMap(({ findings }, index) => {
      const entry = entries[index];
      return findings.length > 0 && entry !== undefined
        ? [{ server, kind: PINNED[kind], name: getEntryKey(entry), findings }]
        : [];
    });
    return { values: change(screened.map(({ value }) => value)), reports };
  }
}

/** Filters a list. Returns the same array if nothing is removed, so that what is known about the array holds. */
function filterUnlessAll<T>(items: readonly T[], isWanted: (item: T) => boolean): readonly T[] {
  const wanted = items.filter(isWanted);
  return wanted.length === items.length ? items : wanted;
}

/** Tells if a resource is a page, or a file of a skill, that a decision blocks. */
const isOfBlockedContent = ({ blocked }: LockVerdict, uri: string): boolean =>
  blocked.some(
    ({ kind, name }) =>
      (kind === 'page' && uri === name) ||
      (kind === 'skill' && uri.startsWith(name.slice(0, name.lastIndexOf('/') + 1))),
  );

/** Kinds that are several things. All annotations, or instructions, of a definition are one. */
const PLURAL_KINDS: ReadonlySet<DriftKind> = new Set(['arguments', 'fields', 'files'] as const);

function describeBlock(kinds: readonly DriftKind[]): string {
  if (kinds.includes('unknown server')) return 'its server is not in the lock';
  if (kinds.includes('added')) return 'it is not in the lock';
  const changed = [...new Set(kinds)];
  const verb = changed.length > 1 || changed.some(kind => PLURAL_KINDS.has(kind)) ? 'are' : 'is';
  return `its ${changed.join(', ')} ${verb} not what was approved`;
}
