import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AesGcm, createAesGcm, createWebCipher } from './aes-gcm.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const input = fc.record({ key: bytes(32), iv: bytes(12), data: fc.uint8Array(), additional: fc.uint8Array() });
const toHex = (data: Uint8Array) => Buffer.from(data).toString('hex');

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('AES-256-GCM', () => {
  // https://csrc.nist.rip/groups/ST/toolkit/BCM/documents/proposedmodes/gcm/gcm-spec.pdf, test case 14
  it.each<[string, (key: Uint8Array) => AesGcm]>([
    ['node:crypto', createAesGcm],
    ['WebCrypto', createWebCipher],
  ])('returns the ciphertext and the tag of the specification by %s', async (_, create) => {
    const sealed = await create(new Uint8Array(32)).encrypt(new Uint8Array(16), new Uint8Array(12), new Uint8Array());
    expect(toHex(sealed)).toBe('cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919');
  });

  it('returns the same bytes by node:crypto and by WebCrypto, and each decrypts the output of the other', async () => {
    await fc.assert(
      fc.asyncProperty(input, async ({ key, iv, data, additional }) => {
        const [native, web] = [createAesGcm(key), createWebCipher(key)];
        const sealed = await native.encrypt(data, iv, additional);
        expect(sealed).toEqual(await web.encrypt(data, iv, additional));
        expect(await native.decrypt(sealed, iv, additional)).toEqual(data);
        expect(await web.decrypt(sealed, iv, additional)).toEqual(data);
      }),
    );
  });

  it('refuses changed and shortened bytes by both', async () => {
    const change = fc.record({ part: fc.constantFrom('sealed', 'iv', 'additional', 'tag'), bit: fc.nat() });
    await fc.assert(
      fc.asyncProperty(input, change, async ({ key, iv, data, additional }, { part, bit }) => {
        fc.pre(part !== 'additional' || additional.length > 0);
        const native = createAesGcm(key);
        const parts = { sealed: await native.encrypt(data, iv, additional), iv, additional };
        const changed = (part === 'tag' ? parts.sealed : parts[part as keyof typeof parts]).slice();
        const at = (bit >> 3) % changed.length;
        changed[at] = (changed[at] as number) ^ (1 << (bit & 7));
        const given = part === 'tag' ? { ...parts, sealed: parts.sealed.slice(0, at) } : { ...parts, [part]: changed };
        for (const cipher of [native, createWebCipher(key)])
          await expect((async () => cipher.decrypt(given.sealed, given.iv, given.additional))()).rejects.toThrow();
      }),
    );
  });

  it('returns without a promise where node:crypto exists', () => {
    const cipher = createAesGcm(new Uint8Array(32));
    const sealed = cipher.encrypt(Uint8Array.of(1), new Uint8Array(12), new Uint8Array());
    expect(sealed).toBeInstanceOf(Uint8Array);
    expect(cipher.decrypt(sealed as Uint8Array, new Uint8Array(12), new Uint8Array())).toEqual(Uint8Array.of(1));
  });

  it.each([
    ['no process', undefined],
    ['no modules of Node', {}],
    ['no node:crypto', { getBuiltinModule: () => undefined }],
    ['a node:crypto without ciphers', { getBuiltinModule: () => ({ createHash: () => {} }) }],
    [
      'a node:crypto whose ciphers are not implemented',
      {
        getBuiltinModule: () => ({
          createCipheriv: () => {
            throw new Error('not implemented');
          },
          createDecipheriv: () => ({}),
        }),
      },
    ],
  ])('uses WebCrypto in a runtime that has %s', async (_, process) => {
    vi.resetModules();
    const portable = await import('./aes-gcm.js');
    vi.stubGlobal('process', process);
    const cipher = portable.createAesGcm(new Uint8Array(32));
    vi.unstubAllGlobals();
    const sealed = cipher.encrypt(Uint8Array.of(1), new Uint8Array(12), new Uint8Array());
    expect(sealed).toBeInstanceOf(Promise);
    const native = createAesGcm(new Uint8Array(32));
    expect(native.decrypt(await sealed, new Uint8Array(12), new Uint8Array())).toEqual(Uint8Array.of(1));
  });
});
