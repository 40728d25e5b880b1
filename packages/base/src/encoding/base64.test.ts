import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Portably, encodeBase64Url } from './base64.js';

const bytes = fc.uint8Array({ maxLength: 200 });

describe('base64', () => {
  it('encodes as Node does, with and without native functions', () => {
    fc.assert(
      fc.property(bytes, each => {
        const expected = Buffer.from(each).toString('base64');
        expect([encodeBase64(each), encodeBase64Portably(each)]).toEqual([expected, expected]);
        expect(encodeBase64Url(each)).toBe(Buffer.from(each).toString('base64url'));
      }),
    );
  });

  it('decodes what it encoded', () => {
    fc.assert(
      fc.property(bytes, each => {
        expect(decodeBase64(encodeBase64(each))).toEqual(each);
        expect(decodeBase64Url(encodeBase64Url(each))).toEqual(each);
      }),
    );
  });

  it('encodes many bytes, and a part of a buffer', () => {
    const large = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
    const part = large.subarray(7, 70_001);
    expect(encodeBase64Portably(part)).toBe(Buffer.from(part).toString('base64'));
    expect(encodeBase64(part)).toBe(Buffer.from(part).toString('base64'));
  });

  it('encodes ten megabytes without `btoa`, which takes hundreds of milliseconds', () => {
    const convert = vi.fn(btoa);
    vi.stubGlobal('btoa', convert);
    vi.stubGlobal('Buffer', undefined);
    const text = encodeBase64(Uint8Array.of(1, 2, 3, 4));
    vi.unstubAllGlobals();
    expect([text, convert.mock.calls.length]).toEqual(['AQIDBA==', 0]);
  });

  it('uses `toBase64` where the runtime has it', () => {
    const fast = Object.assign(new Uint8Array([1]), { toBase64: () => 'fast' });
    expect(encodeBase64(fast)).toBe('fast');
  });

  it.each(['AB', 'AA==', 'A+', 'A/', 'A', 'é'])('refuses %s as base64url', text => {
    expect(() => decodeBase64Url(text)).toThrow();
  });
});
