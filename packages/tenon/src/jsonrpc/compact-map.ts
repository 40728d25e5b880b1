import type { Id } from './message.js';

/**
 * A map for few entries. It usually has at most one entry, which it stores without a `Map`. A `Map` reallocates memory
 * while keys come and go, and an empty one wastes memory in every idle session.
 */
export class CompactMap<T> {
  #id: Id | undefined;
  #only: T | undefined;
  #many: Map<Id, T> | undefined;

  get size(): number {
    if (this.#many) return this.#many.size;
    return this.#id === undefined ? 0 : 1;
  }

  has(id: Id): boolean {
    return this.#many ? this.#many.has(id) : this.#id === id;
  }

  get(id: Id): T | undefined {
    if (this.#many) return this.#many.get(id);
    return this.#id === id ? this.#only : undefined;
  }

  set(id: Id, value: T): void {
    if (this.#many) this.#many.set(id, value);
    else if (this.#id === undefined || this.#id === id) this.#setOnly(id, value);
    else {
      this.#many = new Map([
        [this.#id, this.#only as T],
        [id, value],
      ]);
      this.#setOnly(undefined, undefined);
    }
  }

  /** Deletes the entry of an ID. Returns false if there was none. */
  delete(id: Id): boolean {
    if (!this.has(id)) return false;
    this.#many?.delete(id);
    if (this.#many === undefined) this.#setOnly(undefined, undefined);
    else if (this.#many.size === 0) this.#many = undefined;
    return true;
  }

  clear(): void {
    this.#many = undefined;
    this.#setOnly(undefined, undefined);
  }

  /** Returns a copy of all entries, in the order of insertion. Later changes do not affect it. */
  entries(): [Id, T][] {
    if (this.#many) return [...this.#many];
    return this.#id === undefined ? [] : [[this.#id, this.#only as T]];
  }

  #setOnly(id: Id | undefined, value: T | undefined): void {
    this.#id = id;
    this.#only = value;
  }
}
