import type { JsonObject } from './json-object.js';

/** Maximum number of values. Beyond it, the least recently used value is removed. */
const MAX_ENTRIES = 64;
/** Maximum length of a JSON text in the cache, in characters. Values of longer texts are not cached. */
const MAX_TEXT = 8192;

/** A cache of values that are computed from JSON objects. Objects with the same JSON text share one value. */
export class JsonCache<T> {
  readonly #compute: (json: JsonObject) => T;
  readonly #entries = new Map<string, T>();

  /** @param compute Computes a value from a copy of the object. Its errors are not cached. */
  constructor(compute: (json: JsonObject) => T) {
    this.#compute = compute;
  }

  /** Returns the value of an object. Throws the errors of `compute` and of `JSON.stringify`. */
  get(json: JsonObject): T {
    const text = JSON.stringify(json);
    const known = this.#entries.get(text);
    if (known === undefined) return this.#add(text);
    // The map is in the order of use, so the value moves to the end.
    this.#entries.delete(text);
    this.#entries.set(text, known);
    return known;
  }

  #add(text: string): T {
    const value = this.#compute(JSON.parse(text) as JsonObject);
    if (text.length > MAX_TEXT) return value;
    if (this.#entries.size === MAX_ENTRIES) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(text, value);
    return value;
  }
}
