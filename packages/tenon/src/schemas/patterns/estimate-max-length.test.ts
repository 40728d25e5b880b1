import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { estimateGrowth, MAX_PATTERN } from './estimate-max-length.js';
import { parsePattern } from './parse-pattern.js';
import { toUnicodePattern } from './unicode-pattern.js';

/** The longest string on which a pattern of a peer is run. */
const getMaxLength = (source: string): number => (source.length > MAX_PATTERN ? 0 : estimateGrowth(source).maxLength);

describe('estimateGrowth', () => {
  it('allows long strings for patterns that match in linear time', () => {
    const straight = [
      '^[a-z]+$',
      '^[a-z]+-[0-9]+$',
      '^\\d{4}-\\d{2}-\\d{2}$',
      '^(a|b)*$',
      '^([a-z0-9]+-)*[a-z0-9]+$',
      '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$',
      '^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$',
    ];
    for (const source of straight) expect([source, getMaxLength(source) >= 3000]).toEqual([source, true]);
  });

  it('allows short strings only for patterns that backtrack', () => {
    const wild = [
      '^(a+)+$',
      '^(a*)*$',
      '(a|a)*b',
      '^(a|ab|b)*$',
      '^((a+)+)+$',
      '^(\\w+\\s?)*$',
      '(x+x+)+y',
      '^(a?){60}b',
    ];
    for (const source of wild) expect([source, getMaxLength(source) <= 24]).toEqual([source, true]);
    expect(getMaxLength('^a*a*a*a*b$')).toBeLessThan(100);
    expect(getMaxLength('(a|a){10}(a|a){10}(a|a){10}(a|a){10}$')).toBe(0);
    expect(getMaxLength('a'.repeat(3000))).toBe(0);
    expect(getMaxLength(`${'('.repeat(90)}a${')'.repeat(90)}`)).toBe(0);
  });

  it('keeps every match short in time', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '\\w', '.', 'a*', 'a+', '[ab]+', 'a?', '\\w{2,}', 'b{1,3}');
    const pattern = fc.letrec(tie => ({
      any: fc.oneof({ depthSize: 'small' }, atom, tie('seq'), tie('alt'), tie('loop')),
      seq: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `${a}${b}`),
      alt: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `(?:${a}|${b})`),
      loop: fc.tuple(tie('any'), fc.constantFrom('*', '+', '{2,}', '{3}', '?')).map(([a, q]) => `(?:${a})${q}`),
    })).any as fc.Arbitrary<string>;
    fc.assert(
      fc.property(pattern, fc.boolean(), (body, anchored) => {
        const source = anchored ? `^(?:${body})$` : `${body}!`;
        const text = `${'a'.repeat(Math.min(2000, Math.max(0, getMaxLength(source) - 1)))}?`;
        const match = () => runInNewContext('new RegExp(source, "u").test(text)', { source, text }, { timeout: 1500 });
        expect(match, source).not.toThrow();
      }),
      { numRuns: takeRuns(300), interruptAfterTimeLimit: 20_000 },
    );
  });
});

describe('parsePattern', () => {
  it('reads every kind of atom', () => {
    const source = '^(?<y>\\d{4})(?=x|\\])[^\\]a]\\u{1F600}\\p{L}\\k<y>(?:a|)\\b.{2,}?$';
    const [branch] = parsePattern(source) ?? [];
    expect(branch?.map(({ atom }) => atom.kind)).toEqual([
      'start',
      'group',
      'group',
      'chars',
      'chars',
      'chars',
      'echo',
      'group',
      'edge',
      'chars',
      'end',
    ]);
    expect(branch?.at(-2)).toMatchObject({ atom: { chars: '.' }, min: 2, max: Number.POSITIVE_INFINITY });
  });

  it('ends for any valid pattern', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a(|)[]*+?{1,}\\d^$.-') }), source => {
        if (toUnicodePattern(source) === source) expect(getMaxLength(source)).toBeGreaterThanOrEqual(0);
      }),
      { numRuns: takeRuns(2000) },
    );
  });
});

describe('toUnicodePattern', () => {
  it('replaces escapes that Unicode patterns do not have', () => {
    expect(toUnicodePattern('\\-')).toBe('-');
    expect(toUnicodePattern('[a\\-z]')).toBe('[a\\-z]');
    expect(toUnicodePattern('\\.')).toBe('\\.');
    expect(toUnicodePattern('(')).toBeUndefined();
  });
});
