import { toCanonicalJson } from '@tenon/base';
import type { EntryList, ListKind } from './list-cache.js';
import type { UpstreamConnection } from './upstream-connection.js';

type Lists = readonly EntryList<ListKind>[];

/** Definitions that were current when a server had certain lists. */
interface Derived<Definitions> {
  readonly lists: Lists;
  readonly definitions: Definitions;
}

/** Definitions of servers that no list contains completely. A change of the lists shows that they may differ. */
export class DerivedDefinitions<Definition> {
  readonly #known = new WeakMap<UpstreamConnection, Derived<readonly Definition[]>>();
  readonly #reading = new WeakMap<UpstreamConnection, Derived<Promise<readonly Definition[]>>>();

  /**
   * Returns the definitions of a server: the same array until one changes. They are read again when one of the lists has
   * changed. Concurrent calls share one read.
   */
  async get(
    connection: UpstreamConnection,
    lists: Lists,
    read: () => Promise<readonly Definition[]>,
  ): Promise<readonly Definition[]> {
    const current = [this.#known.get(connection), this.#reading.get(connection)].find(each =>
      each?.lists.every((list, index) => list === lists[index]),
    );
    if (current) return current.definitions;
    const reading = { lists, definitions: read().then(found => this.record(connection, lists, () => found)) };
    this.#reading.set(connection, reading);
    try {
      return await reading.definitions;
    } finally {
      if (this.#reading.get(connection) === reading) this.#reading.delete(connection);
    }
  }

  /** Replaces the definitions of a server. `change` gets the latest ones, which another caller may have recorded. */
  record(
    connection: UpstreamConnection,
    lists: Lists,
    change: (before: readonly Definition[]) => readonly Definition[],
  ): readonly Definition[] {
    const before = this.#known.get(connection)?.definitions;
    const changed = change(before ?? []);
    const definitions = before !== undefined && toCanonicalJson(before) === toCanonicalJson(changed) ? before : changed;
    this.#known.set(connection, { lists, definitions });
    return definitions;
  }
}
