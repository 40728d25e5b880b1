import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doesGlobCover, doesMatchGlob } from './glob.js';

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

describe('a glob', () => {
  it('matches what its regular expression would', () => {
    fc.assert(
      fc.property(glob, text, (pattern, subject) => {
        expect(doesMatchGlob(pattern, subject)).toBe(reference(pattern, subject));
      }),
      { numRuns: 5000 },
    );
  });

  it('matches whole texts, and slashes like anything else', () => {
    expect(doesMatchGlob('notes/*', 'notes/a/b')).toBe(true);
    expect(doesMatchGlob('otes', 'notes')).toBe(false);
    expect(doesMatchGlob('', '')).toBe(true);
    expect(doesMatchGlob('', 'a')).toBe(false);
    expect(doesMatchGlob('a.b', 'axb')).toBe(false);
  });

  it('takes no longer for texts that are made to be slow', () => {
    const pattern = `${'*a'.repeat(200)}b`;
    const before = performance.now();
    expect(doesMatchGlob(pattern, 'a'.repeat(100_000))).toBe(false);
    expect(performance.now() - before).toBeLessThan(2000);
  });

  it('counts a character outside of the basic plane as one when it is compared with another', () => {
    expect(doesGlobCover('?', '😀')).toBe(true);
    expect(doesGlobCover('?b', '😀b')).toBe(true);
    expect(doesGlobCover('😀b', '😀b')).toBe(true);
    expect(doesGlobCover('??', '😀')).toBe(false);
  });

  it('is said to cover another only when it does', () => {
    fc.assert(
      fc.property(glob, glob, text, (wide, narrow, subject) => {
        if (doesGlobCover(wide, narrow) && doesMatchGlob(narrow, subject))
          expect(doesMatchGlob(wide, subject)).toBe(true);
      }),
      { numRuns: 5000 },
    );
    expect(doesGlobCover('*', 'a*')).toBe(true);
    expect(doesGlobCover('list_*', 'list_notes')).toBe(true);
    expect(doesGlobCover('a?c', 'a?c')).toBe(true);
    expect(doesGlobCover('a?', 'a*')).toBe(false);
    expect(doesGlobCover('list_*', '*')).toBe(false);
  });
});
