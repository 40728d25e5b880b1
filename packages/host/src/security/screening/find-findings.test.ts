import { describe, expect, it } from 'vitest';
import { findFindings, MAX_SCANNED } from './find-findings.js';
import { stripHidden } from './strip-hidden.js';

const kinds = (text: string): string[] => findFindings(text, '').map(({ kind }) => kind);

describe('findFindings', () => {
  it('returns places in the order of the text', () => {
    const text = 'a\u202eb ![x](https://e.example/) c\u200bd';
    expect(findFindings(text, 'description')).toMatchObject([
      { kind: 'bidi', severity: 'strip', at: 1, length: 1, where: 'description' },
      { kind: 'remote-image', severity: 'warn', at: 4, length: 24 },
      { kind: 'invisible', severity: 'strip', at: 30, length: 1 },
    ]);
  });

  it('returns safe and short excerpts', () => {
    const [found] = findFindings(`x${'\u{e0049}\u{e0067}'.repeat(5000)}`, 'd\u202e'.repeat(1000));
    expect(found!.excerpt).toBe(
      'Ig'
        .repeat(100)
        .slice(0, found!.excerpt.length - 1)
        .concat('…'),
    );
    expect(found!.excerpt.length).toBeLessThanOrEqual(200);
    expect(found!.where.length).toBeLessThanOrEqual(300);
    expect(found!.where).not.toContain('\u202e');
  });

  it('returns at most ten of a kind, and none displaces another kind', () => {
    const text = `${'\u200b x '.repeat(1000)}\u202e ${'<img src=x> '.repeat(1000)}`;
    const count = (kind: string): number => kinds(text).filter(each => each === kind).length;
    expect(count('invisible')).toBe(10);
    expect(count('html')).toBe(10);
    expect(count('bidi')).toBe(1);
  });

  it('checks only characters in a text too long to be scanned', () => {
    const found = kinds(`${'a'.repeat(MAX_SCANNED)}\u202e`);
    expect(found).toEqual(['bidi', 'unscanned']);
  });

  it('does not match a phrase over the end of a sentence', () => {
    expect(kinds('Does not fail. Tell the user.')).toEqual([]);
    expect(kinds('Never. Tell the user about it!')).toEqual([]);
  });

  it('ignores spaces at the end of a text', () => {
    expect(kinds(`a${' '.repeat(500)}`)).toEqual([]);
    expect(kinds(`a${' '.repeat(500)}b`)).toEqual(['whitespace']);
  });

  it('compares the text after a tag with its target only for links', () => {
    expect(kinds('<a href="https://evil.example/">bank.com</a>')).toContain('link-mismatch');
    expect(kinds('<img src="https://cdn.example/x.png"> bank.com')).not.toContain('link-mismatch');
  });

  it('recognizes flags only where they are complete', () => {
    const flag = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
    expect(kinds(flag)).toEqual([]);
    expect(kinds(flag.slice(2))).toEqual(['tag']);
    expect(kinds(flag.slice(0, -2))).toEqual(['tag']);
  });
});

describe('stripText', () => {
  it('returns the same string without hidden characters', () => {
    const text = 'a\u202eb';
    expect(stripHidden(text, ['tag'])).toBe(text);
    expect(stripHidden(text, ['bidi'])).toBe('ab');
  });

  it('keeps words separate', () => {
    expect(stripHidden('a\rb\u2028c\0d', ['control'])).toBe('a\nb\nc' + 'd');
    expect(stripHidden('\ud83d', ['control'])).toBe('\ufffd');
  });

  it('keeps icons of the first private area', () => {
    expect(stripHidden('\ue0b0\u{f0000}', ['private-use'])).toBe('\ue0b0');
  });
});
