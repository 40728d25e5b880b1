import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json/json-object.js';
import { JsonCache } from './json-cache.js';

function createCounted() {
  const computed: JsonObject[] = [];
  const cache = new JsonCache(json => {
    computed.push(json);
    return { json };
  });
  return { cache, computed };
}

describe('JsonCache', () => {
  it('computes once for equal objects, from a copy', () => {
    const { cache, computed } = createCounted();
    const first = { a: { b: 1 } };
    const value = cache.get(first);
    expect(cache.get({ a: { b: 1 } })).toBe(value);
    expect(cache.get({ a: { b: 2 } })).not.toBe(value);
    first.a.b = 3;
    expect([value.json, cache.get(first).json]).toEqual([{ a: { b: 1 } }, { a: { b: 3 } }]);
    expect(computed).toHaveLength(3);
  });

  it('keeps 64 values, and drops the one that was used least recently', () => {
    const { cache, computed } = createCounted();
    for (let n = 0; n < 64; n++) cache.get({ n });
    cache.get({ n: 0 });
    cache.get({ n: 64 });
    expect(computed).toHaveLength(65);
    for (const n of [0, 2, 64]) cache.get({ n });
    expect(computed).toHaveLength(65);
    cache.get({ n: 1 });
    expect(computed).toHaveLength(66);
  });

  it('does not store the value of a text of more than 8,192 characters', () => {
    const { cache, computed } = createCounted();
    const withText = (length: number) => ({ a: 'x'.repeat(length - '{"a":""}'.length) });
    for (const length of [8192, 8192, 8193, 8193]) cache.get(withText(length));
    expect(computed).toHaveLength(3);
  });

  it('does not store an error', () => {
    let calls = 0;
    const cache = new JsonCache(() => {
      calls += 1;
      throw new Error(`call ${calls}`);
    });
    for (const message of ['call 1', 'call 2']) expect(() => cache.get({})).toThrow(message);
  });
});
