import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestShort } from './short-digest.js';

describe('digestShort', () => {
  it('returns the first bits of SHA-256 over the UTF-16 units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), text => {
        const bytes = Buffer.from(text, 'utf16le').swap16();
        const bits = [...createHash('sha256').update(bytes).digest()].map(byte => byte.toString(2).padStart(8, '0'));
        const chunks = bits.join('').match(/.{5}/g) ?? [];
        const expected = chunks.map(chunk => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(chunk, 2)]).join('');
        expect(digestShort(text, 51)).toBe(expected.slice(0, 51));
      }),
    );
  });

  it('distinguishes halves of surrogate pairs', () => {
    expect(digestShort('\ud800', 10)).not.toBe(digestShort('\ud801', 10));
  });
});
