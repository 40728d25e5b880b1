import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { toCanonicalJson } from './canonical-json.js';

/** The same value with the members of every object in the reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, turned(inner)]),
  );
}

describe('toCanonicalJson', () => {
  it('returns equal text for equal values, whatever the order of members', () => {
    fc.assert(fc.property(fc.jsonValue(), value => toCanonicalJson(turned(value)) === toCanonicalJson(value)));
  });

  it('returns different text for different values, as JSON of the value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const equal = JSON.stringify(turned(turned(a))) === JSON.stringify(b);
        if (!equal && toCanonicalJson(a) === toCanonicalJson(b))
          expect(JSON.parse(toCanonicalJson(a))).toEqual(JSON.parse(JSON.stringify(b)));
        expect(JSON.parse(toCanonicalJson(a))).toEqual(JSON.parse(JSON.stringify(a)));
      }),
    );
  });

  it('returns the same text as JSON.stringify with a sorting replacer', () => {
    const sort = (_: string, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member;
    const anything = fc.anything({
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      key: fc.oneof(fc.string({ unit: 'binary' }), fc.nat(20).map(String), fc.constantFrom('__proto__', 'toString')),
    });
    fc.assert(
      fc.property(anything, value => {
        expect(toCanonicalJson(value)).toBe(JSON.stringify(value, sort) ?? 'null');
      }),
      { numRuns: takeRuns(2000) },
    );
  });

  it('distinguishes an array from an object, text from a number, and __proto__ from nothing', () => {
    const values = [
      [1],
      { 0: 1 },
      '1',
      1,
      {},
      JSON.parse('{"__proto__":1}'),
      [],
      null,
      'null',
      ['a', ['b']],
      ['a', 'b'],
    ];
    expect(new Set(values.map(toCanonicalJson)).size).toBe(values.length);
    expect(toCanonicalJson(undefined)).toBe('null');
  });
});
