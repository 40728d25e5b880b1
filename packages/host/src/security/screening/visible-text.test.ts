import { describe, expect, it } from 'vitest';
import { hasHidden } from './text/hidden-text.js';
import { toVisibleText } from './visible-text.js';

describe('toVisibleText', () => {
  it('escapes characters that become dangerous when others are removed', () => {
    const shown = toVisibleText('א\u200f\u200e\x1b[0m\u200f');
    expect(hasHidden(shown)).toBe(false);
    expect(shown).toBe('א\\u{200F}\\u{200E}\\u{200F}');
  });

  it('keeps no more stacked marks than any script needs', () => {
    expect(toVisibleText(`Z${'\u0301'.repeat(40)}a`)).toBe(`Z${'\u0301'.repeat(8)}a`);
  });

  it('decodes hidden text, counts long spaces, and spells short sequences', () => {
    expect(toVisibleText('a\u{e0068}\u{e0069}b')).toBe('a‹hidden: hi›b');
    expect(toVisibleText(`a${'\u200b'.repeat(40)}b`)).toBe('a‹40 hidden characters›b');
    expect(toVisibleText('a\u200bb\0c\x7f\x85d\x80')).toBe('a\\u{200B}b␀c␡\nd\\u{80}');
  });
});
