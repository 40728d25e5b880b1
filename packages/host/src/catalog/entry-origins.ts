import type { ListEntries, ListKind } from '../connections/list-cache.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';

/** Entry of a server, from which a listed entry was made. */
export interface ListedEntryOrigin {
  readonly connection: UpstreamConnection;
  readonly entry: ListEntries[ListKind];
}

/** Maps listed entries, which have public names, to the entries of their servers. */
export class EntryOrigins {
  readonly #origins = new WeakMap<ListEntries[ListKind], ListedEntryOrigin>();

  get(listed: ListEntries[ListKind]): ListedEntryOrigin | undefined {
    return this.#origins.get(listed);
  }

  /** Records the entries of a server under the listed ones, which have the same order, and returns the listed ones. */
  record(
    connection: UpstreamConnection,
    entries: readonly ListEntries[ListKind][],
    listed: readonly ListEntries[ListKind][],
  ): readonly ListEntries[ListKind][] {
    for (const [index, entry] of entries.entries()) {
      const item = listed[index];
      if (item) this.#origins.set(item, { connection, entry });
    }
    return listed;
  }
}
