import { setTimeout } from 'node:timers/promises';
import { redisStores } from 'tenon/redis';
import { afterEach, describe, expect, it } from 'vitest';
import { isFull, isLong } from '../support/extent.js';
import { type Cluster, type ClusterOptions, canStartCluster, startCluster } from './cluster.js';
import { startLoad } from './load.js';

/** Time after which a process without a lease counts as stopped, in milliseconds. */
const LEASE = 10_000;

interface Fault extends ClusterOptions {
  readonly name: string;
  /** True if each full run tests the fault. The others need more time: `npm run test:replicas`. */
  readonly isShort?: true;
  run(cluster: Cluster): Promise<void>;
}

const faults: readonly Fault[] = [
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
    async run(cluster) {
      cluster.signal(0, 'SIGSTOP');
      await setTimeout(2 * LEASE);
      cluster.signal(0, 'SIGCONT');
      await setTimeout(2000);
    },
  },
  {
    name: 'a restart of Redis',
    async run(cluster) {
      // Redis writes to disk once a second.
      await setTimeout(1500);
      await cluster.redis.restart();
      await setTimeout(2000);
    },
    redisSettings: ['--appendfsync', 'always'],
  },
  {
    name: 'CLIENT PAUSE for three seconds',
    async run(cluster) {
      const { createClient } = await import('@redis/client');
      const redis = await createClient({ url: cluster.redis.url }).connect();
      await redis.sendCommand(['CLIENT', 'PAUSE', '3000', 'ALL']);
      redis.destroy();
      await setTimeout(4000);
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

describe.skipIf(!canStartCluster || !isFull)(
  'three processes behind HAProxy, with clients of each library under load',
  () => {
    let cluster: Cluster | undefined;
    afterEach(async () => {
      await cluster?.close();
      cluster = undefined;
    });

    it.each(faults.filter(({ isShort }) => isLong || isShort))(
      'survive $name',
      { timeout: 240_000 },
      async ({ name, run, ...options }) => {
        cluster = await startCluster(options);
        const load = await startLoad(cluster.url);
        await setTimeout(500);
        const memory = cluster.measureMemory();
        await run(cluster);
        await load.stop();
        const rest = await listKeys(cluster);
        console.log(name, {
          ...load.counts,
          problems: load.counts.problems.length,
          keys: rest,
          memory: [memory, cluster.measureMemory()],
        });
        expect(load.counts.problems).toEqual([]);
        expect(load.counts.streams).toBeGreaterThan(3);
        // Sessions were deleted. Messages between processes, leases and tasks expire.
        expect(rest.session ?? 0).toBeLessThanOrEqual(5);
        expect(rest.withoutExpiry).toBe(0);
      },
    );
  },
);

/** Counts the keys in the store by their kind. */
async function listKeys({ redis }: Cluster): Promise<Record<string, number>> {
  const { createClient } = await import('@redis/client');
  const client = createClient({ url: redis.url });
  client.on('error', () => {});
  await client.connect();
  const stores = redisStores(redis.url, { timeout: 30_000 });
  const counts: Record<string, number> = { withoutExpiry: 0 };
  for (let after: string | undefined; ; ) {
    const page = await stores.values.list('', after === undefined ? {} : { after });
    for (const { key } of page) {
      const kind = key.slice(0, key.indexOf('/'));
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (Number(await client.sendCommand(['PTTL', `{tenon}:value:${key}`])) < 0)
        counts.withoutExpiry = (counts.withoutExpiry ?? 0) + 1;
    }
    after = page.at(-1)?.key;
    if (page.length < 1000) break;
  }
  await stores.close();
  client.destroy();
  return counts;
}
