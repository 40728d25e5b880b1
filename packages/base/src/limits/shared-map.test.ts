import { describe, expect, it } from 'vitest';
import { SharedMap } from './shared-map.js';

const keysOf = (map: SharedMap<number>) => [...map].map(([key]) => key);

describe('SharedMap', () => {
  it('drops the oldest entry beyond its limit', () => {
    const map = new SharedMap<number>(2);
    for (const key of ['a', 'b', 'c']) map.set(key, 1, 'ada');
    expect(keysOf(map)).toEqual(['b', 'c']);
  });

  it('drops the oldest entry of the caller that holds most', () => {
    const map = new SharedMap<number>(4);
    map.set('ada', 1, 'ada');
    for (let n = 0; n < 100; n += 1) map.set(`eve ${n}`, n, 'eve');
    expect(keysOf(map)).toEqual(['ada', 'eve 97', 'eve 98', 'eve 99']);
    map.set('bob', 1, 'bob');
    expect(keysOf(map)).toEqual(['ada', 'eve 98', 'eve 99', 'bob']);
  });

  it('replaces an entry, and puts it at the end', () => {
    const map = new SharedMap<number>(2);
    map.set('a', 1, 'ada');
    map.set('b', 2, 'ada');
    map.set('a', 3, 'bob');
    expect([...map]).toEqual([
      ['b', 2],
      ['a', 3],
    ]);
    expect(map.delete('a')).toBe(true);
    expect(map.delete('a')).toBe(false);
    expect([map.size, map.get('b')]).toEqual([1, 2]);
  });
});
