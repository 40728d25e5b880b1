import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredValue, Stores } from '@tenon/base';
import { type FakeClock, fakeClock } from '@tenon/testing';
import { type Arbitrary, array, assert, asyncProperty, constantFrom, integer, oneof, option, record } from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { sqliteStores } from '../sqlite.js';
import { memoryStores } from './memory-stores.js';

const key = constantFrom('a', 'a/', 'a/1', 'a/2', 'a~', 'b', 'A', ' ');
const version = option(integer({ min: 0, max: 3 }), { nil: undefined });
const step = oneof(
  record({
    what: constantFrom('put' as const),
    key,
    version,
    ttl: option(integer({ min: 0, max: 20 }), { nil: undefined }),
  }),
  record({ what: constantFrom('delete' as const), key, version }),
  record({ what: constantFrom('get' as const), key }),
  record({
    what: constantFrom('list' as const),
    key: constantFrom('', 'a', 'a/', 'b', 'c'),
    after: option(key, { nil: undefined }),
    limit: option(integer({ min: 1, max: 4 }), { nil: undefined }),
  }),
  record({ what: constantFrom('pass' as const), ms: integer({ min: 1, max: 15 }) }),
);
type Step = typeof step extends Arbitrary<infer T> ? T : never;

/** What values are to be, said by a map. */
function model(clock: FakeClock) {
  const map = new Map<string, { n: number; version: number; ends: number }>();
  const at = (key: string) => {
    const entry = map.get(key);
    return entry && entry.ends > clock.now() ? entry : undefined;
  };
  const stored = (key: string): StoredValue | undefined => {
    const entry = at(key);
    return entry && { key, value: { n: entry.n }, version: entry.version };
  };
  return {
    get: stored,
    put(key: string, n: number, { version, ttl }: { version?: number | undefined; ttl?: number | undefined }) {
      const there = at(key)?.version ?? 0;
      if (version !== undefined && version !== there) return undefined;
      map.set(key, { n, version: there + 1, ends: ttl === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttl });
      return there + 1;
    },
    delete(key: string, version?: number) {
      const there = at(key);
      return there !== undefined && (version === undefined || version === there.version) && map.delete(key);
    },
    list(prefix: string, { after = '', limit = 1000 }: { after?: string | undefined; limit?: number | undefined }) {
      const keys = [...map.keys()].filter(key => key.startsWith(prefix) && key > after).sort();
      return keys.flatMap(key => stored(key) ?? []).slice(0, limit);
    },
  };
}

async function follow({ values }: Stores, clock: FakeClock, steps: readonly Step[]): Promise<void> {
  const expected = model(clock);
  for (const [n, step] of steps.entries()) {
    if (step.what === 'pass') clock.advance(step.ms);
    else if (step.what === 'get') expect(await values.get(step.key)).toEqual(expected.get(step.key));
    else if (step.what === 'put') expect(await values.put(step.key, { n }, step)).toBe(expected.put(step.key, n, step));
    else if (step.what === 'delete')
      expect(await values.delete(step.key, step.version)).toBe(expected.delete(step.key, step.version));
    else expect(await values.list(step.key, step)).toEqual(expected.list(step.key, step));
  }
  expect(await values.list('')).toEqual(expected.list('', {}));
}

describe('stores behave like a map with versions and expiry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-stores-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  let files = 0;

  it.each<[string, number, (clock: FakeClock) => Stores]>([
    ['in memory', 300, clock => memoryStores({ clock })],
    ['in a file', 60, clock => sqliteStores(join(folder, `${++files}.db`), { clock })],
  ])('after any steps %s', async (_, numRuns, open) => {
    await assert(
      asyncProperty(array(step, { minLength: 5, maxLength: 40 }), async steps => {
        const clock = fakeClock(1000);
        const stores = open(clock);
        await follow(stores, clock, steps).finally(stores.close);
      }),
      { numRuns },
    );
  });
});
