import { describe, expect, it } from 'vitest';
import {
  createTextContext,
  getFlagLength,
  getNeededLength,
  isLegitimate,
  isLegitimateSelector,
} from './character-context.js';

/** Marks the position of the character in a text. */
const at = '|';
const check = (text: string, code: number) => {
  const [before = '', after = ''] = text.split(at);
  const fullText = before + String.fromCodePoint(code) + after;
  return isLegitimate(fullText, before.length, code, createTextContext(fullText));
};
const select = (before: string, code: number) =>
  isLegitimateSelector(before + String.fromCodePoint(code), before.length, code);
const tags = (text: string) => [...text].map(each => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');

describe('isLegitimate', () => {
  it.each([
    ['a zero width joiner after an Arabic letter', 0x200d, '\u0628|', 'b|'],
    ['a zero width non-joiner after a Persian letter', 0x200c, '\u0645\u06cc|', 'a|b'],
    ['a joiner between emoji', 0x200d, '\u{1f468}|\u{1f469}', '\u{1f468}|a'],
    ['a joiner after a skin tone', 0x200d, '\u{1f468}\u{1f3fd}|\u{1f680}', 'a\u{1f3fd}|\u{1f680}'],
    ['a joiner after an emoji variant', 0x200d, '\u2764\ufe0f|\u{1f525}', 'a\ufe0f|\u{1f525}'],
    ['a joiner before an emoji', 0x200d, '\u{1f468}|\u{1f469}', 'a|\u{1f469}'],
    ['a non-joiner', 0x200c, '\u0628|', '\u{1f468}|\u{1f469}'],
    ['a zero width space after Thai', 0x200b, '\u0e01|a', 'a|b'],
    ['a zero width space before Thai', 0x200b, 'a|\u0e01', 'a|'],
    ['a soft hyphen in a word', 0xad, 'a|b', 'a|'],
    ['a soft hyphen after a letter', 0xad, 'a|b', '1|b'],
    ['a grapheme joiner after a mark', 0x34f, 'a\u0301|b', 'a|b'],
    ['a grapheme joiner before a mark', 0x34f, 'a|\u0301', '|'],
    ['an Arabic letter mark', 0x61c, 'a|\u0628', 'a|b'],
    ['a left-to-right mark', 0x200e, 'a|\u05d0', 'a|b'],
    ['a right-to-left mark', 0x200f, 'a|\u05d0', 'a|b'],
    ['a Hangul filler before a vowel', 0x115f, '|\u1161', '|a'],
    ['a Hangul filler after a consonant', 0x1160, '\u1100|', 'a|'],
    ['a Khmer vowel', 0x17b4, '\u1780|', 'a|'],
    ['another Khmer vowel', 0x17b5, '\u1780|', 'a|'],
    ['a Mongolian vowel separator', 0x180e, '\u1820|', 'a|'],
    ['a Braille blank', 0x2800, '\u2801 |', 'a|'],
    ['a byte order mark', 0xfeff, '|a', 'a|'],
  ])('keeps %s, and only in its context', (_, code, stored, removed) => {
    expect(check(stored, code)).toBe(true);
    expect(check(removed, code)).toBe(false);
  });

  it('keeps no other invisible character', () => {
    for (const code of [0x2060, 0x3164, 0xffa0, 0x1d173]) expect(check('\u0628|\u0628', code)).toBe(false);
  });

  it('considers whole characters before the position', () => {
    expect(check('\u{1f468}|\u{1f469}', 0x200d)).toBe(true);
    expect(check('\ud83d|\u{1f469}', 0x200d)).toBe(false);
    expect(check('\udc68|\u{1f469}', 0x200d)).toBe(false);
  });
});

describe('isLegitimateSelector', () => {
  it.each([
    ['text and emoji style', 0xfe0e, '\u2764', 'a'],
    ['emoji style', 0xfe0f, '\u2764', 'a'],
    ['standardized variants, from the first', 0xfe00, '\u2229', '\u2764\ufe0f'],
    ['standardized variants, to the last', 0xfe0d, '\u2229', 'a'],
    ['ideographic variants', 0xe0100, '\u4e00', '\u2229'],
    ['Mongolian variants', 0x180b, '\u1820', '\u4e00'],
  ])('keeps %s after characters that have them', (_, code, stored, removed) => {
    expect(select(stored, code)).toBe(true);
    expect(select(removed, code)).toBe(false);
  });

  it('keeps none at the start', () => {
    for (const code of [0xfe0f, 0xfe00, 0xe0100, 0x180b]) expect(select('', code)).toBe(false);
  });

  it('distinguishes styles from standardized variants', () => {
    expect(select('\u4e00', 0xfe0f)).toBe(false);
    expect(select('\u2764', 0xfe0d)).toBe(false);
  });
});

const black = '\u{1f3f4}';

describe('getNeededLength', () => {
  it.each([
    ['a flag', `${black}${tags('gbeng')}\u{e007f}`, 2, 12],
    ['a variant of an emoji', '\u26a0\ufe0f', 1, 1],
    ['a joiner of emoji', '\u{1f468}\u200d\u{1f469}', 2, 1],
    ['a joiner between letters', 'a\u200db', 1, 0],
    ['a variant of a letter', 'a\ufe0f', 1, 0],
    ['a byte order mark at the start', '\ufeffa', 0, 0],
    ['a control that turns the direction', '\u0628\u202e', 1, 0],
  ])('returns the length of %s', (_, text, position, length) => {
    expect(getNeededLength(text, position, createTextContext(text))).toBe(length);
  });
});

describe('getFlagLength', () => {
  it.each(['gbeng', 'gbsct', 'gbwls'])('returns the length of the tags of %s', code => {
    expect(getFlagLength(`${black}${tags(code)}\u{e007f}`, 2)).toBe(12);
    expect(getFlagLength(`a${black}${tags(code)}\u{e007f}`, 3)).toBe(12);
  });

  it('returns 0 for any other sequence', () => {
    expect(getFlagLength(`${black}${tags('usca')}\u{e007f}`, 2)).toBe(0);
    expect(getFlagLength(`${black}${tags('gbeng')}`, 2)).toBe(0);
    expect(getFlagLength(`ab${tags('gbeng')}\u{e007f}`, 2)).toBe(0);
    expect(getFlagLength(`${black}${tags('gbeng')}\u{e007f}`, 0)).toBe(0);
    expect(getFlagLength(`${black}${tags('gbeng')}\u{e007f}`, 1)).toBe(0);
  });
});
