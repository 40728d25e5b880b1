import type { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import {
  createOverflowStore,
  isOverflowUri,
  OVERFLOW_NEXT,
  OVERFLOW_TOTAL,
  type OverflowStoreOptions,
} from './overflow-store.js';

function createStore(options: Partial<OverflowStoreOptions> = {}) {
  const clock = fakeClock();
  const { values } = memoryStores({ clock });
  return { clock, values, overflow: createOverflowStore({ values, clock, ...options }) };
}
const put = async (overflow: ReturnType<typeof createStore>['overflow'], length: number, who?: string) =>
  (await overflow.put({ text: 'x'.repeat(length) }, who)) ?? '';

describe('the overflow store', () => {
  it('returns pages over several values of the store', async () => {
    const { overflow, values } = createStore({ maxPageSize: 200_000 });
    const text = Array.from({ length: 60_000 }, (_, i) => `${i}\u0000"é`).join('');
    const uri = (await overflow.put({ text, mimeType: 'text/plain' }, 'ann')) ?? '';
    expect(isOverflowUri(uri)).toBe(true);
    expect((await values.list('spill/')).length).toBeGreaterThan(3);
    expect(await overflow.read(uri, 'ann')).toEqual({
      contents: [
        {
          uri: `${uri}?from=0&to=200000`,
          mimeType: 'text/plain',
          text: text.slice(0, 200_000),
          _meta: { [OVERFLOW_TOTAL]: text.length, [OVERFLOW_NEXT]: `${uri}?from=200000` },
        },
      ],
    });
    const part = await overflow.read(`${uri}?from=131070&to=131080`, 'ann');
    expect(part?.contents[0]).toMatchObject({ text: text.slice(131_070, 131_080) });
    const last = await overflow.read(uri, 'ann', { from: text.length - 5 });
    expect(last?.contents[0]?._meta).toEqual({ [OVERFLOW_TOTAL]: text.length });
  });

  it('ends no page within a character', async () => {
    const { overflow } = createStore({ maxPageSize: 10 });
    const uri = (await overflow.put({ text: `x${'😀'.repeat(20)}` }, undefined)) ?? '';
    const [first] = (await overflow.read(uri, undefined))?.contents ?? [];
    expect(first).toMatchObject({ text: `x${'😀'.repeat(4)}`, _meta: { [OVERFLOW_NEXT]: `${uri}?from=9` } });
    expect((await overflow.read(uri, undefined, { from: 0, to: 2 }))?.contents[0]).toMatchObject({ text: 'x\ud83d' });
  });

  it('returns any part of a blob by its bytes', async () => {
    const { overflow } = createStore();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.nat(400), fc.nat(400), async (bytes, a, b) => {
        const uri = (await overflow.put({ blob: Buffer.from(bytes).toString('base64') }, undefined)) ?? '';
        const [from = 0, to = 0] = [a, b].map(each => Math.min(each, bytes.length)).sort((x, y) => x - y);
        const { contents: [content] = [] } = (await overflow.read(uri, undefined, { from, to })) ?? {};
        if (!content || !('blob' in content)) throw new Error('no blob');
        expect(Buffer.from(content.blob, 'base64')).toEqual(Buffer.from(bytes.slice(from, to)));
        expect(content._meta?.[OVERFLOW_TOTAL]).toBe(bytes.length);
      }),
    );
  });

  it('returns a large blob over several values', async () => {
    const { overflow } = createStore();
    const bytes = Buffer.from(Array.from({ length: 250_001 }, (_, i) => i % 251));
    const uri = (await overflow.put({ blob: bytes.toString('base64') }, 'a')) ?? '';
    const parts: Buffer[] = [];
    for (let next: unknown = uri; next !== undefined; ) {
      const [content] = (await overflow.read(String(next), 'a'))?.contents ?? [];
      if (!content || !('blob' in content)) throw new Error('no blob');
      parts.push(Buffer.from(content.blob, 'base64'));
      next = content._meta?.[OVERFLOW_NEXT];
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    expect(parts.length).toBeGreaterThan(3);
  });

  it.each(['from=-1', 'from=1&to=0', 'from=11', 'to=x', 'from=1.5', 'from=1e3', 'to='])(
    'refuses the part %s with -32602',
    async query => {
      const { overflow } = createStore();
      const uri = await put(overflow, 10);
      await expect(overflow.read(`${uri}?${query}`, undefined)).rejects.toMatchObject({
        code: 'rpc/error',
        rpcCode: -32602,
      });
    },
  );

  it('returns content only to its own principal', async () => {
    const { overflow } = createStore();
    const uri = await put(overflow, 10, 'ann');
    expect(await overflow.read(uri, 'ann')).toBeDefined();
    for (const who of ['bob', '', undefined, 'null']) expect(await overflow.read(uri, who)).toBeUndefined();
    const open = await put(overflow, 10);
    expect(await overflow.read(open, undefined)).toBeDefined();
    expect(await overflow.read(open, 'null')).toBeUndefined();
    for (const other of ['tenon-overflow://', `${uri}/x`, 'file:///a', uri.replace(/.$/, 'z')])
      expect(await overflow.read(other, 'ann')).toBeUndefined();
  });

  it('deletes expired content with all of its values', async () => {
    const { overflow, clock, values } = createStore({ ttl: 1_000 });
    const uri = await put(overflow, 10);
    clock.advance(999);
    expect(await overflow.read(uri, undefined)).toBeDefined();
    clock.advance(1);
    expect(await overflow.read(uri, undefined)).toBeUndefined();
    expect(await values.list('spill/')).toEqual([]);
  });

  it('limits content in total and for each principal, and evicts none of a smaller one', async () => {
    const { overflow, values } = createStore({ maxBytes: 1_000, maxBytesPerOwner: 400 });
    expect(await overflow.put({ text: 'x'.repeat(401) }, 'ann')).toBeUndefined();
    const bob = await put(overflow, 200, 'bob');
    const first = await put(overflow, 200, 'ann');
    const rest = [await put(overflow, 200, 'ann'), await put(overflow, 200, 'ann')];
    const held = (uri: string, who: string) => overflow.read(uri, who).then(each => each !== undefined);
    expect([await held(first, 'ann'), await held(rest[0] ?? '', 'ann'), await held(bob, 'bob')]).toEqual([
      false,
      true,
      true,
    ]);
    for (let i = 0; i < 20; i++) await put(overflow, 300, 'eve');
    expect(await held(bob, 'bob')).toBe(true);
    const sizes = (await values.list('spill/')).map(({ value }) =>
      typeof value.data === 'string' ? value.data.length : 0,
    );
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(1_000);
  });

  it('counts concurrent writes correctly', async () => {
    const { overflow, values } = createStore({ maxBytes: 1_000, maxBytesPerOwner: 1_000 });
    const other = createOverflowStore({ values, clock: fakeClock(), maxBytes: 1_000, maxBytesPerOwner: 1_000 });
    const uris = await Promise.all(Array.from({ length: 20 }, (_, i) => put(i % 2 ? overflow : other, 100)));
    const found = await Promise.all(uris.map(uri => overflow.read(uri, undefined)));
    expect(found.filter(each => each !== undefined)).toHaveLength(10);
  });

  it('drops content when the store fails, and reports it', async () => {
    const { values } = memoryStores({ maxEntries: 2 });
    const errors: TenonError[] = [];
    const overflow = createOverflowStore({ values, clock: fakeClock(), onError: error => errors.push(error) });
    expect(await overflow.put({ text: 'x'.repeat(300_000) }, undefined)).toBeUndefined();
    expect(errors.map(({ code }) => code)).toEqual(['store/full']);
    expect((await values.list('')).map(({ key }) => key)).toEqual(['spill-ledger']);
    expect(await overflow.put({ text: 'x' }, undefined)).toBeUndefined();
  });
});
