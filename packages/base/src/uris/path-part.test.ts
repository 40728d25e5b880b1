import { describe, expect, it } from 'vitest';
import { decodePathPart, encodePathPart } from './path-part.js';

const NAMES = ['price', 'a b', 'a/b', '%2e', '50%', '?', '#', '\\', '~', '~.', 'é😀', '.', '..', '...', '', '~"."'];

describe('encodePathPart', () => {
  it.each([...NAMES, '\ud800', 'a\udc00b', '~"\n'])('encodes %j as one part that a URL keeps', name => {
    const { pathname } = new URL(`http://localhost/s/${encodePathPart(name)}/tools`);
    const parts = pathname.split('/').filter(Boolean);
    expect(parts).toHaveLength(3);
    expect(decodePathPart(parts[1] ?? '')).toBe(name);
  });

  it('encodes usual names as encodeURIComponent does', () => {
    for (const name of ['price', 'a b', 'a/b', '~.']) expect(encodePathPart(name)).toBe(encodeURIComponent(name));
  });
});

describe('decodePathPart', () => {
  it('returns a text that no name encodes to unchanged', () => {
    expect(['~"a', '%E0%A4%A', '~"a"b'].map(decodePathPart)).toEqual(['~"a', '%E0%A4%A', '~"a"b']);
  });
});
