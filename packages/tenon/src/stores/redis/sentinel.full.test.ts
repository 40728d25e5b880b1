import { createSentinel } from '@redis/client';
import type { Stores } from '@tenon/base';
import { storeCases } from '@tenon/testing';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type RedisStoresOptions, redisStores } from '../../redis.js';
import { GROUP, hasSentinel, type RedisGroup, startSentinelGroup } from './fixtures/start-sentinel.js';

type Open = (
  group: RedisGroup,
  options?: RedisStoresOptions,
) => Promise<{ stores: Stores; disconnect?: () => unknown }>;

const kinds: { name: string; open: Open }[] = [
  { name: 'by URL', open: async ({ url }, options) => ({ stores: redisStores(url, options) }) },
  {
    name: 'by a Sentinel client of @redis/client',
    async open({ sentinels }, options) {
      const client = createSentinel({ name: GROUP, sentinelRootNodes: [...sentinels] });
      client.on('error', () => {});
      await client.connect();
      return { stores: redisStores(client, options), disconnect: () => client.destroy() };
    },
  },
  {
    name: 'by a client of ioredis',
    async open({ sentinels }, options) {
      const client = new Redis({ sentinels: [...sentinels], name: GROUP });
      client.on('error', () => {});
      return { stores: redisStores(client, options), disconnect: () => client.disconnect() };
    },
  },
];

describe.skipIf(!hasSentinel).each(kinds)('stores in a Sentinel group, $name', ({ open }) => {
  let group: RedisGroup;
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await group?.close();
  });

  it('fail without a primary server, and recover with the next, with values, scripts and subscriptions [so.outage-recover]', {
    timeout: 60_000,
  }, async () => {
    group = await startSentinelGroup();
    const { stores, disconnect } = await open(group, { timeout: 1000, onError: () => {} });
    closing.push(
      () => disconnect?.(),
      () => stores.close(),
    );
    const received: unknown[] = [];
    stores.bus.subscribe('topic', ({ n }) => received.push(n));
    await stores.values.put('a', { n: 1 });
    await stores.bus.publish('topic', { n: 1 });
    await vi.waitFor(() => expect(received).toEqual([1]));
    await group.failOver();
    await vi.waitFor(async () => expect((await stores.values.get('a'))?.value).toEqual({ n: 1 }), { interval: 100 });
    expect(await stores.values.put('a', { n: 2 }, { version: 1 })).toBe(2);
    await vi.waitFor(
      async () => {
        await stores.bus.publish('topic', { n: 2 });
        expect(received).toContain(2);
      },
      { interval: 200 },
    );
  });
});

describe.skipIf(!hasSentinel)('stores in a Sentinel group', async () => {
  const group = hasSentinel ? await startSentinelGroup(1) : undefined;
  if (group === undefined) return;
  let prefixes = 0;
  const cases = storeCases(() => {
    const options = { prefix: `cases-${++prefixes}`, maxValueSize: 10_000, timeout: 30_000 };
    const openSecond = () => redisStores(group.url, options);
    const advance = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));
    return { stores: openSecond(), openSecond, maxValueSize: 10_000, advance };
  });
  for (const { name, run } of cases) it(name, run);
  it('close with the group', () => group.close());
});
