import { getEntryKey } from '../connections/list-cache.js';
import { compileNames } from '../security/policy/matching/name-patterns.js';
import type { ListFilter } from './catalog-options.js';

/** Servers and entries that a server of the host offers. */
export interface EntrySelection {
  hasServer(server: string): boolean;
  /** Tells if an entry is selected, by its name at the server, its URI or its URI template. */
  hasEntry(server: string, name: string): boolean;
  /** Names of the selected servers. */
  readonly servers: readonly string[];
  /** Returns the patterns of entries of a server. `undefined` if all its entries are selected, or none. */
  getPatterns(server: string): readonly string[] | undefined;
}

/**
 * Parses a selection: names of servers, and `server/name` with the names of tools and prompts or the URIs of resources.
 * `*` matches any text. Returns `undefined` for everything.
 */
export function parseEntrySelection(items: readonly string[] | undefined): EntrySelection | undefined {
  if (items === undefined) return undefined;
  const patterns = new Map<string, string[] | undefined>();
  for (const item of items) {
    const slash = item.indexOf('/');
    const [server, name] = slash < 0 ? [item, undefined] : [item.slice(0, slash), item.slice(slash + 1)];
    const known = patterns.get(server);
    if (name === undefined || (patterns.has(server) && known === undefined)) patterns.set(server, undefined);
    else patterns.set(server, [...(known ?? []), name]);
  }
  const tests = new Map([...patterns].map(([server, names]) => [server, names && compileNames(names, true)]));
  return {
    servers: [...patterns.keys()],
    getPatterns: server => patterns.get(server),
    hasServer: server => tests.has(server),
    hasEntry(server, name) {
      const test = tests.get(server);
      return tests.has(server) && (test === undefined || test(name));
    },
  };
}

/** Filters a list by a selection, too. */
export function selectEntries(filterList: ListFilter, selection: EntrySelection | undefined): ListFilter {
  if (selection === undefined) return filterList;
  return async (kind, part) => {
    const entries = await filterList(kind, part);
    return entries.filter(entry => selection.hasEntry(part.server, getEntryKey(entry)));
  };
}
