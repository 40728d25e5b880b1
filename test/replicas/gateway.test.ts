import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Approvals, createApprovals } from '@tenon/host';
import { type Client, connect, type Stores, sealStores } from 'tenon';
import { postgresStores } from 'tenon/postgres';
import { redisStores } from 'tenon/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, startPostgres } from '../../packages/tenon/src/stores/postgres/fixtures/start-postgres.js';
import { hasRedis, startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { runTenon } from '../cli/command.js';
import { createAnswers } from '../interop/answers.js';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import { connectSdkV1 } from '../interop/sdk-v1-client.js';
import { connectSdkV2 } from '../interop/sdk-v2-client.js';
import { isFull } from '../support/extent.js';
import { canStartCluster } from './cluster.js';
import { type GatewayCluster, startGateways } from './gateway-cluster.js';
import { GATEWAY_KEYS, KEYS_VARIABLE } from './gateway-keys.js';
import { openRawSession, type RawSession } from './raw-session.js';

type Call = (name: string) => Promise<unknown>;

const clients: { name: string; hasSession?: false; open: (url: string) => Promise<[Call, () => Promise<unknown>]> }[] =
  [
    { name: 'Tenon on 2025-11-25', open: url => openOwn(url, '2025-11-25') },
    { name: 'Tenon on 2026-07-28', hasSession: false, open: url => openOwn(url, '2026-07-28') },
    {
      name: 'the official SDK v1',
      async open(url) {
        const { client, call } = await connectSdkV1({ url });
        return [name => call(name), () => client.close()];
      },
    },
    {
      name: 'the official SDK v2',
      async open(url) {
        const { client, call } = await connectSdkV2({ url });
        return [name => call(name), () => client.close()];
      },
    },
  ];

async function openOwn(
  url: string,
  protocolVersion: '2025-11-25' | '2026-07-28',
): Promise<[Call, () => Promise<unknown>]> {
  const client: Client = await connect(url, { protocolVersion, ...createAnswers() });
  return [name => client.callTool(name), () => client.close()];
}

interface StoreServer {
  readonly url: string;
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

const stores: {
  name: string;
  isInstalled: boolean;
  start: () => Promise<StoreServer>;
  open: (url: string) => Stores;
}[] = [
  { name: 'Redis', isInstalled: hasRedis, start: startRedis, open: url => redisStores(url, { timeout: 30_000 }) },
  {
    name: 'Postgres',
    isInstalled: hasPostgres && isFull,
    start: startPostgres,
    open: url => postgresStores(url, { timeout: 30_000 }),
  },
];
describe.each(stores)(
  'two gateways with $name, behind HAProxy without stickiness',
  ({ isInstalled, start, open: openStores }) => {
    if (!isInstalled || !canStartCluster) return it.skip('not installed');
    let server: StoreServer;
    let cluster: GatewayCluster;
    let shared: Stores;
    let approvals: Approvals;
    beforeAll(async () => {
      server = await start();
      cluster = await startGateways(server.url);
      shared = sealStores(openStores(server.url), { keys: GATEWAY_KEYS });
      approvals = createApprovals(shared);
    }, 60_000);
    afterAll(async () => {
      await shared?.close();
      await cluster?.close();
      await server?.close();
    });

    const tenon = (...args: string[]) =>
      runTenon(cluster.folder, [...args, '--store-env', 'STORE_URL', '--keys-env', 'KEYS'], {
        KEYS: KEYS_VARIABLE,
        STORE_URL: server.url,
      });
    /** Waits for the pending approval of a call. */
    const findPending = (call: string) =>
      retryUntilPasses(async () => {
        const approval = (await approvals.listPending()).find(({ arguments: { id } }) => id === call);
        if (approval === undefined) throw new Error('no pending approval');
        return approval;
      });
    const at = (session: RawSession, index: number) => session.at(cluster.replicaUrls[index] ?? '');

    it.each(clients)('serve $name, in one session at the server', async ({ open, hasSession = true }) => {
      const [call, close] = await open(cluster.url);
      const counts: number[] = [];
      for (let n = 0; n < 4; n++) counts.push(Number(getText((await call('next')) as never)));
      expect(counts).toEqual(counts.map((_, index) => (counts[0] ?? 0) + index));
      if (hasSession) expect(counts[0]).toBe(1);
      // The retry of a call on 2026-07-28 reaches the other process, and the server waits at the first.
      for (let n = 0; n < 4; n++) expect(getText((await call('form')) as never)).toMatch(/^Hello \w/);
      expect(getText((await call('paced')) as never)).toBe('done');
      await close();
    });

    it('let an operator with the store allow a call, once [so.approval]', async () => {
      const session = await openRawSession(cluster.url);
      const paid = session.call('pay', { id: 'tea' });
      const { id } = await findPending('tea');
      const { out } = await tenon('approvals', 'list', '--json');
      expect(JSON.parse(out.split('\n')[0] ?? '')).toMatchObject({
        status: 'waiting',
        name: 'pay',
        arguments: { id: 'tea' },
      });
      expect((await tenon('approvals', 'allow', id)).code).toBe(0);
      expect(await paid).toBe('paid tea');
      // Further calls need an approval of their own, at either gateway.
      const others = [0, 1].map(index => at(session, index).call('pay', { id: 'tea' }));
      for (let n = 0; n < 2; n++) await approvals.answer((await findPending('tea')).id, 'deny');
      for (const text of await Promise.all(others)) expect(text).toMatch(/^Not done: /);
      expect(cluster.shop.effects.get('tea')).toBe(1);
    });

    it('neither lose nor repeat a call whose gateway is killed during an approval [so.approval]', async () => {
      const session = await openRawSession(cluster.url);
      const calling = at(session, 0).callOnce('pay', { id: 'salt' });
      const { id } = await findPending('salt');
      await cluster.replace(0);
      expect(await calling).toBeUndefined();
      expect(cluster.shop.effects.get('salt')).toBeUndefined();
      await approvals.answer(id, 'allow');
      const retried = at(session, 1).call('pay', { id: 'salt' });
      const { id: second } = await findPending('salt');
      await approvals.answer(second, 'allow');
      expect(await retried).toBe('paid salt');
      expect(cluster.shop.effects.get('salt')).toBe(1);
    });

    it('end a call whose gateway is killed, and continue its session: the server gets the call once', async () => {
      const session = await openRawSession(cluster.url);
      expect(await at(session, 0).call('next')).toBe('1');
      const calling = at(session, 1).callOnce('slow', { id: 'slow' });
      await retryUntilPasses(() => expect(cluster.shop.effects.get('slow')).toBe(1));
      await cluster.replace(1);
      expect(await calling).toBeUndefined();
      cluster.shop.release();
      expect(await at(session, 1).call('next')).toBe('2');
      expect(await at(session, 0).call('next')).toBe('3');
      expect(cluster.shop.effects.get('slow')).toBe(1);
    });

    it.runIf(isFull)(
      'notify of updates after the gateway with the stream of the server is killed [so.sub-fanout]',
      { timeout: 60_000 },
      async () => {
        const session = await openRawSession(cluster.url);
        await session.confirm();
        await at(session, 1).call('next');
        await at(session, 0).request('resources/subscribe', { uri: 'note://a' });
        const expected = 'notifications/resources/updated';
        const first = at(session, 0).waitForEvent(expected);
        await retryUntilPasses(async () => {
          cluster.shop.notifyUpdated();
          expect(await Promise.race([first, setTimeout(50)])).toContain(expected);
        });
        const listening = at(session, 0)
          .waitForEvent('never')
          .catch(() => '');
        await setTimeout(200);
        await cluster.kill(0);
        await listening;
        // The update that nobody hears of is reported when another gateway has taken over.
        cluster.shop.notifyUpdated();
        expect(await at(session, 1).waitForEvent(expected)).toContain(expected);
        await cluster.replace(0);
      },
    );

    it('count a quota together, exactly [so.quota-atomic]', async () => {
      const session = await openRawSession(cluster.url);
      const calls = Array.from({ length: 16 }, (_, n) => at(session, n % 2).callForError('counted'));
      const codes = (await Promise.all(calls)).sort();
      expect(codes).toEqual([...Array(6).fill(429), ...Array(10).fill(undefined)]);
    });

    it('respond 503 to calls that need an approval or a quota while Redis is down, and serve others [so.outage-auth]', async () => {
      const client = await connect(cluster.url, { protocolVersion: '2026-07-28' });
      // Each gateway needs its session at the server, which is in the store.
      for (let n = 0; n < 4; n++) expect(getText((await client.callTool('plain')) as never)).toBe('plain');
      await server.kill();
      for (const name of ['pay', 'counted'])
        await expect(client.callTool(name, { id: 'down' })).rejects.toMatchObject({ rpcCode: 503 });
      expect(getText((await client.callTool('plain')) as never)).toBe('plain');
      await server.restart();
      await client.close();
      expect(cluster.shop.effects.get('down')).toBeUndefined();
    });

    it('write audit logs that verify together, and report a missing log [so.audit-order]', async () => {
      await cluster.terminate();
      const { code, out } = await tenon('audit', 'verify', ...cluster.auditFiles);
      expect([code, out]).toEqual([0, expect.stringMatching(/^0\.jsonl: valid/)]);
      await rm(join(cluster.folder, cluster.auditFiles[0] ?? ''));
      const missing = await tenon('audit', 'verify', ...cluster.auditFiles.slice(1));
      expect([missing.code, missing.out]).toEqual([1, expect.stringMatching(/^missing: the log of the replica /m)]);
    });
  },
);
