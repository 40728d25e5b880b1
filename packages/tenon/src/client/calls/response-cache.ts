import { type Clock, copyJson, type JsonObject, setNewest, toCanonicalJson } from '@tenon/base';
import type { MethodName } from '../../protocol/method-types.js';
import { methods } from '../../protocol/methods.js';

interface CacheEntry {
  readonly method: string;
  readonly uri: unknown;
  readonly result: JsonObject;
  readonly expiresAt: number;
}

/**
 * Caches results for the lifetime that the server declares. A client has one principal, so private results are cached
 * too.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResponseCache {
  readonly #size: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, CacheEntry>();
  /** Number that increases with each change that the server reports. A result that was requested before is not cached. */
  generation = 0;

  constructor(size: number, clock: Clock) {
    this.#size = size;
    this.#clock = clock;
  }

  /** Returns a copy of the cached result, which the caller may change. */
  get(method: MethodName, params: JsonObject): JsonObject | undefined {
    if (this.#entries.size === 0 || !methods[method].cacheable) return undefined;
    const key = createKey(method, params);
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > this.#clock.now()) return copyJson(entry.result);
    this.#entries.delete(key);
    return undefined;
  }

  /** Caches a copy of a final result if it declares a lifetime, and nothing has changed since it was requested. */
  set(method: MethodName, params: JsonObject, result: JsonObject, generation = this.generation): void {
    const { ttlMs } = result;
    if (generation !== this.generation) return;
    if (!methods[method].cacheable || typeof ttlMs !== 'number' || !(ttlMs > 0) || this.#size === 0) return;
    const key = createKey(method, params);
    const entry = { method, uri: params.uri, result: copyJson(result), expiresAt: this.#clock.now() + ttlMs };
    setNewest(this.#entries, key, entry, this.#size);
  }

  /** Removes the results of these methods, or of one URI and of the resources that it is a part of. */
  invalidate(target: { readonly methods: readonly string[] } | { readonly uri: string }): void {
    this.generation += 1;
    for (const [key, entry] of this.#entries) {
      const isStale =
        'uri' in target
          ? typeof entry.uri === 'string' && (entry.uri === target.uri || isSubResource(target.uri, entry.uri))
          : target.methods.includes(entry.method);
      if (isStale) this.#entries.delete(key);
    }
  }

  clear(): void {
    this.generation += 1;
    this.#entries.clear();
  }
}

/**
 * Tells if a URI is below another one in the path: `file:///dir/a.txt` is below `file:///dir`. A server may report the
 * change of a sub-resource to a client that has subscribed to the resource.
 */
export function isSubResource(uri: string, parent: string): boolean {
  if (uri.length <= parent.length || !uri.startsWith(parent)) return false;
  return parent.endsWith('/') || uri[parent.length] === '/';
}

function createKey(method: string, { _meta, ...params }: JsonObject): string {
  return `${method} ${toCanonicalJson(params)}`;
}
