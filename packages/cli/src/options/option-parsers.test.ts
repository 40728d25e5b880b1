import { describe, expect, it } from 'vitest';
import {
  createPairParser,
  parseAuthException,
  parseCount,
  parseDurationOption,
  parseNames,
  parsePort,
  parseProtocolVersion,
  parseRedirectUri,
  parseSelections,
} from './option-parsers.js';

describe('the option parsers', () => {
  it('read times', () => {
    expect(['500ms', '90s', '30m', '2h', '1d', '1.5s'].map(parseDurationOption)).toEqual([
      500, 90_000, 1_800_000, 7_200_000, 86_400_000, 1500,
    ]);
    for (const text of ['', '30', '0s', '-1s', '1 week']) expect(() => parseDurationOption(text)).toThrow(/time/);
  });

  it('read exceptions of the authorization, also of several options', () => {
    const first = parseAuthException('issuer=https://login.example/a');
    expect(parseAuthException('omitResource', first)).toEqual({
      issuer: 'https://login.example/a',
      omitResource: true,
    });
    for (const text of ['', 'omitresource', 'issuer=', 'issuer=x', 'constructor', 'issuer'])
      expect(() => parseAuthException(text)).toThrow(/Expected ignoreIssuerSlash/);
  });

  it('read redirect URIs on this machine', () => {
    expect(parseRedirectUri('http://127.0.0.1/callback')).toEqual({ host: '127.0.0.1', path: '/callback' });
    expect(parseRedirectUri('http://localhost:8765/a/b')).toEqual({ host: 'localhost', path: '/a/b', port: 8765 });
    for (const text of ['https://localhost/cb', 'http://example.com/cb', 'http://localhost', '/callback'])
      expect(() => parseRedirectUri(text)).toThrow(/Expected a URL/);
  });

  it('read numbers and ports', () => {
    expect(['1', '20k', '250'].map(parseCount)).toEqual([1, 20_000, 250]);
    for (const text of ['', '0', '-1', '1.5', 'k']) expect(() => parseCount(text)).toThrow(/number/);
    expect([parsePort('0'), parsePort('65535')]).toEqual([0, 65_535]);
    for (const text of ['', '65536', '-1', 'http']) expect(() => parsePort(text)).toThrow(/port/);
  });

  it('read lists, pairs and selections, also of several options', () => {
    expect(parseNames('c', parseNames('a, b'))).toEqual(['a', 'b', 'c']);
    expect(() => parseNames('a,,b')).toThrow(/names/);
    expect(
      createPairParser('--header')('authorization: Bearer a=b', createPairParser('--header')('X-Key=v=w')),
    ).toEqual({
      'X-Key': 'v=w',
      authorization: 'Bearer a=b',
    });
    expect(() => createPairParser('--header')('novalue')).toThrow(/--header NAME=VALUE/);
    expect(parseSelections('two=c', parseSelections('one=a,b'))).toEqual({ one: ['a', 'b'], two: ['c'] });
    expect(() => parseSelections('one=c', { one: ['a'] })).toThrow(/used twice/);
    expect(() => parseSelections('a/b=c')).toThrow(/name/);
  });
});

it('accepts the known protocol versions', () => {
  expect(parseProtocolVersion('2025-06-18')).toBe('2025-06-18');
  for (const text of ['', '1999-01-01', 'latest']) expect(() => parseProtocolVersion(text)).toThrow(/2026-07-28/);
});
