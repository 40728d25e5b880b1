import { describe, expect, it } from 'vitest';
import {
  classifyHidden,
  createExcerpt,
  createHiddenSearch,
  escapeInvisible,
  escapeInvisibleJson,
  type HiddenClass,
  hasInvisible,
  replaceInvisible,
  stripInvisible,
} from './invisible-characters.js';

type Expected = HiddenClass | 'line' | 'visible';

/** Ranges of code points, with their class. `line`: seen in a text, and escaped on one line. */
const ranges: [from: number, to: number, expected: Expected, name: string][] = [
  [0x00, 0x08, 'control', 'C0'],
  [0x09, 0x0a, 'line', 'tab and line feed'],
  [0x0b, 0x1f, 'control', 'C0 with the carriage return and the escape'],
  [0x20, 0x7e, 'visible', 'ASCII'],
  [0x7f, 0x9f, 'control', 'delete and C1'],
  [0xa0, 0xa0, 'line', 'no-break space'],
  [0xa1, 0xac, 'visible', 'Latin-1'],
  [0xad, 0xad, 'invisible', 'soft hyphen'],
  [0x34f, 0x34f, 'invisible', 'combining grapheme joiner'],
  [0x430, 0x44f, 'visible', 'Cyrillic'],
  [0x600, 0x605, 'line', 'Arabic number signs'],
  [0x61c, 0x61c, 'bidi', 'Arabic letter mark'],
  [0x115f, 0x1160, 'invisible', 'Hangul fillers'],
  [0x1680, 0x1680, 'line', 'Ogham space'],
  [0x17b4, 0x17b5, 'invisible', 'Khmer inherent vowels'],
  [0x180b, 0x180d, 'variation', 'Mongolian selectors'],
  [0x180e, 0x180e, 'invisible', 'Mongolian vowel separator'],
  [0x180f, 0x180f, 'variation', 'the fourth Mongolian selector'],
  [0x2000, 0x200a, 'line', 'spaces of widths'],
  [0x200b, 0x200d, 'invisible', 'zero width'],
  [0x200e, 0x200f, 'bidi', 'marks of direction'],
  [0x2028, 0x2029, 'control', 'separators of lines and paragraphs'],
  [0x202a, 0x202e, 'bidi', 'embeddings and overrides'],
  [0x202f, 0x202f, 'line', 'narrow no-break space'],
  [0x205f, 0x205f, 'line', 'mathematical space'],
  [0x2060, 0x2065, 'invisible', 'word joiner and invisible operators'],
  [0x2066, 0x206f, 'bidi', 'isolates and deprecated formats'],
  [0x2800, 0x2800, 'invisible', 'Braille blank'],
  [0x2801, 0x28ff, 'visible', 'Braille'],
  [0x3000, 0x3000, 'line', 'ideographic space'],
  [0x3164, 0x3164, 'invisible', 'Hangul filler'],
  [0x4e00, 0x4e10, 'visible', 'Han'],
  [0xd800, 0xdfff, 'control', 'lone surrogates'],
  [0xe000, 0xf8ff, 'private-use', 'private use'],
  [0xfdd0, 0xfdef, 'invisible', 'noncharacters'],
  [0xfe00, 0xfe0f, 'variation', 'variation selectors'],
  [0xfeff, 0xfeff, 'invisible', 'byte order mark'],
  [0xffa0, 0xffa0, 'invisible', 'halfwidth Hangul filler'],
  [0xfff9, 0xfffb, 'invisible', 'interlinear annotation'],
  [0xfffd, 0xfffd, 'visible', 'replacement character'],
  [0xfffe, 0xffff, 'invisible', 'the last noncharacters of a plane'],
  [0x110bd, 0x110bd, 'line', 'Kaithi number sign'],
  [0x1bca0, 0x1bca3, 'invisible', 'shorthand formats'],
  [0x1d173, 0x1d17a, 'invisible', 'musical formats'],
  [0x1f600, 0x1f64f, 'visible', 'emoji'],
  [0xe0000, 0xe007f, 'tag', 'tags'],
  [0xe0100, 0xe01ef, 'variation', 'variation selectors of plane 14'],
  [0xe0fff, 0xe0fff, 'invisible', 'ignorable and unassigned'],
  [0xf0000, 0xffffd, 'private-use', 'plane 15'],
  [0x100000, 0x10fffd, 'private-use', 'plane 16'],
];

/** The ends of a range, and characters between them: some ranges have 60,000. */
function listCodes(from: number, to: number): number[] {
  const step = Math.max(1, Math.floor((to - from) / 64));
  const codes = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, at) => from + at * step);
  return [...new Set([...codes, to])];
}

describe('invisible characters', () => {
  it.each(ranges)('U+%i to U+%i have class %s: %s', (from, to, expected) => {
    for (const code of listCodes(from, to)) {
      const character = String.fromCodePoint(code);
      const isHidden = expected !== 'visible' && expected !== 'line';
      expect(classifyHidden(code)).toBe(isHidden ? expected : undefined);
      expect(createHiddenSearch().test(character)).toBe(isHidden);
      expect(hasInvisible(`a${character}b`)).toBe(expected !== 'visible');
      const escaped = expected === 'visible' ? character : `\\u{${code.toString(16).toUpperCase()}}`;
      expect(escapeInvisible(`a${character}`)).toBe(`a${escaped}`);
      expect(replaceInvisible(`a${character}${character}b`, '·').length).toBe(
        expected === 'visible' ? 2 + 2 * character.length : 3,
      );
      expect(stripInvisible(`a${character}`).length).toBeLessThanOrEqual(2 + (expected === 'visible' ? 1 : 0));
    }
  });

  it('are escaped in JSON without changing its value', () => {
    const value = { 'a\u202e': `b\u{e0041}\u2800 \u00a0${String.fromCodePoint(0x10fffd)}` };
    const json = escapeInvisibleJson(JSON.stringify(value));
    expect(json).toBe('{"a\\u202e":"b\\udb40\\udc41\\u2800 \\u00a0\\udbff\\udffd"}');
    expect(JSON.parse(json)).toEqual(value);
  });

  it('are removed together with escape sequences', () => {
    const link = '\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\';
    expect(stripInvisible(`\u001b[1;31mred\u001b[0m\t${link} \u009b31mx\u001bP1;2|ab\u001b\\\u202ey\u0007`)).toBe(
      'red text xy',
    );
    expect(stripInvisible('10\u00a0000 plain')).toBe('10 000 plain');
  });

  it('are escaped in an excerpt after it is shortened', () => {
    expect(createExcerpt('ab\ncdef', 4)).toBe('ab\\u{A}c…');
    expect(createExcerpt('abcd', 4)).toBe('abcd');
    expect(createExcerpt('x'.repeat(201))).toBe(`${'x'.repeat(200)}…`);
  });
});
