import { describe, expect, it } from 'vitest';
import { mergeCacheHints, readCacheHints } from './cache-hints.js';

it.each([
  [5000, 5000],
  [0, 0],
  [-1, 0],
  [1.5, 1],
  [1e308, 2 ** 31 - 1],
  [2 ** 53, 2 ** 31 - 1],
  ['5000', undefined],
  [true, undefined],
  [{}, undefined],
  [null, undefined],
])('reads the lifetime %j as %j [caching.ttl-negative-as-zero] [caching.ttl-non-negative]', (ttlMs, read) => {
  expect(readCacheHints({ ttlMs }).ttlMs).toBe(read);
  expect(mergeCacheHints({ ttlMs: 10_000 }, { ttlMs }).ttlMs).toBe(Math.min(read ?? 10_000, 10_000));
});

it.each(['shared', 1, null, {}])('reads the scope %j as none [caching.shape]', cacheScope => {
  expect(readCacheHints({ cacheScope })).toEqual({});
  expect(mergeCacheHints({ cacheScope: 'private' }, { cacheScope })).toEqual({ cacheScope: 'private' });
});

describe('mergeCacheHints', () => {
  it('returns the shortest lifetime and the most private scope', () => {
    expect(mergeCacheHints({}, {})).toEqual({});
    expect(mergeCacheHints({ ttlMs: 5 }, { ttlMs: 3, cacheScope: 'public' })).toEqual({
      ttlMs: 3,
      cacheScope: 'public',
    });
    expect(mergeCacheHints({ cacheScope: 'private' }, { cacheScope: 'public' })).toEqual({ cacheScope: 'private' });
  });
});
