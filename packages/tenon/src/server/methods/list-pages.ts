import { INVALID_PARAMS, type JsonObject, rpcError } from '@tenon/base';
import { markPreserialized } from '../../jsonrpc/message.js';
import type { Cacheable } from '../../protocol/params-and-results.js';
import { finalizeCacheable } from '../decode-encode.js';
import type { ServerRuntime } from '../server-runtime.js';

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

interface ListPage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
}

/**
 * Splits a list into pages. A list that fits on one page keeps its order. A longer list is sorted by its keys, which
 * are unique.
 *
 * The cursor contains the last key of a page, so entries that are added or removed meanwhile neither hide nor repeat
 * others. Throws -32602 for an invalid cursor.
 */
export function paginate<T>(
  items: readonly T[],
  getKey: (item: T) => string,
  cursor: string | undefined,
  size: number,
): ListPage<T> {
  if (cursor === undefined || cursor === '') {
    return items.length <= size
      ? { items: items, nextCursor: undefined }
      : slicePage(sortByKey(items, getKey), getKey, 0, size);
  }
  const lastKey = decodeCursor(cursor);
  const sorted = sortByKey(items, getKey);
  return slicePage(sorted, getKey, findFirstAfter(sorted, getKey, lastKey), size);
}

function slicePage<T>(sorted: readonly T[], getKey: (item: T) => string, start: number, size: number): ListPage<T> {
  const items = sorted.slice(start, start + size);
  const last = items[items.length - 1];
  const isEnd = start + size >= sorted.length || last === undefined;
  // The encoding that `decodeCursor` reads.
  return { items, nextCursor: isEnd ? undefined : btoa(encodeURIComponent(JSON.stringify([getKey(last)]))) };
}

const sortCache = new WeakMap<readonly unknown[], readonly unknown[]>();

/** Sorts items by key. Lists that are equal for all callers are cached between requests, and so is their order. */
function sortByKey<T>(items: readonly T[], getKey: (item: T) => string): readonly T[] {
  const cached = sortCache.get(items) as readonly T[] | undefined;
  if (cached?.length === items.length) return cached;
  const sorted = items.toSorted((a, b) => compareKeys(getKey(a), getKey(b)));
  sortCache.set(items, sorted);
  return sorted;
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Returns the number of entries with a key up to `key`, by binary search. */
function findFirstAfter<T>(sorted: readonly T[], getKey: (item: T) => string, key: string): number {
  let from = 0;
  let to = sorted.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compareKeys(getKey(sorted[middle] as T), key) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

function decodeCursor(cursor: string): string {
  try {
    const [key] = JSON.parse(decodeURIComponent(atob(cursor)));
    if (typeof key === 'string') return key;
  } catch {
    // An invalid cursor is reported below.
  }
  throw rpcError(INVALID_PARAMS, 'Invalid params: unknown cursor. List again without a cursor');
}
