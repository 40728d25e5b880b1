import { SharedLimit } from './shared-limit.js';

/**
 * A map with a limit. Beyond the limit, the oldest entry of the caller with the most entries is removed. So no caller
 * removes entries of callers with few entries.
 */
export class SharedMap<V> {
  readonly #held: SharedLimit;
  readonly #entries = new Map<string, { readonly value: V; readonly caller: string }>();

  constructor(limit: number) {
    this.#held = new SharedLimit(limit);
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Iterates over the entries, the oldest first. */
  *[Symbol.iterator](): Generator<[key: string, value: V]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }

  /** Adds an entry of a caller at the end. */
  set(key: string, value: V, caller: string): void {
    this.delete(key);
    this.#entries.set(key, { value, caller });
    this.#held.add(caller);
    if (this.#held.total > this.#held.limit) this.#deleteOldest(this.#held.findLargest(caller));
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#held.release(entry.caller);
    return this.#entries.delete(key);
  }

  #deleteOldest(caller: string): void {
    for (const [key, entry] of this.#entries) if (entry.caller === caller) return void this.delete(key);
  }
}
