import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getEncoding } from './text-encoding.js';

describe('the encoding of a text', () => {
  it('writes the bytes of UTF-8, as Latin-1 only for a text of ASCII', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('é', '\u0080', '\ud800', 'a\u007f'),
    );
    fc.assert(fc.property(text, each => Buffer.from(each, getEncoding(each)).equals(Buffer.from(each))));
    expect([getEncoding('{"a":1}'), getEncoding('é')]).toEqual(['latin1', 'utf8']);
  });
});
