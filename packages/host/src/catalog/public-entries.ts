import { stringifyJson } from '@tenon/base';
import type { ListEntries, ListKind } from '../connections/list-cache.js';
import { toStrictEntry } from './strict-results.js';

type Entry = ListEntries[ListKind];

/** Maximum number of combined lists of which callers get the same array. */
const MAX_COMBINED = 8;

/** Entry of a server, from which a listed entry was made. */
export interface PublicEntryOrigin {
  readonly server: string;
  readonly entry: Entry;
}

/** Listed entries, which have public names. Callers who see an entry of a server in the same form share one. */
export class PublicEntries {
  readonly #listed = new WeakMap<Entry, { readonly changes: string; readonly item: Entry }>();
  readonly #origins = new WeakMap<Entry, PublicEntryOrigin>();
  /** The combined lists that were used last. */
  #combined: readonly (readonly Entry[])[] = [];

  /** Returns the entry of a server with other members, and records its origin. */
  change<E extends Entry>(server: string, entry: E, members: Partial<E>): E {
    const changes = stringifyJson(members);
    const known = this.#listed.get(entry);
    if (known?.changes === changes) return known.item as E;
    const item = { ...toStrictEntry(entry), ...members };
    this.#listed.set(entry, { changes, item });
    this.#origins.set(item, { server, entry });
    return item;
  }

  /** Combines the lists of servers. Callers with the same entries get the same array, so that its pages are in memory once. */
  combine(lists: readonly (readonly Entry[])[]): readonly Entry[] {
    const items = lists.flat();
    const isSame = (other: readonly Entry[]) =>
      other.length === items.length && other.every((entry, at) => entry === items[at]);
    const combined = this.#combined.find(isSame) ?? items;
    this.#combined = [combined, ...this.#combined.filter(each => each !== combined)].slice(0, MAX_COMBINED);
    return combined;
  }

  /** Returns the origin of a listed entry. */
  getOrigin(listed: Entry): PublicEntryOrigin | undefined {
    return this.#origins.get(listed);
  }
}
