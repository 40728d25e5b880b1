import { describe, expect, it } from 'vitest';
import { isAmbiguous, listReadings, listUnresolvedReadings, resolveSegments } from './decoded-variants.js';

const encode = (text: string, times: number): string =>
  times === 0 ? text : encode(text.replaceAll('%', '%25'), times - 1);

describe('listReadings', () => {
  it('returns a plain text alone', () => {
    for (const text of ['', 'a/b', 'https://h/a?b=c']) expect(listReadings(text)).toEqual([text]);
  });

  it.each([
    ['percent escapes', '%41', 'A'],
    ['UTF-8 in escapes', '%c3%a9', '\u00e9'],
    ['%u escapes', '%u0041', 'A'],
    ['overlong dots and slashes', '%c0%ae%C0%AF', './'],
    ['an overlong backslash', 'a%c1%9cb', 'a\\b'],
    ['compatibility characters', '\uff21', 'A'],
    ['backslashes', 'a\\b', 'a/b'],
    ['dots', 'a/./b/../c', 'a/c'],
    ['dots at the start', './a', 'a'],
    ['dots of a URL', 'https://h/a/../../b', 'https://h/b'],
    ['a slash at the end', '/a/../b/', '/b/'],
    ['no segments', '/a/..', '/'],
  ])('reads %s', (_, text, reading) => {
    const readings = listReadings(text);
    expect(readings[0]).toBe(text);
    expect(readings).toContain(reading);
  });

  it('decodes 4 times', () => {
    expect(listUnresolvedReadings(encode('%41', 3))).toContain('A');
    expect(listUnresolvedReadings(encode('%41', 4))).not.toContain('A');
  });
});

describe('isAmbiguous', () => {
  it('returns true for a text that is encoded more than 4 times', () => {
    expect(isAmbiguous('plain')).toBe(false);
    expect(isAmbiguous(encode('%41', 3))).toBe(false);
    expect(isAmbiguous(encode('%41', 4))).toBe(true);
  });
});

describe('resolveSegments', () => {
  it.each([
    ['/a/b', true, ['a', 'b']],
    ['a//b/.', false, ['a', 'b']],
    ['a/../..', false, ['..']],
    ['../../a', false, ['..', '..', 'a']],
    ['/../a', true, ['a']],
    ['/a/..;x=1/b', true, ['b']],
  ])('resolves %s', (path, absolute, segments) => {
    expect(resolveSegments(path)).toEqual({ absolute, segments });
  });
});
