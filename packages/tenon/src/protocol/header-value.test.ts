import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeHeaderValue, encodeHeaderValue, trimHeaderValue } from './header-value.js';

describe('header value encoding', () => {
  it('decodes what it encoded [http.header-base64-utf8]', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), value => {
        const header = encodeHeaderValue(value);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(decodeHeaderValue(` \t${header}\t `)).toBe(value);
      }),
    );
  });

  it('leaves visible ASCII with inner spaces as it is [http.header-plain-ascii-as-is]', () => {
    for (const value of ['', 'a', 'us west 1', 'file:///a%20b?c=d', '=?base64?', '=?base64?=', '=?BASE64?YQ==?=']) {
      expect(encodeHeaderValue(value)).toBe(value);
      expect(decodeHeaderValue(value)).toBe(value);
    }
  });

  it('encodes a value that looks encoded, has outer spaces or is not ASCII [http.header-base64-sentinel-escaped]', () => {
    expect(encodeHeaderValue('=?base64?YQ==?=')).toBe('=?base64?PT9iYXNlNjQ/WVE9PT89?=');
    expect(encodeHeaderValue(' a')).toBe('=?base64?IGE=?=');
    expect(encodeHeaderValue('a\n')).toBe('=?base64?YQo=?=');
    expect(encodeHeaderValue('é')).toBe('=?base64?w6k=?=');
  });

  it.each([
    ['no padding', '=?base64?YQ?='],
    ['too much padding', '=?base64?YQ===?='],
    ['a foreign character', '=?base64?YQ!=?='],
    ['a space inside', '=?base64?YQ =?='],
    ['the URL alphabet', '=?base64?-_-_?='],
    ['no UTF-8', '=?base64?/w==?='],
    ['a raw non-ASCII character', 'caf\u00e9'],
    ['a control character', 'a\u0001b'],
  ])('rejects %s [http.header-base64-invalid-rejected] [http.header-invalid-characters]', (_why, header) => {
    expect(decodeHeaderValue(header)).toBeUndefined();
  });

  it('reads a value literally unless both markers are exact [http.header-base64-markers-exact]', () => {
    for (const header of ['=?Base64?YQ==?=', '=?base64?YQ==', 'x=?base64?YQ==?=']) {
      expect(decodeHeaderValue(header)).toBe(header);
    }
    expect(decodeHeaderValue('=?base64?YQ==?=')).toBe('a');
  });

  it('trims spaces and tabs [http.header-value-ows-trimmed]', () => {
    expect(trimHeaderValue('\t a b \t')).toBe('a b');
    expect(trimHeaderValue('   ')).toBe('');
  });
});
