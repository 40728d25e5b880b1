import { describe, expect, it } from 'vitest';
import { findNearestKey } from './nearest-key.js';

describe('findNearestKey', () => {
  it.each([
    ['a changed letter', 'timeoud', 'timeout'],
    ['a missing letter', 'timout', 'timeout'],
    ['an additional letter', 'timeoutt', 'timeout'],
    ['swapped letters', 'tiemout', 'timeout'],
    ['swapped letters at the start', 'itmeout', 'timeout'],
    ['another case', 'TIMEOUT', 'timeout'],
    ['separators', 'max-body_bytes ', 'maxBodyBytes'],
    ['two errors in six letters', 'tmeouy', 'timeout'],
  ])('finds a key despite %s', (_, name, key) => {
    expect(findNearestKey(name, ['interval', key, 'signal'])).toBe(key);
  });

  it('counts two swapped letters as one error', () => {
    expect(findNearestKey('ba', ['ab'])).toBe('ab');
    expect(findNearestKey('acb', ['abc'])).toBe('abc');
  });

  it('counts two changed letters as two errors, and adds other errors to a swap', () => {
    expect(findNearestKey('xcd', ['xab'])).toBeUndefined();
    expect(findNearestKey('xab', ['xca'])).toBeUndefined();
    expect(findNearestKey('xab', ['xbc'])).toBeUndefined();
    expect(findNearestKey('xcba', ['ycab'])).toBeUndefined();
  });

  it('allows one error in three letters, and one in shorter names', () => {
    expect(findNearestKey('x', ['y'])).toBe('y');
    expect(findNearestKey('xbcyef', ['abcdef'])).toBe('abcdef');
    expect(findNearestKey('xbcye', ['abcde'])).toBeUndefined();
    expect(findNearestKey('xbcyez', ['abcdef'])).toBeUndefined();
  });

  it('returns the first of equally similar keys', () => {
    expect(findNearestKey('cap', ['cat', 'car'])).toBe('cat');
  });

  it('returns undefined without keys, and for a name of more than 40 characters', () => {
    expect(findNearestKey('a', [])).toBeUndefined();
    expect(findNearestKey('a'.repeat(40), ['a'.repeat(39)])).toBe('a'.repeat(39));
    expect(findNearestKey('a'.repeat(41), ['a'.repeat(40)])).toBeUndefined();
  });
});
