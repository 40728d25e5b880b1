import { describe, expect, it } from 'vitest';
import { isInside } from './is-inside.js';

describe('isInside', () => {
  it.each(['/a/b', '/a/b/', '/a/b/c', '/a/b/c/../d', '/a/b/..c', '/a/b/...'])('accepts %s in /a/b', path => {
    expect(isInside(path, '/a/b')).toBe(true);
  });

  it.each(['/a', '/a/bc', '/a/b/..', '/a/b/../c', '/', '/c'])('refuses %s in /a/b', path => {
    expect(isInside(path, '/a/b')).toBe(false);
  });
});
