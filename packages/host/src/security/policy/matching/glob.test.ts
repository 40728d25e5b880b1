import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../../../test/support/cpu-time.js';
import { takeRuns } from '../../../../../../test/support/extent.js';
import { coversGlob, matchGlob } from './glob.js';

const unit = fc.constantFrom('a', 'b', '/', '.', '(', '😀', '\n');
const text = fc.array(unit, { maxLength: 12 }).map(units => units.join(''));
const glob = fc.array(fc.oneof(unit, fc.constantFrom('*', '?')), { maxLength: 8 }).map(units => units.join(''));

/** What a regular expression makes of it. */
function reference(pattern: string, subject: string): boolean {
  const body = [...pattern].map(char =>
    char === '*' ? '[^]*' : char === '?' ? '[^]' : `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
  return new RegExp(`^${body.join('')}$`, 'u').test(subject);
}

describe('matchGlob', () => {
  it('matches as its regular expression does', () => {
    fc.assert(
      fc.property(glob, text, (pattern, subject) => {
        expect(matchGlob(pattern, subject)).toBe(reference(pattern, subject));
      }),
      { numRuns: takeRuns(5000) },
    );
  });

  it('matches complete texts, and slashes like other characters', () => {
    expect(matchGlob('notes/*', 'notes/a/b')).toBe(true);
    expect(matchGlob('otes', 'notes')).toBe(false);
    expect(matchGlob('', '')).toBe(true);
    expect(matchGlob('', 'a')).toBe(false);
    expect(matchGlob('a.b', 'axb')).toBe(false);
  });

  it('takes linear time for hostile texts', async () => {
    const pattern = `${'*a'.repeat(200)}b`;
    const time = await measureCpuTime(() => expect(matchGlob(pattern, 'a'.repeat(100_000))).toBe(false));
    expect(time).toBeLessThan(2000);
  });

  it('compares a character outside of the basic plane as one character', () => {
    expect(coversGlob('?', '😀')).toBe(true);
    expect(coversGlob('?b', '😀b')).toBe(true);
    expect(coversGlob('😀b', '😀b')).toBe(true);
    expect(coversGlob('??', '😀')).toBe(false);
  });

  it('is covered by another glob only if every match is', () => {
    fc.assert(
      fc.property(glob, glob, text, (wide, narrow, subject) => {
        if (coversGlob(wide, narrow) && matchGlob(narrow, subject)) expect(matchGlob(wide, subject)).toBe(true);
      }),
      { numRuns: takeRuns(5000) },
    );
    expect(coversGlob('*', 'a*')).toBe(true);
    expect(coversGlob('list_*', 'list_notes')).toBe(true);
    expect(coversGlob('a?c', 'a?c')).toBe(true);
    expect(coversGlob('a?', 'a*')).toBe(false);
    expect(coversGlob('list_*', '*')).toBe(false);
  });
});
