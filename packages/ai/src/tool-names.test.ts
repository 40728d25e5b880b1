import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolNames } from './tool-names.js';

describe('createToolNames', () => {
  it('returns valid and unique names for every provider, and maps them back', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, maxLength: 80 }),
      fc.constantFrom('a.b', 'a/b', 'a_b', 'a_b_2', 'é'.repeat(90), '__proto__'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12 }), names => {
        const mapped = createToolNames(names);
        const provider = names.map(mapped.toProvider);
        expect(new Set(provider).size).toBe(names.length);
        for (const each of provider) expect(each).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
        expect(provider.map(mapped.toOriginal)).toEqual(names);
      }),
    );
  });

  it('keeps valid names, whatever precedes them', () => {
    const { toProvider, toOriginal } = createToolNames(['a.b', 'a_b']);
    expect([toProvider('a_b'), toProvider('a.b')]).toEqual(['a_b', 'a_b_2']);
    expect(toOriginal('other')).toBeUndefined();
  });
});
