import type { UpstreamConnection } from './upstream-connection.js';

/** Connections grouped by key, so that an event for one key does not iterate over all connections. */
export class ConnectionGroups<Key> {
  readonly #groups = new Map<Key, Set<UpstreamConnection>>();

  get(key: Key): Iterable<UpstreamConnection> {
    return this.#groups.get(key) ?? [];
  }

  add(key: Key, connection: UpstreamConnection): void {
    const group = this.#groups.get(key) ?? new Set();
    this.#groups.set(key, group.add(connection));
  }

  delete(key: Key, connection: UpstreamConnection): void {
    const group = this.#groups.get(key);
    group?.delete(connection);
    if (group?.size === 0) this.#groups.delete(key);
  }

  clear(): void {
    this.#groups.clear();
  }
}
