import { describe, expect, it } from 'vitest';
import { HIDDEN_KINDS } from './finding.js';
import { stripHidden } from './strip-hidden.js';

const strip = (text: string) => stripHidden(text, HIDDEN_KINDS);

describe('stripHidden', () => {
  it('returns a text without hidden characters unchanged', () => {
    expect(strip('plain \u00e9\n')).toBe('plain \u00e9\n');
  });

  it('removes hidden characters and keeps the text around them', () => {
    expect(strip('\u200ba\u2060\u2060b\u001b[31mc\u200b')).toBe('abc');
  });

  it('removes the given kinds only', () => {
    expect(stripHidden('a\u2060b\u001b[31mc', ['ansi'])).toBe('a\u2060bc');
    expect(stripHidden('a\u2060b', [])).toBe('a\u2060b');
  });

  it('keeps characters that are reported only, such as those of icon fonts', () => {
    expect(strip('a\ue000\u2060b')).toBe('a\ue000b');
  });

  it.each(['\r', '\v', '\f', '\x85', '\u2028', '\u2029'])('keeps a line break for %j', char => {
    expect(strip(`a${char}b`)).toBe('a\nb');
  });

  it('replaces half of a surrogate pair', () => {
    for (const char of ['\ud800', '\udfff']) expect(strip(`a${char}b`)).toBe('a\ufffdb');
  });

  it('removes a sequence that appears when another one is removed', () => {
    expect(strip('a\u001b\u2060[31mb')).not.toContain('\u001b');
  });
});
