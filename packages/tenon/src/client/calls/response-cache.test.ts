import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { connect } from 'tenon';
import { describe, expect, it } from 'vitest';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { ResponseCache } from './response-cache.js';

function start(size = 3) {
  const clock = fakeClock();
  return { clock, cache: new ResponseCache(size, clock) };
}

describe('the response cache', () => {
  it('returns a response until it expires', () => {
    const { cache, clock } = start();
    cache.set('tools/list', {}, { tools: [], ttlMs: 10 });
    clock.advance(9);
    expect(cache.get('tools/list', {})).toEqual({ tools: [], ttlMs: 10 });
    clock.advance(1);
    expect(cache.get('tools/list', {})).toBeUndefined();
  });

  it('distinguishes methods and params, but not the order of members or _meta [caching.key-method-and-params caching.key-cursor]', () => {
    const { cache } = start(10);
    cache.set('resources/read', { uri: 'a', x: 1 }, { n: 1, ttlMs: 10 });
    expect(cache.get('resources/read', { x: 1, _meta: { a: 1 }, uri: 'a' })).toMatchObject({ n: 1 });
    expect(cache.get('resources/read', { uri: 'b', x: 1 })).toBeUndefined();
    expect(cache.get('resources/list', { uri: 'a', x: 1 })).toBeUndefined();
    cache.set('tools/list', { cursor: '1' }, { n: 2, ttlMs: 10 });
    expect(cache.get('tools/list', {})).toBeUndefined();
    expect(cache.get('tools/list', { cursor: '2' })).toBeUndefined();
  });

  it.each([{ ttlMs: 0 }, { ttlMs: -1 }, { ttlMs: '10' }, { ttlMs: Number.NaN }, {}])(
    'stores no response without a lifetime: %j',
    result => {
      const { cache } = start();
      cache.set('tools/list', {}, result as never);
      expect(cache.get('tools/list', {})).toBeUndefined();
    },
  );

  it('stores no response of a tool call, whatever its lifetime [caching.call-results-unhinted]', () => {
    const { cache } = start();
    cache.set('tools/call', { name: 'a' }, { ttlMs: 10 });
    expect(cache.get('tools/call', { name: 'a' })).toBeUndefined();
  });

  it('stores no response that was requested before a change', () => {
    const { cache } = start();
    const { generation } = cache;
    cache.invalidate({ methods: ['tools/list'] });
    cache.set('tools/list', {}, { tools: [], ttlMs: 10 }, generation);
    expect(cache.get('tools/list', {})).toBeUndefined();
    cache.set('tools/list', {}, { tools: [], ttlMs: 10 }, cache.generation);
    expect(cache.get('tools/list', {})).toEqual({ tools: [], ttlMs: 10 });
  });

  it('returns copies, so that callers may change them', () => {
    const { cache } = start();
    const received = { tools: [{ name: 'a' }], ttlMs: 10 };
    cache.set('tools/list', {}, received);
    received.tools.length = 0;
    Object.assign(cache.get('tools/list', {}) ?? {}, { tools: 'changed' });
    expect(cache.get('tools/list', {})).toEqual({ tools: [{ name: 'a' }], ttlMs: 10 });
  });

  it('deletes responses by method and by URI', () => {
    const { cache } = start(10);
    for (const uri of ['a', 'b']) cache.set('resources/read', { uri }, { ttlMs: 10 });
    cache.set('tools/list', {}, { ttlMs: 10 });
    cache.invalidate({ uri: 'a' });
    expect([cache.get('resources/read', { uri: 'a' }), cache.get('resources/read', { uri: 'b' })]).toEqual([
      undefined,
      { ttlMs: 10 },
    ]);
    cache.invalidate({ uri: 'b/below' });
    expect(cache.get('resources/read', { uri: 'b' })).toBeUndefined();
    cache.set('resources/read', { uri: 'b' }, { ttlMs: 10 });
    cache.invalidate({ uri: 'beside' });
    expect(cache.get('resources/read', { uri: 'b' })).toEqual({ ttlMs: 10 });
    cache.invalidate({ methods: ['tools/list'] });
    expect(cache.get('tools/list', {})).toBeUndefined();
    cache.clear();
    expect(cache.get('resources/read', { uri: 'b' })).toBeUndefined();
  });

  it('deletes the oldest responses beyond its size', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.array(fc.nat(8)), (size, uris) => {
        const { cache } = start(size);
        for (const uri of uris) cache.set('resources/read', { uri }, { ttlMs: 10 });
        const latest = [...new Set(uris.toReversed())].slice(0, size);
        const held = [0, 1, 2, 3, 4, 5, 6, 7, 8].filter(uri => cache.get('resources/read', { uri }));
        expect(held.toSorted()).toEqual(latest.toSorted());
      }),
    );
  });
});

it('requests a list again if it changed while the first request was open', async () => {
  let openGate = () => {};
  const gate = new Promise<void>(resolve => {
    openGate = resolve;
  });
  let requests = 0;
  const server = createServer({
    name: 'shop',
    version: '1',
    cache: { ttlMs: 60_000, cacheScope: 'private' },
    tools: { first: tool({ run: () => 'done' }) },
    use: [
      async (operation, next) => {
        const { method } = operation;
        const result = await next(operation);
        if (method === 'tools/list') requests += 1;
        if (method === 'tools/list' && requests === 1) await gate;
        return result;
      },
    ],
  });
  const client = await connect(server, { protocolVersion: '2026-07-28' });
  const stop = new AbortController();
  const changed = client.watch({ tools: true }, { signal: stop.signal })[Symbol.asyncIterator]().next();
  const outdated = client.call('tools/list', {});
  await expect.poll(() => requests).toBe(1);
  server.tools.set('second', tool({ run: () => 'done' }) as never);
  await changed;
  openGate();
  await outdated;
  const { tools } = await client.call('tools/list', {});
  expect(tools.map(({ name }) => name)).toEqual(['first', 'second']);
  stop.abort();
  await client.close();
});
