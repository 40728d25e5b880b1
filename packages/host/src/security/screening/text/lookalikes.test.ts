import { describe, expect, it } from 'vitest';
import { findMixedWords, foldLookalikes, isLookalikeHost, isLookalikeName, spellLookalikes } from './lookalikes.js';

const list = (text: string) => {
  const words: string[] = [];
  findMixedWords(text, (at, length) => words.push(text.slice(at, at + length)), { steps: 0 });
  return words;
};

describe('foldLookalikes', () => {
  it.each([
    ['ASCII', 'PayPal', 'paypal'],
    ['Cyrillic letters', 'p\u0430yp\u0430l', 'paypal'],
    ['Greek letters', '\u0391BC', 'abc'],
    ['wide letters', '\uff30ay', 'pay'],
    ['marks', 'pa\u0301y', 'pay'],
    ['invisible characters', 'p\u200bay', 'pay'],
    ['other letters', '\u0434\u00df', '\u0434\u00df'],
  ])('converts %s', (_, text, folded) => {
    expect(foldLookalikes(text)).toBe(folded);
  });
});

describe('findMixedWords', () => {
  it('finds words that mix Latin with lookalike letters', () => {
    expect(list('use p\u0430ypal or paypal')).toEqual(['p\u0430ypal']);
  });

  it('ignores words of one alphabet, and words with letters that are no lookalikes', () => {
    expect(list('\u043e\u043d\u0430 paypal')).toEqual([]);
    expect(list('a\u0430\u0434')).toEqual([]);
    expect(list('plain')).toEqual([]);
  });

  it('ignores words of more than 128 characters', () => {
    expect(list(`\u0430${'b'.repeat(127)}`)).toHaveLength(1);
    expect(list(`\u0430${'b'.repeat(128)}`)).toEqual([]);
  });
});

describe('isLookalikeName', () => {
  it.each(['p\u0430ypal', '\u0430\u0441\u0435', '\uff50aypal', '\u0261o'])('returns true for %s', name => {
    expect(isLookalikeName(name)).toBe(true);
  });

  it.each(['paypal', 'caf\u00e9', '\u0434\u043e\u043c', '\u65e5\u672c', 'a \u2013 b'])('returns false for %s', name => {
    expect(isLookalikeName(name)).toBe(false);
  });
});

describe('isLookalikeHost', () => {
  it('checks each label', () => {
    expect(isLookalikeHost('www.p\u0430ypal.com')).toBe(true);
    expect(isLookalikeHost('www.XN--pypal-4ve.com')).toBe(true);
    expect(isLookalikeHost('www.paypal.com')).toBe(false);
    expect(isLookalikeHost('axn--b.com')).toBe(false);
  });
});

describe('spellLookalikes', () => {
  it('escapes lookalike letters only', () => {
    expect(spellLookalikes('p\u0430ypal \u0434')).toBe('p\\u{430}ypal \u0434');
  });
});
