import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson, findJsonFault } from './json-value.js';

describe('a JSON value', () => {
  it('has no fault, and its copy is what JSON makes of it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
        expect(findJsonFault(value)).toBeUndefined();
        expect(copyJson(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it.each<[string, unknown]>([
    ['/: undefined', undefined],
    ['/: NaN', Number.NaN],
    ['/: -Infinity', Number.NEGATIVE_INFINITY],
    ['/: bigint', 1n],
    ['/: symbol', Symbol('s')],
    ['/: function', () => 1],
    ['/: a Date', new Date(0)],
    ['/: a Map', new Map()],
    ['/a/b/1: a Uint8Array', { a: { b: [1, new Uint8Array(1)] } }],
    ['/0: undefined', [undefined]],
    ['/1: undefined', Object.assign([1], { length: 2 })],
    ['/a: function', { a: () => 1 }],
    ['/toJSON: function', { toJSON: () => 1 }],
  ])('is not what has the fault %s', (fault, value) => {
    expect(findJsonFault(value)).toBe(fault);
  });

  it('is not what goes round in a circle, or is very deep', () => {
    const round: { at?: unknown } = {};
    round.at = round;
    expect(findJsonFault(round)).toMatch(/deeper than 64/);
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    expect(findJsonFault(deep(64))).toBeUndefined();
    expect(findJsonFault(deep(65))).toMatch(/deeper than 64/);
  });

  it('may lack members, and may have no prototype', () => {
    const bare = Object.assign(Object.create(null), { a: 1, b: undefined });
    expect(findJsonFault(bare)).toBeUndefined();
    expect(copyJson(bare)).toStrictEqual({ a: 1 });
  });

  it('is copied whole', () => {
    const value = { list: [{ a: 1 }], zero: -0 };
    const copy = copyJson(value);
    copy.list.push({ a: 2 });
    (copy.list[0] as { a: number }).a = 3;
    expect(value.list).toEqual([{ a: 1 }]);
    expect(Object.is(copy.zero, 0)).toBe(true);
    expect(Object.keys(copyJson(JSON.parse('{"__proto__":{"a":1}}')))).toEqual(['__proto__']);
  });
});
