import { runWithTimeout, TenonError, toCanonicalJson } from '@tenon/base';
import { type EntryList, FAILED_LIST_TTL, type ListKind, OPTIONAL_LIST_TIMEOUT } from './list-cache.js';
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
  readonly #reading = new WeakMap<
    UpstreamConnection,
    Derived<Promise<readonly Definition[]>> & { readonly startedAt: number }
  >();
  /** Reads that failed, with the time until which no call repeats them. */
  readonly #failed = new WeakMap<
    UpstreamConnection,
    { readonly lists: Lists; readonly error: unknown; readonly until: number }
  >();

  /**
   * Returns the definitions of a server: the same array until one changes. They are read again when one of the lists has
   * changed. Concurrent calls share one read. A call that can do without them (`isOptional`) waits for a limited time,
   * and does not repeat a read soon after it failed, because it would delay each call.
   */
  async get(
    connection: UpstreamConnection,
    lists: Lists,
    read: () => Promise<readonly Definition[]>,
    isOptional = false,
  ): Promise<readonly Definition[]> {
    const isCurrent = (derived: { readonly lists: Lists }) =>
      derived.lists.every((list, index) => list === lists[index]);
    const { clock, server } = connection;
    const current = this.#known.get(connection);
    if (current && isCurrent(current)) return current.definitions;
    const failed = this.#failed.get(connection);
    let reading = this.#reading.get(connection);
    if (reading === undefined || !isCurrent(reading)) {
      if (isOptional && failed && isCurrent(failed) && failed.until > clock.elapsed()) throw failed.error;
      reading = { lists, definitions: this.#read(connection, lists, read), startedAt: clock.elapsed() };
      this.#reading.set(connection, reading);
    }
    const { definitions, startedAt } = reading;
    if (!isOptional) return definitions;
    return runWithTimeout(() => definitions, {
      clock,
      timeout: Math.max(0, startedAt + OPTIONAL_LIST_TIMEOUT - clock.elapsed()),
      onTimeout: () => {
        throw new TenonError(
          'call/timeout',
          `${server} has not sent its definitions within ${OPTIONAL_LIST_TIMEOUT} ms`,
        );
      },
    });
  }

  async #read(
    connection: UpstreamConnection,
    lists: Lists,
    read: () => Promise<readonly Definition[]>,
  ): Promise<readonly Definition[]> {
    try {
      const found = await read();
      return this.record(connection, lists, () => found);
    } catch (error) {
      const until = connection.clock.elapsed() + FAILED_LIST_TTL;
      this.#failed.set(connection, { lists, error, until });
      throw error;
    } finally {
      if (this.#reading.get(connection)?.lists === lists) this.#reading.delete(connection);
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
