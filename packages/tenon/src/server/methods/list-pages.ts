import type { JsonObject } from '@tenon/base';
import { markPreserialized } from '../../jsonrpc/message.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import { finalizeCacheable } from '../decode-encode.js';
import type { ServerRuntime } from '../server-runtime.js';
import { paginate } from './paginate.js';

/** Maximum number of cached pages of one list. Clients may request a page from any position. */
const MAX_CACHED_PAGES = 100;
const pageCache = new WeakMap<readonly unknown[], Map<string, JsonObject>>();

/** A page of a list, and the name of the result member for its entries. */
export interface PageRequest<T> {
  readonly key: string;
  readonly all: readonly T[];
  readonly getKey: (item: T) => string;
  readonly cursor: unknown;
  readonly pageSize: number;
}

/** Creates a page and caches it while the array of all entries is in use. */
export function createCachedPage<T>(server: ServerRuntime, page: PageRequest<T>, cache: Cacheable = {}): JsonObject {
  // The copy protects the cached page, because a middleware may change the result.
  if ((server.options.use ?? []).length > 0) return createListPage(server, page, cache);
  const { all, cursor = '', key } = page;
  const id = JSON.stringify([key, cursor, cache.ttlMs, cache.cacheScope]);
  const cachedPages = pageCache.get(all) ?? new Map<string, JsonObject>();
  const cached = cachedPages.get(id);
  if (cached) return cached;
  const created = createListPage(server, page, cache);
  if (cachedPages.size >= MAX_CACHED_PAGES) return created;
  const result = markPreserialized(created);
  pageCache.set(all, cachedPages.set(id, result));
  return result;
}

export function createListPage<T>(
  server: ServerRuntime,
  { key, all, getKey, cursor, pageSize }: PageRequest<T>,
  cache: Cacheable,
): JsonObject {
  const { items, nextCursor } = paginate(all, getKey, typeof cursor === 'string' ? cursor : '', pageSize);
  const result = nextCursor === undefined ? { [key]: items } : { [key]: items, nextCursor };
  return finalizeCacheable(server, result, cache);
}
