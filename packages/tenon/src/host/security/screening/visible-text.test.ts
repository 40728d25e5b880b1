import { describe, expect, it } from 'vitest';
import { hasHidden } from './text/hidden-text.js';
import { toVisibleText } from './visible-text.js';

describe('visible', () => {
  it('takes nothing for harmless once what kept it apart is gone', () => {
    const shown = toVisibleText('א\u200f\u200e\x1b[0m\u200f');
    expect(hasHidden(shown)).toBe(false);
    expect(shown).toBe('א\\u{200F}\\u{200E}\\u{200F}');
  });

  it('stacks no more marks than any script does', () => {
    expect(toVisibleText(`Z${'\u0301'.repeat(40)}a`)).toBe(`Z${'\u0301'.repeat(8)}a`);
  });

  it('shows what is carried, counts what is long, spells what is short', () => {
    expect(toVisibleText('a\u{e0068}\u{e0069}b')).toBe('a‹hidden: hi›b');
    expect(toVisibleText(`a${'\u200b'.repeat(40)}b`)).toBe('a‹40 hidden characters›b');
    expect(toVisibleText('a\u200bb\0c\x7f\x85d\x80')).toBe('a\\u{200B}b␀c␡\nd\\u{80}');
  });
});
