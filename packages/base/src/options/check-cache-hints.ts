import { type Check, checkOneOf, checkOptional, checkWhole } from './check.js';
import { checkOptions } from './check-options.js';

/** Cache hints, which are members of results: a lifetime in milliseconds, and a scope. */
interface CacheHints {
  readonly ttlMs?: number | undefined;
  readonly cacheScope?: 'public' | 'private' | undefined;
}

/**
 * Checks the cache hints that a server adds to its results. Clients refuse each result with an invalid one.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export const checkCacheHints: Check = checkOptions<CacheHints>({
  ttlMs: checkOptional(checkWhole('a whole number of milliseconds, at least 0', 0)),
  cacheScope: checkOptional(checkOneOf('public', 'private')),
});
