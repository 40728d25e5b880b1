import { setTimeout } from 'node:timers/promises';
import { postgresStores } from 'tenon/postgres';
import { redisStores } from 'tenon/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres } from '../../packages/tenon/src/stores/postgres/fixtures/start-postgres.js';
import { startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { hasSentinel, startSentinelGroup } from '../../packages/tenon/src/stores/redis/fixtures/start-sentinel.js';
import { isFull, isLong } from '../support/extent.js';
import { type Cluster, type ClusterOptions, canStartCluster, type StoreServer, startCluster } from './cluster.js';
import { startLoad } from './load.js';

/** Time after which a process without a lease counts as stopped, in milliseconds. */
const LEASE = 10_000;

interface Fault extends ClusterOptions {
  readonly name: string;
  /** True if each full run tests the fault. The others need more time: `npm run test:replicas`. */
  readonly isShort?: true;
  run(cluster: Cluster): Promise<void>;
}

const commonFaults: readonly Fault[] = [
  { name: 'three seconds without a fault', run: async () => setTimeout(3000) },
  {
    name: 'kill -9 of one process each second, which starts again',
    isShort: true,
    async run(cluster) {
      const endsAt = Date.now() + (isLong ? 60_000 : 4000);
      for (let kills = 0; Date.now() < endsAt; kills++) {
        await cluster.replace(kills % 3);
        await setTimeout(1000);
      }
    },
  },
  {
    name: 'a process that is suspended for twice its lease',
    isChecking: true,
    async run(cluster) {
      cluster.signal(0, 'SIGSTOP');
      await setTimeout(2 * LEASE);
      cluster.signal(0, 'SIGCONT');
      await setTimeout(2000);
    },
  },
  {
    name: 'a store that is 200 ms slower',
    async run(cluster) {
      for (const link of cluster.links) link.delay = 200;
      await setTimeout(isLong ? 15_000 : 3000);
      for (const link of cluster.links) link.delay = 0;
      await setTimeout(500);
    },
  },
  {
    name: 'a process that cannot reach the store for twice its lease',
    isChecking: true,
    async run(cluster) {
      cluster.links[1]?.interrupt();
      await setTimeout(2 * LEASE);
      cluster.links[1]?.restore();
      await setTimeout(2000);
    },
  },
  {
    name: 'clocks that are an hour apart, and a kill',
    isShort: true,
    clockOffsets: [3_600_000, 0, -3_600_000],
    async run(cluster) {
      await setTimeout(1000);
      await cluster.replace(0);
      await setTimeout(1000);
      await cluster.replace(2);
      await setTimeout(1000);
    },
  },
];

const redisFaults: readonly Fault[] = [
  {
    name: 'a restart of Redis',
    async run(cluster) {
      // Redis writes to disk once a second.
      await setTimeout(1500);
      await cluster.store.restart();
      await setTimeout(2000);
    },
    startStore: () => startRedis('--appendfsync', 'always'),
  },
  {
    name: 'CLIENT PAUSE for three seconds',
    async run(cluster) {
      const { createClient } = await import('@redis/client');
      const redis = await createClient({ url: cluster.store.url }).connect();
      await redis.sendCommand(['CLIENT', 'PAUSE', '3000', 'ALL']);
      redis.destroy();
      await setTimeout(4000);
    },
  },
];

const postgresFaults: readonly Fault[] = [
  {
    name: 'a restart of Postgres',
    async run(cluster) {
      await cluster.store.restart();
      await setTimeout(2000);
    },
  },
];

const sentinelFaults: readonly Fault[] = [
  {
    name: 'a failover',
    isShort: true,
    async run(cluster) {
      await setTimeout(1500);
      // Ends the primary server, and the replica takes its place.
      await cluster.store.kill();
      await setTimeout(3000);
    },
  },
];

const kinds: { name: string; isInstalled: boolean; start: () => Promise<StoreServer>; faults: readonly Fault[] }[] = [
  { name: 'Redis', isInstalled: true, start: startRedis, faults: [...commonFaults, ...redisFaults] },
  { name: 'Redis Sentinel', isInstalled: hasSentinel, start: startGroup, faults: sentinelFaults },
  {
    name: 'Postgres',
    isInstalled: hasPostgres && isLong,
    start: startPostgres,
    faults: [...commonFaults, ...postgresFaults],
  },
];

async function startGroup(): Promise<StoreServer> {
  const group = await startSentinelGroup();
  return { url: group.url, kill: group.failOver, restart: async () => {}, close: group.close };
}

describe.skipIf(!canStartCluster || !isFull).each(kinds)(
  'three processes with $name behind HAProxy, with clients of each library under load',
  ({ name: storeName, isInstalled, start, faults }) => {
    if (!isInstalled) return it.skip('not installed');
    let cluster: Cluster | undefined;
    afterEach(async () => {
      await cluster?.close();
      cluster = undefined;
    });

    it.each(faults.filter(({ isShort }) => isLong || isShort))(
      'survive $name',
      { timeout: 240_000 },
      async ({ name, run, ...options }) => {
        cluster = await startCluster({ startStore: start, ...options });
        const load = await startLoad(cluster.url);
        await setTimeout(500);
        const memory = cluster.measureMemory();
        await run(cluster);
        await load.stop();
        const rest = await listKeys(cluster.store.url);
        console.log(storeName, name, {
          ...load.counts,
          errors: load.counts.errors.length,
          keys: rest,
          memory: [memory, cluster.measureMemory()],
        });
        expect(load.counts.errors).toEqual([]);
        expect(load.counts.streams).toBeGreaterThan(3);
        // Sessions were deleted. Messages between processes, leases and tasks expire.
        expect(rest.session ?? 0).toBeLessThanOrEqual(5);
        expect(rest.withoutExpiry).toBe(0);
      },
    );
  },
);

/** Counts the keys in the store by their kind. */
async function listKeys(url: string): Promise<Record<string, number>> {
  const stores = url.startsWith('postgres') ? postgresStores(url) : redisStores(url, { timeout: 30_000 });
  const counts: Record<string, number> = {};
  const keys: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await stores.values.list('', after === undefined ? {} : { after });
    keys.push(...page.map(({ key }) => key));
    after = page.at(-1)?.key;
    if (page.length < 1000) break;
  }
  await stores.close();
  for (const key of keys) {
    const kind = key.slice(0, key.indexOf('/'));
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  // The check record of the keys belongs to the deployment and does not expire.
  const own = keys.filter(key => key !== 'seal-check');
  return { ...counts, withoutExpiry: await countWithoutExpiry(url, own) };
}

async function countWithoutExpiry(url: string, keys: readonly string[]): Promise<number> {
  if (url.startsWith('postgres')) {
    const { Client } = (await import('pg')).default;
    const client = new Client(url);
    await client.connect();
    const { rows } = await client.query(
      "SELECT count(*) AS count FROM tenon.tenon_values WHERE expires_at IS NULL AND key <> 'seal-check'",
    );
    await client.end();
    return Number(rows[0].count);
  }
  const { Redis } = await import('ioredis');
  const [, hosts = '', name = ''] = /sentinel:\/\/(.*)\/(.*)/.exec(url) ?? [];
  const sentinels = hosts.split(',').map(each => ({ host: '127.0.0.1', port: Number(each.split(':')[1]) }));
  const client = hosts === '' ? new Redis(url) : new Redis({ sentinels, name });
  client.on('error', () => {});
  let count = 0;
  // -1 for a key without expiry, -2 for a key that has expired meanwhile.
  for (const key of keys) if ((await client.pttl(`{tenon}:value:${key}`)) === -1) count += 1;
  client.disconnect();
  return count;
}
