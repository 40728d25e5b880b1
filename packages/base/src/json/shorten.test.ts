import { describe, expect, it } from 'vitest';
import { shorten, takeBeginning } from './shorten.js';

describe('takeBeginning', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab😀', 4, 'ab😀'],
    ['ab😀d', 3, 'ab'],
    ['ab😀d', 4, 'ab😀'],
    ['ab😀d', 3.5, 'ab'],
    ['ab\ud83d', 3, 'ab\ud83d'],
    ['😀', 0, ''],
  ])('takes of %j at most %d units, and no half of a surrogate pair', (text, maxLength, expected) => {
    expect(takeBeginning(text, maxLength)).toBe(expected);
  });
});

describe('shorten', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['a😀bc', 3, 'a…'],
    ['a😀bc', 4, 'a😀…'],
    ['abc', 0, '…'],
  ])('shortens %j to %d units, without half of a surrogate pair', (text, maxLength, expected) => {
    expect(shorten(text, maxLength)).toBe(expected);
  });
});
