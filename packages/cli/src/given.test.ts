import { describe, expect, it } from 'vitest';
import { count, duration, names, pairs, port, selections, webUrl } from './given.js';

describe('what options are given as', () => {
  it('reads times', () => {
    expect(['500ms', '90s', '30m', '2h', '1d', '1.5s'].map(duration)).toEqual([
      500, 90_000, 1_800_000, 7_200_000, 86_400_000, 1500,
    ]);
    for (const text of ['', '30', '0s', '-1s', '1 week']) expect(() => duration(text)).toThrow(/time/);
  });

  it('reads numbers and ports', () => {
    expect(['1', '20k', '250'].map(count)).toEqual([1, 20_000, 250]);
    for (const text of ['', '0', '-1', '1.5', 'k']) expect(() => count(text)).toThrow(/number/);
    expect([port('0'), port('65535')]).toEqual([0, 65_535]);
    for (const text of ['', '65536', '-1', 'http']) expect(() => port(text)).toThrow(/port/);
  });

  it('reads lists, pairs and selections, also of several options', () => {
    expect(names('c', names('a, b'))).toEqual(['a', 'b', 'c']);
    expect(() => names('a,,b')).toThrow(/names/);
    expect(pairs('--header')('authorization: Bearer a=b', pairs('--header')('X-Key=v=w'))).toEqual({
      'X-Key': 'v=w',
      authorization: 'Bearer a=b',
    });
    expect(() => pairs('--header')('novalue')).toThrow(/--header NAME=VALUE/);
    expect(selections('two=c', selections('one=a,b'))).toEqual({ one: ['a', 'b'], two: ['c'] });
    expect(() => selections('one=c', { one: ['a'] })).toThrow(/two of the name/);
    expect(() => selections('a/b=c')).toThrow(/name/);
  });

  it('tells the URL of a server from all else', () => {
    expect(webUrl('https://example.com/mcp')).toBe('https://example.com/mcp');
    for (const text of ['node', 'ftp://example.com', 'C:\\server.exe', './server.js'])
      expect(webUrl(text)).toBeUndefined();
  });
});
