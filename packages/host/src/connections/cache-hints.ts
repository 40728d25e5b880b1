import type { Cacheable } from 'tenon/host-internals';

/** Maximum lifetime that is passed on, in milliseconds: nearly 25 days, which clients in every language can represent. */
const MAX_LIFETIME = 2 ** 31 - 1;

/**
 * Reads the cache hints of a server's result, which a gateway passes on. A negative lifetime counts as 0, and a fraction
 * is rounded down. What is neither a lifetime nor a scope counts as absent.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export function readCacheHints({ ttlMs, cacheScope }: { ttlMs?: unknown; cacheScope?: unknown }): Cacheable {
  return {
    ...(typeof ttlMs === 'number' ? { ttlMs: Math.min(Math.max(0, Math.floor(ttlMs)), MAX_LIFETIME) } : {}),
    ...(cacheScope === 'private' || cacheScope === 'public' ? { cacheScope } : {}),
  };
}

/** Merges the cache hints of a result with those of the results before it. The shortest time applies to all. */
export function mergeCacheHints(before: Cacheable, result: { ttlMs?: unknown; cacheScope?: unknown }): Cacheable {
  const { ttlMs, cacheScope } = readCacheHints(result);
  const times = [before.ttlMs, ttlMs].filter(time => time !== undefined);
  const scopes = [before.cacheScope, cacheScope];
  return {
    ...(times.length > 0 ? { ttlMs: Math.min(...times) } : {}),
    ...(scopes.includes('private') ? { cacheScope: 'private' as const } : cacheScope ? { cacheScope } : {}),
  };
}
