import { createClient, createCluster } from '@redis/client';
import type { Stores, TenonError } from '@tenon/base';
import { storeCases } from '@tenon/testing';
import { Cluster, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type RedisStoresOptions, redisStores } from '../../redis.js';
import { findFreePort } from '../fixtures/find-free-port.js';
import type { RedisClient } from './connection.js';
import { toRedisError } from './errors.js';
import { hasRedis, type RedisServer, startRedis } from './fixtures/start-redis.js';

let server: RedisServer;
let prefixes = 0;
/** Keys of a test that no other has. */
const createPrefix = () => `test-${++prefixes}`;

beforeAll(async () => {
  if (hasRedis) server = await startRedis();
});
afterAll(() => server?.close());

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

/** The time of Redis is real: what has to pass passes. */
function openCases(open: (options: RedisStoresOptions) => Stores) {
  return () => {
    const prefix = createPrefix();
    const openSecond = () => open({ prefix, maxValueSize: 10_000, timeout: 30_000 });
    return { stores: openSecond(), openSecond, maxValueSize: 10_000, advance: wait };
  };
}

describe.skipIf(!hasRedis)('stores in Redis', () => {
  describe('by URL', () => {
    for (const { name, run } of storeCases(openCases(options => redisStores(server.url, options)))) it(name, run);
  });

  describe('by a client of @redis/client', () => {
    let client: ReturnType<typeof createClient>;
    beforeAll(async () => {
      client = createClient({ url: server.url });
      await client.connect();
    });
    afterAll(() => client.destroy());
    for (const { name, run } of storeCases(openCases(options => redisStores(client, options)))) it(name, run);
  });

  describe('by a client of ioredis', () => {
    let client: Redis;
    beforeAll(() => {
      client = new Redis(server.url);
    });
    afterAll(() => client.disconnect());
    for (const { name, run } of storeCases(openCases(options => redisStores(client, options)))) it(name, run);
  });

  it('are separate from those with another prefix [so.tenant-prefix]', async () => {
    const [one, other] = [createPrefix(), createPrefix()].map(prefix =>
      redisStores(server.url, { prefix, timeout: 30_000 }),
    );
    const received: unknown[] = [];
    other?.bus.subscribe('topic', message => received.push(message));
    await one?.values.put('a', { n: 1 });
    await one?.bus.publish('topic', {});
    await other?.bus.publish('topic', { own: true });
    await vi.waitFor(() => expect(received).toEqual([{ own: true }]));
    expect([await other?.values.get('a'), await other?.values.list('')]).toEqual([undefined, []]);
    await Promise.all([one?.close(), other?.close()]);
  });

  it('delete expired values [so.bounded]', async () => {
    const prefix = createPrefix();
    const { values, close } = redisStores(server.url, { prefix, timeout: 30_000 });
    for (let n = 0; n < 200; n++) await values.put(`k${n}`, { n }, { ttl: 20 });
    await wait(60);
    // Each write deletes what is left of some others.
    for (let n = 0; n < 100; n++) await values.put('other', {}, { ttl: 60_000 });
    const client = createClient({ url: server.url });
    await client.connect();
    expect(await client.keys(`{${prefix}}*`)).toHaveLength(3);
    expect([await client.zCard(`{${prefix}}:keys`), await client.zCard(`{${prefix}}:expiries`)]).toEqual([1, 1]);
    client.destroy();
    await close();
  });

  it.each(['', 'a b', '{a}', 'x'.repeat(65)])('refuse the prefix "%s"', prefix => {
    expect(() => redisStores('redis://127.0.0.1:1', { prefix })).toThrow(
      expect.objectContaining({ code: 'store/option' }) as Error,
    );
  });

  it.each(['redis', 'redis+sentinel'])('refuse a password with an invalid escape in a URL of %s', scheme => {
    for (const password of ['hunter%', 'hunter%ff'])
      expect(() => redisStores(`${scheme}://ada:${password}@127.0.0.1:1${scheme === 'redis' ? '' : '/main'}`)).toThrow(
        expect.objectContaining({ code: 'store/option', message: expect.not.stringContaining('hunter') }) as Error,
      );
  });

  it('refuse an object that is no client', () => {
    expect(() => redisStores({} as RedisClient)).toThrow(expect.objectContaining({ code: 'store/option' }) as Error);
  });

  it('report that they are unavailable, without user and password, and recover [so.outage-recover]', async () => {
    const own = await startRedis();
    const url = own.url.replace('//', '//default:secret-word@');
    const errors: TenonError[] = [];
    const stores = redisStores(url.replace('default:secret-word@', ''), {
      timeout: 1000,
      onError: e => errors.push(e),
    });
    const received: unknown[] = [];
    stores.bus.subscribe('a', ({ n }) => received.push(n));
    await stores.values.put('a', { n: 1 });
    await stores.bus.publish('a', { n: 1 });
    await own.kill();
    await expect(stores.values.get('a')).rejects.toMatchObject({ code: 'store/unavailable' });
    await expect(stores.values.put('a', {})).rejects.toMatchObject({ code: 'store/unavailable' });
    await own.restart();
    await vi.waitFor(async () => expect((await stores.values.get('a'))?.value).toEqual({ n: 1 }), { timeout: 10_000 });
    // The scripts are gone with the old process, and the subscription is made again.
    expect(await stores.values.put('a', { n: 2 }, { version: 1 })).toBe(2);
    await vi.waitFor(
      async () => {
        await stores.bus.publish('a', { n: 2 });
        expect(received).toContain(2);
      },
      { timeout: 10_000, interval: 100 },
    );
    expect(errors.map(({ code }) => code)).toContain('store/unavailable');
    await stores.close();
    await own.close();
  });

  it('wait at most for the timeout when the server hangs', async () => {
    const own = await startRedis();
    const stores = redisStores(own.url, { timeout: 1000 });
    await stores.values.put('a', {});
    own.process.kill('SIGSTOP');
    await expect(stores.values.get('a')).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.not.stringContaining('secret'),
    });
    own.process.kill('SIGCONT');
    await vi.waitFor(async () => expect(await stores.values.get('a')).toMatchObject({ version: 1 }));
    await stores.close();
    await own.close();
  });

  it('name what the server refuses', async () => {
    const own = await startRedis('--maxmemory', '3mb', '--maxmemory-policy', 'noeviction');
    const stores = redisStores(own.url);
    const fill = async () => {
      for (let n = 0; n < 100; n++) await stores.values.put(`k${n}`, { text: 'x'.repeat(200_000) });
    };
    await expect(fill()).rejects.toMatchObject({ code: 'store/full' });
    const denied = redisStores(own.url.replace('//', '//nobody:secret-word@'), { timeout: 500 });
    const error = await denied.values.get('a').catch((reason: TenonError) => reason);
    expect(error).toMatchObject({ code: 'store/failed', message: expect.stringContaining('WRONGPASS') });
    expect(String(error)).not.toContain('secret-word');
    await Promise.all([stores.close(), denied.close()]);
    await own.close();
  });

  it('name the reply of a server that takes no writes', async () => {
    const own = await startRedis('--min-replicas-to-write', '1');
    const stores = redisStores(own.url);
    await expect(stores.values.put('a', {})).rejects.toMatchObject({
      code: 'store/unavailable',
      received: 'NOREPLICAS',
    });
    await stores.close();
    await own.close();
  });

  it.each(['READONLY', 'LOADING', 'MISCONF', 'ERR max number of clients'])(
    'report a server that answers %s as unavailable, without the rest of the reply',
    reply => {
      const error = toRedisError(new Error(`${reply} secret-word`), 'Redis at db');
      expect(error).toMatchObject({ code: 'store/unavailable', received: reply });
      expect(error.message).not.toContain('secret-word');
    },
  );

  it('name the reason of the first connection only until there is one', async () => {
    const own = await startRedis('--maxclients', '1');
    const client = createClient({ url: own.url });
    await client.connect();
    const stores = redisStores(own.url, { timeout: 1000 });
    await expect(stores.values.get('a')).rejects.toMatchObject({
      code: 'store/unavailable',
      cause: expect.objectContaining({ message: expect.stringContaining('max number of clients') }),
    });
    client.destroy();
    await vi.waitFor(async () => expect(await stores.values.get('a')).toBeUndefined(), { timeout: 10_000 });
    own.process.kill('SIGSTOP');
    await expect(stores.values.get('a')).rejects.toMatchObject({ code: 'store/unavailable', cause: undefined });
    own.process.kill('SIGCONT');
    await stores.close();
    await own.close();
  });

  it('fail while no server is reachable, and can be closed', async () => {
    const stores = redisStores('redis://127.0.0.1:9', { timeout: 200 });
    await expect(stores.values.get('a')).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('127.0.0.1:9: not available. Got ECONNREFUSED.'),
    });
    await stores.close();
    await expect(stores.values.get('a')).rejects.toMatchObject({ code: 'store/closed' });
  });

  describe('in a cluster', () => {
    let node: RedisServer;
    beforeAll(async () => {
      // The default is the port of the server and 10,000, which may be above the last port.
      const busPort = String(await findFreePort());
      node = await startRedis(
        ...['--cluster-enabled', 'yes', '--cluster-port', busPort],
        '--cluster-announce-ip',
        '127.0.0.1',
      );
      const client = createClient({ url: node.url });
      await client.connect();
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383']);
      await vi.waitFor(
        async () => expect(await client.sendCommand(['CLUSTER', 'INFO'])).toContain('cluster_state:ok'),
        {
          timeout: 10_000,
        },
      );
      client.destroy();
    });
    afterAll(() => node.close());

    async function exercise(stores: Stores): Promise<void> {
      const received: unknown[] = [];
      stores.bus.subscribe('a', ({ n }) => received.push(n));
      expect([await stores.values.put('a', {}), await stores.values.put('b', {}, { ttl: 1000 })]).toEqual([1, 1]);
      expect((await stores.values.list('')).map(({ key }) => key)).toEqual(['a', 'b']);
      expect(await stores.values.delete('a', 1)).toBe(true);
      await stores.bus.publish('a', { n: 1 });
      await vi.waitFor(() => expect(received).toEqual([1]));
      await stores.close();
    }

    it('work with @redis/client', async () => {
      const cluster = createCluster({ rootNodes: [{ url: node.url }] });
      await cluster.connect();
      await exercise(redisStores(cluster, { prefix: createPrefix(), timeout: 30_000 }));
      cluster.destroy();
    });

    it('work with ioredis', async () => {
      const cluster = new Cluster([{ host: '127.0.0.1', port: Number(new URL(node.url).port) }]);
      await exercise(redisStores(cluster, { prefix: createPrefix(), timeout: 30_000 }));
      cluster.disconnect();
    });
  });
});
