import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { computeSha256, computeSha256Portably, digestSha256, hashSha256 } from './sha256.js';

const hashByNode = (data: string | Uint8Array) => new Uint8Array(createHash('sha256').update(data).digest());

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

describe('SHA-256', () => {
  it('returns the digests of the standard', () => {
    expect(hashSha256('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(hashSha256('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
    expect([...computeSha256('abc')]).toEqual([...hashByNode('abc')]);
    expect([...computeSha256(Uint8Array.of(97, 98, 99))]).toEqual([...hashByNode('abc')]);
  });

  it('returns the same digest without Node modules, for every length up to three blocks', () => {
    for (let length = 0; length <= 192; length++) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 167 + length) & 0xff);
      expect(computeSha256Portably(bytes)).toEqual(hashByNode(bytes));
    }
  });

  it('returns the same digest without Node modules, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 500 }), text => {
        expect(computeSha256Portably(text)).toEqual(hashByNode(text));
      }),
    );
  });

  it('reads only the bytes of a view', () => {
    const view = Uint8Array.of(1, 2, 3, 4).subarray(1, 3);
    expect(computeSha256Portably(view)).toEqual(hashByNode(Uint8Array.of(2, 3)));
    expect([...computeSha256(view)]).toEqual([...hashByNode(Uint8Array.of(2, 3))]);
  });

  it.each([
    ['no process', undefined],
    ['a process without modules', {}],
    ['a process whose modules lack node:crypto', { getBuiltinModule: () => undefined }],
  ])('works in a runtime that has %s', async (_, process) => {
    vi.resetModules();
    const portable = await import('./sha256.js');
    vi.stubGlobal('process', process);
    const results = [portable.hashSha256('abc'), portable.computeSha256('abc'), portable.digestSha256('abc')];
    vi.unstubAllGlobals();
    const digest = 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0';
    expect(await Promise.all(results)).toEqual([digest, hashByNode('abc'), digest]);
  });

  it('digests a text at once in runtimes with node:crypto', () => {
    expect(digestSha256('abc')).toBe(hashSha256('abc'));
  });

  it('loads node:crypto once, with the first digest', async () => {
    vi.resetModules();
    const { hashSha256: hash } = await import('./sha256.js');
    const load = vi.fn(() => ({ createHash }));
    vi.stubGlobal('process', { getBuiltinModule: load });
    const loads = [];
    for (const text of ['a', 'b']) {
      loads.push(load.mock.calls.length);
      hash(text);
    }
    vi.unstubAllGlobals();
    expect([...loads, load.mock.calls.length]).toEqual([0, 1, 1]);
  });
});
