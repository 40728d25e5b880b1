/** Key of an entry: the ID of a request. */
type Id = string | number;

/** Holds the value of one of several entries. It is empty after the entry was deleted. */
interface Cell<T> {
  value: T | undefined;
}

/**
 * A map for entries that come and go, such as the requests in progress. It usually has at most one entry, which it
 * stores without a `Map`, because an empty `Map` wastes memory in every idle session.
 *
 * The `Map` for more entries holds their values in cells. V8 links each table of a `Map` to the larger or cleaned table
 * that replaces it. If one of them is in the old generation, minor garbage collections keep all later tables and what
 * was in them, so that each request would last until the next major collection.
 */
export class CompactMap<T> {
  #id: Id | undefined;
  #only: T | undefined;
  #many: Map<Id, Cell<T>> | undefined;

  get size(): number {
    if (this.#many) return this.#many.size;
    return this.#id === undefined ? 0 : 1;
  }

  has(id: Id): boolean {
    return this.#many ? this.#many.has(id) : this.#id === id;
  }

  get(id: Id): T | undefined {
    if (this.#many) return this.#many.get(id)?.value;
    return this.#id === id ? this.#only : undefined;
  }

  set(id: Id, value: T): void {
    if (this.#many) this.#many.set(id, { value });
    else if (this.#id === undefined || this.#id === id) this.#setOnly(id, value);
    else {
      this.#many = new Map([
        [this.#id, { value: this.#only }],
        [id, { value }],
      ]);
      this.#setOnly(undefined, undefined);
    }
  }

  /** Deletes the entry of an ID. Returns false if there was none. */
  delete(id: Id): boolean {
    if (this.#many === undefined) {
      if (this.#id !== id) return false;
      this.#setOnly(undefined, undefined);
      return true;
    }
    const cell = this.#many.get(id);
    if (cell === undefined) return false;
    cell.value = undefined;
    this.#many.delete(id);
    if (this.#many.size === 0) this.#many = undefined;
    return true;
  }

  clear(): void {
    this.#many = undefined;
    this.#setOnly(undefined, undefined);
  }

  /** Returns a copy of all entries, in the order of insertion. Later changes do not affect it. */
  entries(): [Id, T][] {
    if (this.#many) return Array.from(this.#many, ([id, { value }]) => [id, value as T]);
    return this.#id === undefined ? [] : [[this.#id, this.#only as T]];
  }

  #setOnly(id: Id | undefined, value: T | undefined): void {
    this.#id = id;
    this.#only = value;
  }
}
