import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeFingerprint } from './fingerprint.js';

describe('computeFingerprint', () => {
  it('ignores the order of members', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), value => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        expect(computeFingerprint(turned)).toBe(computeFingerprint(value));
      }),
    );
  });

  it('differs when the value does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const equal = JSON.stringify(copySorted(one)) === JSON.stringify(copySorted(other));
        expect(computeFingerprint(one) === computeFingerprint(other)).toBe(equal);
      }),
    );
  });

  it('is short, and equal for none of 200,000 similar values', () => {
    const marks = new Set<string>();
    for (let n = 0; n < 200_000; n++)
      marks.add(computeFingerprint(['elicitation/create', { message: `Question ${n}?` }]));
    expect(marks.size).toBe(200_000);
    expect([...marks].filter(({ length }) => length > 11)).toEqual([]);
  });
});

function copySorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copySorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, copySorted(member)] as const);
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
