import type { JsonObject } from '../json/json-object.js';
import { setNewest } from './set-newest.js';

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
    const value = this.#entries.get(text) ?? this.#compute(JSON.parse(text) as JsonObject);
    if (text.length <= MAX_TEXT) setNewest(this.#entries, text, value, MAX_ENTRIES);
    return value;
  }
}
