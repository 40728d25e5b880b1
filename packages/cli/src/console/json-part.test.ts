import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJsonPart } from './json-part.js';

const read = (value: unknown, path: readonly number[] = [], from = 0, size?: number) =>
  readJsonPart(JSON.stringify(value), { path, from, size });

describe('readJsonPart', () => {
  it('returns any small value as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), value => {
        expect(read(value)).toEqual({ value: JSON.parse(JSON.stringify(value)), cuts: [] });
      }),
    );
  });

  it('returns any member of any value by its position', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }), value => {
        const own: unknown[] = Object.values(JSON.parse(JSON.stringify(value)));
        for (const [position, member] of own.entries()) expect(read(value, [position]).value).toEqual(member);
      }),
    );
  });

  it('cuts lists, objects and texts, and returns the next members from a position', () => {
    const value = { list: Array.from({ length: 250 }, (_, at) => at), text: 'x'.repeat(30_000), more: { '"\\': [{}] } };
    const { value: part, cuts } = read(value);
    expect(part).toEqual({ list: value.list.slice(0, 100), text: 'x'.repeat(20_000), more: value.more });
    expect(cuts).toEqual([
      { path: [0], shown: 100, total: 250 },
      { path: [1], shown: 20_000, total: 30_000 },
    ]);
    expect(read(value, [0], 100)).toEqual({
      value: value.list.slice(100, 200),
      cuts: [{ path: [0], shown: 200, total: 250 }],
    });
    expect(read(value, [0], 200, 500)).toEqual({ value: value.list.slice(200), cuts: [] });
    expect(read(value, [1], 20_000)).toEqual({ value: 'x'.repeat(10_000), cuts: [] });
  });

  it('returns a bounded part of a value with many levels, and each level on request', () => {
    const level = (depth: number): unknown =>
      depth === 0 ? 'text' : Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}`, level(depth - 1)]));
    const value = level(4);
    const { value: part, cuts } = read(value);
    expect(JSON.stringify(part).length).toBeLessThan(60_000);
    expect(Object.keys(Object(part))).toHaveLength(20);
    expect(cuts).toContainEqual({ path: [19], shown: 0, total: 20 });
    expect(Object.keys(Object(read(value, [19]).value))).toHaveLength(20);
  });

  it('keeps apart long names with the same beginning', () => {
    const value = { [`${'n'.repeat(600)}1`]: 1, [`${'n'.repeat(600)}2`]: 2 };
    expect(Object.values(Object(read(value).value))).toEqual([1, 2]);
  });

  it('cuts no character of two units in half', () => {
    const value = `${'x'.repeat(19_999)}😀😀`;
    const { value: part, cuts } = read(value);
    expect(part).toBe('x'.repeat(19_999));
    expect(read(value, [], cuts[0]?.shown).value).toBe('😀😀');
  });

  it('keeps all digits of a number', () => {
    expect(readJsonPart('{"n":9007199254740993}').cuts).toEqual([]);
  });
});
