import { createClient, createCluster } from '@redis/client';
import type { Stores } from '@tenon/base';
import { storeCases } from '@tenon/testing';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisStoresOptions, redisStores } from '../../redis.js';
import type { RedisClient } from './connection.js';
import { hasRedisCluster, type RedisCluster, startRedisCluster } from './fixtures/start-redis-cluster.js';

let prefixes = 0;
const createPrefix = () => `cluster-${++prefixes}`;
const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms));

describe.skipIf(!hasRedisCluster)('stores in a Redis cluster of three nodes', () => {
  let cluster: RedisCluster;
  const clients = new Map<string, RedisClient>();
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    cluster = await startRedisCluster();
    const nodeRedis = createCluster({ rootNodes: cluster.nodes.map(({ url }) => ({ url })) });
    await nodeRedis.connect();
    const ioredis = new Cluster(cluster.ports.map(port => ({ host: '127.0.0.1', port })));
    clients.set('@redis/client', nodeRedis as RedisClient);
    clients.set('ioredis', ioredis as RedisClient);
    closing.push(
      () => nodeRedis.destroy(),
      () => ioredis.disconnect(),
    );
  }, 60_000);
  afterAll(async () => {
    for (const close of closing) close();
    await cluster?.close();
  });

  const open = (client: string, options: RedisStoresOptions): Stores =>
    redisStores(clients.get(client) as RedisClient, { timeout: 30_000, ...options });

  describe.each(['@redis/client', 'ioredis'])('by %s', client => {
    const openCase = () => {
      const prefix = createPrefix();
      const openSecond = () => open(client, { prefix, maxValueSize: 10_000 });
      return { stores: openSecond(), openSecond, maxValueSize: 10_000, advance: wait };
    };
    for (const { name, run } of storeCases(openCase)) it(name, run);

    it('have the keys of one session on one node, and those of many sessions on all nodes', async () => {
      const prefix = createPrefix();
      const { values, close } = open(client, { prefix });
      const sessions = Array.from({ length: 300 }, (_, n) => `session/notes/{session-${n}}`);
      await Promise.all(sessions.map(key => values.put(key, { n: 1 }, { ttl: 60_000 })));
      await Promise.all(sessions.map(key => values.put(`${key}/p1/000`, { n: 2 }, { ttl: 60_000 })));
      const places = await Promise.all(cluster.nodes.map(({ url }) => listSessions(url, prefix)));
      // A third, more or less, and no session at two nodes.
      for (const place of places) expect(place.size).toBeGreaterThan(60);
      expect(places.reduce((sum, { size }) => sum + size, 0)).toBe(300);
      expect((await values.list(`${sessions[7]}/`)).map(({ key }) => key)).toEqual([`${sessions[7]}/p1/000`]);
      await close();
    });

    it('list keys of all nodes in order, page by page', async () => {
      const { values, close } = open(client, { prefix: createPrefix() });
      const keys = Array.from({ length: 50 }, (_, n) => `a/{${n}}/x`);
      await Promise.all([...keys, 'a/plain', 'b/{1}'].map(key => values.put(key, {})));
      const sorted = [...keys, 'a/plain'].sort();
      expect((await values.list('a/')).map(({ key }) => key)).toEqual(sorted);
      const paged: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await values.list('a/', { after, limit: 7 });
        paged.push(...page.map(({ key }) => key));
        after = page.at(-1)?.key;
        if (page.length < 7) break;
      }
      expect(paged).toEqual(sorted);
      expect((await values.list('a/{1')).map(({ key }) => key)).toEqual(sorted.filter(key => key.startsWith('a/{1')));
      expect((await values.list('')).map(({ key }) => key)).toEqual([...sorted, 'b/{1}']);
      await close();
    });
  });
});

/** Lists the sessions of a prefix that one node has. */
async function listSessions(url: string, prefix: string): Promise<Set<string>> {
  const client = createClient({ url });
  await client.connect();
  const keys = await client.keys(`{${prefix}/*value:session/*`);
  client.destroy();
  return new Set(keys.map(key => /session-\d+/.exec(key)?.[0] ?? key));
}
