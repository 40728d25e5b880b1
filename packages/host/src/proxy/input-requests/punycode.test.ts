import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodePunycode } from './punycode.js';

describe('decodePunycode', () => {
  // Samples of RFC 3492, section 7.1.
  it.each([
    ['ihqwcrb4cv8a8dqg056pqjye', '他们为什么不说中文'],
    ['3B-ww4c5e180e575a65lsy2b', '3年B組金八先生'],
    ['bcher-kva', 'bücher'],
    ['80ak6aa92e', 'аррӏе'],
    ['', ''],
  ])('reads %s as %s', (encoded, text) => expect(decodePunycode(encoded)).toBe(text));

  it('reads what the platform writes', () => {
    const letters = fc.array(fc.constantFrom(...'abzäöüéñжшяπλ日本語한글مرحبا'), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(letters, each => {
        const text = each.join('').normalize('NFC');
        const ascii = domainToASCII(text);
        fc.pre(ascii.startsWith('xn--'));
        expect(decodePunycode(ascii.slice(4))).toBe(text);
      }),
    );
  });

  it('returns undefined for invalid text', () => {
    fc.assert(fc.property(fc.string(), text => void decodePunycode(text)));
    for (const text of ['!', 'a-b-ü', '99999999', 'zzzzzzzzzzzzzzz', 'a'.repeat(64)])
      expect(decodePunycode(text)).toBeUndefined();
  });
});
