import { stringifyJson } from '@tenon/base';
import { getEntryKey, type ListEntries, type ListKind } from './list-cache.js';

/**
 * The entries that the connections of one server have listed last. Users mostly see equal lists, which are in memory once.
 */
export class SharedEntries {
  readonly #lists = new Map<ListKind, readonly ListEntries[ListKind][]>();

  /** Returns the entries with those that were listed before in place of equal ones. Equal lists are the same array. */
  share<K extends ListKind>(kind: K, items: readonly ListEntries[K][]): readonly ListEntries[K][] {
    const last = (this.#lists.get(kind) ?? []) as readonly ListEntries[K][];
    const known = new Map(last.map(entry => [getEntryKey(entry), entry]));
    const shared = items.map(entry => {
      const before = known.get(getEntryKey(entry));
      return before !== undefined && stringifyJson(before) === stringifyJson(entry) ? before : entry;
    });
    if (shared.length === last.length && shared.every((entry, at) => entry === last[at])) return last;
    this.#lists.set(kind, shared);
    return shared;
  }
}
