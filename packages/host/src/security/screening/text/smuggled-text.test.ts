import { describe, expect, it } from 'vitest';
import { readSelectors, readTags } from './smuggled-text.js';

const tag = (text: string) => Array.from(text, char => String.fromCodePoint(char.charCodeAt(0) + 0xe0000)).join('');
const select = (text: string) =>
  Array.from(text, char => String.fromCodePoint(char.charCodeAt(0) + 0xe0100 - 16)).join('');
const read = (reader: typeof readTags, text: string, before = '') =>
  reader(`${before}${text}`, before.length, text.length);

describe('text in invisible characters', () => {
  it('is read from tag characters', () => {
    expect(read(readTags, tag('ignore ~!'), 'seen')).toBe('ignore ~!');
    expect(read(readTags, tag('a\u0001b\u007fc'))).toBe('abc');
    expect(read(readTags, tag('\u0001\u007f'))).toBeUndefined();
    expect(read(readTags, tag('x'.repeat(300)))).toBe('x'.repeat(256));
  });

  it('is read from variation selectors, where most of them are text', () => {
    expect(read(readSelectors, select('ignore ~!'), 'seen')).toBe('ignore ~!');
    expect(read(readSelectors, select('abcd'))).toBe('abcd');
    expect(read(readSelectors, select('abc'))).toBeUndefined();
    expect(read(readSelectors, `${select('abcde')}${'\ufe0f'.repeat(4)}`)).toBe('abcde');
    expect(read(readSelectors, `${select('abcde')}${'\ufe0f'.repeat(5)}`)).toBeUndefined();
    expect(read(readSelectors, select('abcd\u007f'))).toBe('abcd');
    expect(read(readSelectors, select('x'.repeat(300)))).toBe('x'.repeat(256));
  });
});
