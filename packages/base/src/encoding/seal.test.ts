import { webcrypto } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createWebCipher } from './aes-gcm.js';
import { areSealKeys, createSeal } from './seal.js';

const key = (fill: number) => new Uint8Array(32).fill(fill);

describe('createSeal', () => {
  it('opens what it sealed, in the same context only [mrtr.request-state-integrity]', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.string({ unit: 'grapheme' }),
        async (value, boundTo) => {
          const seal = createSeal();
          const sealed = await seal.seal(value, boundTo);
          expect(await seal.open(sealed, boundTo)).toEqual(JSON.parse(JSON.stringify(value)));
          expect(await seal.open(sealed, `${boundTo}x`)).toBeUndefined();
        },
      ),
      { numRuns: 50 },
    );
  });

  it('refuses any change of any one character, and any change of length', async () => {
    const seal = createSeal([{ id: 'k1', key: key(1) }]);
    // Of three lengths, because base64 has bits to spare at the end of two of them.
    const texts = await Promise.all(['a', 'ab', 'abc'].map(text => seal.seal({ text }, 'b')));
    const char = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ ');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...texts), fc.nat(200), char, async (sealed, place, other) => {
        const at = place % sealed.length;
        fc.pre(sealed[at] !== other);
        expect(await seal.open(sealed.slice(0, at) + other + sealed.slice(at + 1), 'b')).toBeUndefined();
        expect(await seal.open(sealed.slice(0, at), 'b')).toBeUndefined();
      }),
      { numRuns: 200 },
    );
    for (const sealed of texts) {
      for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
        if (last !== sealed.at(-1)) expect(await seal.open(sealed.slice(0, -1) + last, 'b')).toBeUndefined();
      }
      expect(await seal.open(`${sealed}A`, 'b')).toBeUndefined();
    }
  });

  it('refuses another encoding of the same bytes', async () => {
    const seal = createSeal();
    // So much of it that each letter is there.
    for (const length of [3000, 3001, 3002]) {
      const sealed = await seal.seal({ text: 'x'.repeat(length) }, 'b');
      const others = [sealed.replaceAll('-', '+'), sealed.replaceAll('_', '/'), `${sealed}=`, `${sealed}==`];
      for (const space of [' ', '\n', '\t'])
        others.push(`${sealed}${space}`, `${sealed.slice(0, -8)}${space}${sealed.slice(-8)}`);
      for (const other of others) {
        expect(other).not.toBe(sealed);
        expect(await seal.open(other, 'b')).toBeUndefined();
      }
      expect(await seal.open(sealed, 'b')).toBeDefined();
    }
  });

  it('refuses any flipped bit', async () => {
    const seal = createSeal();
    const [prefix, id, iv = '', data = ''] = (await seal.seal({ a: 1 }, 'b')).split('.');
    const flipped = (part: string, bit: number) => {
      const bytes = Buffer.from(part, 'base64url');
      const at = (bit >> 3) % bytes.length;
      bytes.writeUInt8((bytes[at] as number) ^ (1 << (bit & 7)), at);
      return bytes.toString('base64url');
    };
    for (let bit = 0; bit < 8 * 12; bit++)
      expect(await seal.open([prefix, id, flipped(iv, bit), data].join('.'), 'b')).toBeUndefined();
    for (let bit = 0; bit < 8 * 24; bit++)
      expect(await seal.open([prefix, id, iv, flipped(data, bit)].join('.'), 'b')).toBeUndefined();
  });

  it('refuses any other text, without throwing', async () => {
    const seal = createSeal();
    for (const text of [
      '',
      'tenon1',
      'tenon1.process..',
      'tenon1.process.!!.!!',
      'tenon1.other.AAAA.AAAA',
      `tenon1.process.${'A'.repeat(300_000)}`,
    ]) {
      expect(await seal.open(text, 'b')).toBeUndefined();
    }
    await fc.assert(
      fc.asyncProperty(fc.string(), async text => (await seal.open(`tenon1.process.${text}`, 'b')) === undefined),
    );
  });

  it('opens none of the texts that handlers use as their state, nor its own with a changed character', async () => {
    const seal = createSeal();
    const sealed = await seal.seal({ a: 1 }, 'b');
    for (let at = 0; at < sealed.length; at++)
      expect(await seal.open(`${sealed.slice(0, at)}*${sealed.slice(at + 1)}`, 'b'), `at ${at}`).toBeUndefined();
    for (const own of ['', 'round-1', '{"a":1}', 'tenon', 'a.b.c.d', 'eyJhbGciOiJkaXIifQ..a.b.c', sealed.slice(2)])
      expect(await seal.open(own, 'b'), own).toBeUndefined();
  });

  it('seals with its first key and opens with all; another process opens nothing', async () => {
    const before = createSeal([{ id: 'a', key: key(1) }]);
    const rotated = createSeal([
      { id: 'b', key: key(2) },
      { id: 'a', key: key(1) },
    ]);
    const sealed = await before.seal({ n: 1 }, '');
    expect(await rotated.open(sealed, '')).toEqual({ n: 1 });
    expect(await before.open(await rotated.seal({ n: 1 }, ''), '')).toBeUndefined();
    expect(await createSeal().open(await createSeal().seal({ n: 1 }, ''), '')).toBeUndefined();
  });

  it('opens the texts of runtimes that have only WebCrypto, and they open its own', async () => {
    const keys = [{ id: 'a', key: key(1) }];
    const web = createWebCipher(key(1));
    const encode = (text: string) => new TextEncoder().encode(text);
    const iv = new Uint8Array(12).fill(9);
    const data = await web.encrypt(encode('{"n":1}'), iv, encode('tenon1.a.bound'));
    const toText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
    expect(await createSeal(keys).open(`tenon1.a.${toText(iv)}.${toText(data)}`, 'bound')).toEqual({ n: 1 });
    const [, , ownIv = '', own = ''] = (await createSeal(keys).seal({ n: 2 }, 'bound')).split('.');
    const read = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
    const opened = await web.decrypt(read(own), read(ownIv), encode('tenon1.a.bound'));
    expect(new TextDecoder().decode(opened)).toBe('{"n":2}');
  });

  it('uses node:crypto where it exists, without another thread', async () => {
    const encrypt = vi.spyOn(webcrypto.subtle, 'encrypt');
    const decrypt = vi.spyOn(webcrypto.subtle, 'decrypt');
    const seal = createSeal();
    expect(await seal.open(await seal.seal({ a: 1 }, 'b'), 'b')).toEqual({ a: 1 });
    expect([encrypt.mock.calls.length, decrypt.mock.calls.length]).toEqual([0, 0]);
  });

  it('never returns the same text twice, and hides its content', async () => {
    const seal = createSeal();
    const texts = await Promise.all(Array.from({ length: 20 }, () => seal.seal({ a: 'secret' }, 'bound')));
    expect(new Set(texts).size).toBe(20);
    for (const text of texts)
      expect(Buffer.from(text.split('.')[3] as string, 'base64url').toString('latin1')).not.toMatch(/secret|bound/);
  });
});

describe('areSealKeys', () => {
  it.each([
    ['none', [], false],
    ['one', [{ id: 'k1', key: key(1) }], true],
    [
      'two',
      [
        { id: 'k1', key: key(1) },
        { id: 'k2', key: key(2) },
      ],
      true,
    ],
    [
      'two with the same id',
      [
        { id: 'k1', key: key(1) },
        { id: 'k1', key: key(2) },
      ],
      false,
    ],
    ['a short one', [{ id: 'k1', key: key(1).slice(1) }], false],
    ['one without an id', [{ id: '', key: key(1) }], false],
    ['one whose id has a dot', [{ id: 'k.1', key: key(1) }], false],
  ])('accepts or refuses %s', (_, keys, isUsable) => expect(areSealKeys(keys)).toBe(isUsable));
});
