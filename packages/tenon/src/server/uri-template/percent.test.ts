import { describe, expect, it } from 'vitest';
import { decodePercent, encodeReserved, encodeUnreserved, toSymbols } from './percent.js';

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const getStored = (encode: (text: string) => string) => ASCII.filter(c => encode(c) === c).join('');

describe('percent-encoding', () => {
  it('keeps exactly the unreserved characters', () => {
    expect(getStored(encodeUnreserved)).toBe('-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
  });

  it('keeps exactly the unreserved and the reserved characters', () => {
    expect(getStored(encodeReserved)).toBe(
      "!#$&'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]_abcdefghijklmnopqrstuvwxyz~",
    );
  });

  it.each([
    ['%2F', '%2F'],
    ['%2f', '%2f'],
    ['%%41', '%25%41'],
    ['%4', '%254'],
    ['%[', '%25['],
    ['%5B', '%5B'],
    ['%2541', '%2541'],
  ])('keeps triplets and encodes other percent signs: %s', (text, encoded) => {
    expect(encodeReserved(text)).toBe(encoded);
  });

  it('writes UTF-8 in upper case', () => {
    expect(encodeUnreserved('ü€𝄞*')).toBe('%C3%BC%E2%82%AC%F0%9D%84%9E%2A');
  });

  it('decodes once, and refuses invalid UTF-8', () => {
    expect(decodePercent('a%252Fb%C3%BC')).toBe('a%2Fbü');
    for (const bad of ['%', '%4', '%zz', '%FF', '%C3', '%C0%AF', '%ED%A0%80'])
      expect(decodePercent(bad)).toBeUndefined();
  });
});

describe('symbols', () => {
  it('reads a triplet as one symbol, in either case', () => {
    expect([...toSymbols('a%2Fé')!.codes]).toEqual([97, 128 + 0x2f, 128 + 0xc3, 128 + 0xa9]);
    expect(toSymbols('%aF')!.codes).toEqual(toSymbols('%Af')!.codes);
  });

  it('returns the text of a range', () => {
    const symbols = toSymbols('a%2Fbé')!;
    expect(symbols.text(1, 3)).toBe('%2Fb');
    expect(symbols.text(3, 5)).toBe('%C3%A9');
    expect(symbols.text(0, 0)).toBe('');
  });

  it.each(['%', 'a%', '%4', '%g0', '%0g', '%%41', '%4\u0000', '\ud800', 'a\udc00b', '%é'])('refuses %j', text => {
    expect(toSymbols(text)).toBeUndefined();
  });
});
