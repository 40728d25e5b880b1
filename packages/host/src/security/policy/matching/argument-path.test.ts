import { describe, expect, it } from 'vitest';
import { compilePath, findUnnamed, findValues } from './argument-path.js';

const find = (value: unknown, path: string, certain = true) => {
  const { values, isComplete, isTruncated } = findValues(value, compilePath(path, certain));
  return { values, isComplete, isTruncated };
};
const nest = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : [nest(depth - 1, inner)]);

describe('findArgumentValues', () => {
  it.each(['text', 7, null, true])('finds none below %j, which has no members', value => {
    for (const path of ['a.0', 'a.b', 'a.length', 'a.?', 'a.**.b']) {
      for (const certain of [true, false]) expect(find({ a: value }, path, certain).values).toEqual([]);
    }
    expect(find({ a: value }, 'a.b')).toEqual({ values: [], isComplete: false, isTruncated: false });
    expect(find({ a: value }, 'a.*').values).toEqual([value]);
  });

  it('finds those of each element, and is incomplete when one lacks the member', () => {
    expect(find({ a: [{ b: 1 }, { b: 2 }] }, 'a.b')).toEqual({ values: [1, 2], isComplete: true, isTruncated: false });
    expect(find({ a: [{ b: 1 }, {}] }, 'a.b')).toEqual({ values: [1], isComplete: false, isTruncated: false });
    expect(find({ a: [{ b: 1 }, { b: 2 }] }, 'a.1.b').values).toEqual([2]);
    expect(find({ a: { x: { b: 1 }, b: 2 } }, 'a.**.b')).toEqual({
      values: [2, 1],
      isComplete: true,
      isTruncated: false,
    });
  });

  it('finds up to the limit', () => {
    for (const path of ['a', 'a.*']) {
      expect(find({ a: Array(10_000).fill(1) }, path)).toMatchObject({ isTruncated: false });
      const more = find({ a: Array(10_001).fill(1) }, path);
      expect([more.values.length, more.isTruncated]).toEqual([10_000, true]);
    }
  });

  it('finds down to the depth limit', () => {
    for (const path of ['a', 'a.*']) {
      expect(find({ a: nest(64, 1) }, path)).toMatchObject({ values: [1], isTruncated: false });
      expect(find({ a: nest(65, 1) }, path)).toMatchObject({ values: [], isTruncated: true });
    }
  });

  it('visits up to the limit of nodes', () => {
    const elements = (count: number) => ({ a: Array(count).fill({}) });
    // The arguments and the array are nodes too. The array counts twice where all that lies below it is collected.
    expect(find(elements(99_998), 'a.b').isTruncated).toBe(false);
    expect(find(elements(99_999), 'a.b').isTruncated).toBe(true);
    expect(find(elements(99_997), 'a.*').isTruncated).toBe(false);
    expect(find(elements(99_998), 'a.*').isTruncated).toBe(true);
  });
});

describe('findUnnamedArgument', () => {
  const unnamed = (value: unknown, ...paths: string[]) =>
    findUnnamed(
      value,
      paths.map(path => compilePath(path, true)),
    );

  it('returns its path', () => {
    expect(unnamed({ a: 1 }, 'a')).toBeUndefined();
    expect(unnamed({ a: 1, b: 2 }, 'a')).toBe('/b');
    expect(unnamed({ a: { b: 1, c: 2 } }, 'a.b')).toBe('/a/c');
    expect(unnamed({ a: { b: 1, c: 2 } }, 'a.*')).toBeUndefined();
    expect(unnamed({ a: [{ b: 1 }, { c: 2 }] }, 'a.b')).toBe('/a/1/c');
    expect(unnamed({ a: 'text' }, 'a.b')).toBe('/a');
    expect(unnamed({ a: null }, 'a.b')).toBe('/a');
  });

  it('returns a path up to the depth limit', () => {
    const path = Array(200).fill('0').join('.');
    expect(unnamed(nest(64, 1), path)?.split('/')).toHaveLength(65);
    expect(unnamed(nest(150, 1), path)?.split('/')).toHaveLength(65);
  });
});
