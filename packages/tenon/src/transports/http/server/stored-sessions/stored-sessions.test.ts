import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { takeCover } from '../../../../../../../test/support/extent.js';
import { tool } from '../../../../index.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { isInCover, sharedStoreKinds } from '../../fixtures/shared-stores.js';
import { byName, openSession } from '../../fixtures/sites.js';
import type { HandlerOptions } from '../options.js';

describe.each(takeCover(sharedStoreKinds, isInCover))(
  'a session in $name, at two processes',
  ({ isInstalled, start }) => {
    if (!isInstalled) return it.skip('not installed');
    let database: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      database = await start();
    });
    afterAll(() => database.close());
    let replicas: Replica[] = [];
    const open = async (options: HandlerOptions = {}) => {
      replicas = await openReplicas(2, { tools: { log, client, limit } }, options, database.openStores);
      return replicas as [Replica, Replica];
    };
    afterEach(() => Promise.all(replicas.map(replica => replica.close({ timeout: 0 }))));

    /**
     * Uses a session several times, with pauses that are shorter than its idle time. Begins again with another session when
     * the machine was so busy that a pause was longer.
     */
    async function useInTime(
      opener: Replica,
      getReplica: (n: number) => Replica,
      { idle, pause, times }: { readonly idle: number; readonly pause: number; readonly times: number },
    ) {
      for (;;) {
        let usedAt = performance.now();
        const session = await openSharedSession(opener);
        let n = 0;
        for (; n < times; n++) {
          const begun = usedAt;
          await new Promise(resolve => setTimeout(resolve, pause));
          usedAt = performance.now();
          const { status } = await session.request(getReplica(n), 'tools/list');
          if (performance.now() - begun >= idle) break;
          expect(status).toBe(200);
        }
        if (n === times) return session;
      }
    }

    const log = tool({ run: (_, ctx) => void ctx.log('debug', 'detail') });
    const client = tool({ run: (_, ctx) => `${ctx.client.info?.name}` });
    const limit = tool({ run: (_, ctx) => `${JSON.stringify(ctx.client.capabilities)}` });

    it('has the same client, capabilities and version at each [so.session-record]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one, { capabilities: { roots: {} } });
      expect(await (await session.request(two, 'tools/call', { name: 'client' })).json()).toMatchObject({
        result: { content: [{ text: 'test' }] },
      });
      expect(await (await session.request(two, 'tools/call', { name: 'limit' })).json()).toMatchObject({
        result: { content: [{ text: '{"roots":{}}' }] },
      });
      expect((await session.request(two, 'tools/list')).status).toBe(200);
    });

    it('has the log level that was set at another process', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      expect(await (await session.request(one, 'tools/call', { name: 'log' })).text()).not.toContain('detail');
      await session.request(two, 'logging/setLevel', { level: 'debug' });
      expect(await (await session.request(one, 'tools/call', { name: 'log' })).text()).toContain('detail');
    });

    it('keeps changes that two processes make at the same time [so.session-cas]', async () => {
      replicas = await openReplicas(
        2,
        { resources: Object.fromEntries(uris.map(uri => [uri, { read: () => 'text' }])) },
        {},
        database.openStores,
      );
      const [one, two] = replicas as [Replica, Replica];
      const session = await openSharedSession(one);
      const subscribed = uris.map((uri, index) =>
        session.request(index % 2 ? one : two, 'resources/subscribe', { uri }, index),
      );
      await Promise.all(subscribed);
      const [record] = await one.stores.values.list('session/');
      expect(record?.value).toMatchObject({ state: { subscribedUris: expect.arrayContaining(uris) } });
    });
    const uris = Array.from({ length: 10 }, (_, index) => `note://${index}`);

    it('opens for each initialize with an unguessable id [so.session-create]', async () => {
      const [one, two] = await open();
      const ids = await Promise.all([one, two, one].map(async site => (await openSharedSession(site)).id));
      expect(new Set(ids).size).toBe(3);
      for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    });

    it('ends at all processes when it is deleted at one [so.session-delete]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      const listening = await session.get(one);
      expect((await session.end(two)).status).toBe(204);
      expect((await session.request(one, 'tools/list')).status).toBe(404);
      expect((await session.request(two, 'tools/list')).status).toBe(404);
      await listening.text();
      await expect.poll(() => one.stores.values.list('session/')).toEqual([]);
    });

    it('does not exist for another user, at any process [so.session-principal]', async () => {
      const [one, two] = await open({ authorize: byName });
      const session = await openSharedSession(one, { headers: { 'x-user': 'ada' } });
      const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      expect((await session.post(two, list, { 'x-user': 'bob' })).status).toBe(404);
      expect((await session.post(two, list)).status).toBe(200);
      expect((await session.post(two, list, { 'x-user': 'bob' })).status).toBe(404);
    });

    it('stores neither the token nor its claims', async () => {
      const claims = { iss: 'https://issuer.example', client_id: 'app', email: 'ada@example.com' };
      const [one] = await open({ authorize: () => ({ auth: { principal: 'ada', claims } }) });
      await openSharedSession(one);
      const [record] = await one.stores.values.list('session/');
      expect(record?.value.owner).toEqual({ principal: 'ada', issuer: 'https://issuer.example', clientId: 'app' });
      expect(JSON.stringify(record)).not.toContain('example.com');
    });

    it('expires after the time without use, by the clock of the store [so.session-expiry]', async () => {
      const [one, two] = await open({ limits: { sessionIdleTimeout: 900 } });
      const session = await useInTime(one, n => (n % 2 ? one : two), { idle: 900, pause: 300, times: 5 });
      await expect.poll(() => one.stores.values.list('session/')).toEqual([]);
      expect((await session.request(two, 'tools/list')).status).toBe(404);
    });

    it('stays open after its first use at another process, however late', async () => {
      const [one, two] = await open({ limits: { sessionIdleTimeout: 1200 } });
      await useInTime(one, () => two, { idle: 1200, pause: 800, times: 2 });
    });

    it('gets 503 while the store does not respond, never 404 [so.session-404]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      two.stores.fault = new Error('no connection');
      const response = await session.request(two, 'tools/list');
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect((await session.get(two)).status).toBe(503);
      expect((await session.end(two)).status).toBe(503);
      two.stores.fault = undefined;
      expect((await session.request(two, 'tools/list')).status).toBe(200);
      expect((await session.request(two, 'tools/list')).headers.get('retry-after')).toBeNull();
    });

    it('does not open while the store does not respond', async () => {
      const [one] = await open();
      one.stores.fault = new Error('no connection');
      const { id, response } = await openSession(one);
      expect([id, response.status, response.headers.get('retry-after')]).toEqual(['', 503, '5']);
      one.stores.fault = undefined;
      const two = await openSharedSession(one);
      one.stores.fault = new Error('no connection');
      expect((await two.notify(one, 'notifications/initialized')).status).toBe(503);
    });

    it('costs one read of the store per call', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      await session.request(two, 'tools/list');
      const counts = countCalls(two);
      for (let n = 0; n < 10; n++) await session.request(two, 'tools/call', { name: 'client' }, n);
      expect(counts).toEqual({ get: 10, put: 0, delete: 0, list: 0 });
    });
  },
);

function countCalls({ stores: { values } }: Replica) {
  const counts = { get: 0, put: 0, delete: 0, list: 0 };
  for (const name of Object.keys(counts) as (keyof typeof counts)[]) {
    const call = values[name] as (...args: unknown[]) => Promise<never>;
    Object.assign(values, {
      [name]: (...args: unknown[]) => {
        counts[name]++;
        return call(...args);
      },
    });
  }
  return counts;
}
