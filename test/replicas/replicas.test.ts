import { setTimeout } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { type Client, connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { createAnswers } from '../interop/answers.js';
import { getText } from '../interop/collect.js';
import { retryUntilPasses } from '../interop/retry.js';
import type { SdkCallOptions } from '../interop/sdk-client.js';
import { connectSdkV1 } from '../interop/sdk-v1-client.js';
import { connectSdkV2 } from '../interop/sdk-v2-client.js';
import { isFull, takeCover } from '../support/extent.js';
import { type Cluster, canStartCluster, startCluster } from './cluster.js';
import { openRawSession } from './raw-session.js';

/** Processes that are killed, one after another. */
const KILLS = isFull ? 60 : 4;

/** A client of whatever library. */
interface Visitor {
  call(name: string, input?: Record<string, unknown>, options?: SdkCallOptions): Promise<string>;
  setLevel(level: 'debug'): Promise<unknown>;
  subscribe(uri: string): Promise<unknown>;
  /** Methods of notifications that came. */
  listNotifications(): string[];
  close(): Promise<unknown>;
}

async function visitWithSdk(connecting: ReturnType<typeof connectSdkV1>): Promise<Visitor> {
  const { client, call, notifications } = await connecting;
  return {
    call: async (...args) => getText(await call(...args)),
    setLevel: level => client.setLoggingLevel(level),
    subscribe: uri => client.subscribeResource({ uri }),
    listNotifications: () => notifications.map(({ method }) => method),
    close: () => client.close(),
  };
}

async function visitWithTenon(url: string, protocolVersion: '2025-11-25' | '2025-03-26'): Promise<Visitor> {
  const notifications: string[] = [];
  const client: Client = await connect(url, { protocolVersion, ...createAnswers() });
  client.on('log', () => notifications.push('notifications/message'));
  return {
    async call(name, input = {}, { signal, onprogress } = {}) {
      const result = await client.callTool(name, input, {
        signal,
        onProgress: onprogress && (() => onprogress({ progress: 1 })),
      });
      return getText(result as never);
    },
    setLevel: level => client.setLogLevel(level),
    async subscribe(uri) {
      const events = client.watch({ uris: [uri] });
      const listen = async () => {
        for await (const _ of events) notifications.push('notifications/resources/updated');
      };
      // The client is closed at the end.
      listen().catch(() => {});
    },
    listNotifications: () => notifications,
    close: () => client.close(),
  };
}

const visitors: { name: string; hasElicitation?: false; processes?: 1; open: (url: string) => Promise<Visitor> }[] = [
  { name: 'Tenon on 2025-11-25', open: url => visitWithTenon(url, '2025-11-25') },
  { name: 'Tenon on 2025-03-26', hasElicitation: false, open: url => visitWithTenon(url, '2025-03-26') },
  { name: 'SDK v1', open: url => visitWithSdk(connectSdkV1({ url })) },
  { name: 'SDK v2', open: url => visitWithSdk(connectSdkV2({ url })) },
  {
    name: 'SDK v1 over HTTP+SSE',
    processes: 1,
    open: url => visitWithSdk(connectSdkV1({ sseUrl: url.replace(/mcp$/, 'sse') })),
  },
];

describe.skipIf(!canStartCluster)('three processes with sessions in Redis, behind HAProxy without stickiness', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ startStore: () => startRedis('--appendfsync', 'always') });
  });
  afterAll(() => cluster?.close());

  describe.each(takeCover(visitors, ({ name }) => name !== 'Tenon on 2025-03-26'))(
    'the client of $name',
    ({ open, hasElicitation = true, processes = 3 }) => {
      let visitor: Visitor;
      beforeAll(async () => {
        visitor = await open(cluster.url);
      });
      afterAll(() => visitor?.close());

      it('calls each process of its session in turn', async () => {
        const pids = new Set<string>();
        for (let n = 0; n < 6; n++) pids.add(await visitor.call('where'));
        expect(pids.size).toBe(processes);
      });

      it('gets progress in order and before the result [so.call-progress]', async () => {
        for (let n = 0; n < 3; n++) {
          const seen: unknown[] = [];
          expect(await visitor.call('paced', {}, { onprogress: report => seen.push(report) })).toBe('done');
          expect(seen).toHaveLength(3);
        }
      });

      it.runIf(hasElicitation)('responds to elicitation of any process', async () => {
        for (let n = 0; n < 4; n++) expect(await visitor.call('form')).toMatch(/^Hello \w/);
      });

      it('sets a log level for all processes', async () => {
        await visitor.setLevel('debug');
        for (let n = 0; n < 3; n++) await visitor.call('debug');
        await retryUntilPasses(() =>
          expect(visitor.listNotifications().filter(method => method === 'notifications/message')).toHaveLength(3),
        );
      });

      it('cancels a call at another process', async () => {
        const redis = await createClient({ url: cluster.store.url }).connect();
        const controller = new AbortController();
        const id = `${Math.random()}`;
        const call = visitor.call('wait', { id }, { signal: controller.signal, onprogress: () => controller.abort() });
        await expect(call).rejects.toThrow();
        await retryUntilPasses(async () => expect(await redis.exists(`{tenon}:value:cancelled/${id}`)).toBe(1));
        redis.destroy();
      });

      it.runIf(isFull)('gets updates of resources from all processes', async () => {
        await visitor.subscribe('note://a');
        await retryUntilPasses(async () => {
          await visitor.call('update');
          expect(visitor.listNotifications()).toContain('notifications/resources/updated');
        });
      });
    },
  );

  it('cost one command of Redis for a call in a session, and none for a call of 2026-07-28', async () => {
    const monitor = await createClient({ url: cluster.store.url }).connect();
    const modern = await connect(cluster.url, { protocolVersion: '2026-07-28' });
    const session = await openRawSession(cluster.url);
    for (let n = 0; n < 6; n++) await Promise.all([session.call('where'), modern.callTool('where')]);
    // Leases and sessions that other tests have closed are read meanwhile. The calls read one key.
    const reads = new Map<string, number>();
    await monitor.monitor(line => {
      const [, key] = /"HMGET" "([^"]+)"/i.exec(String(line)) ?? [];
      if (key !== undefined) reads.set(key, (reads.get(key) ?? 0) + 1);
    });
    const countReads = async (work: () => Promise<unknown>) => {
      reads.clear();
      for (let n = 0; n < 300; n++) await work();
      return Math.max(0, ...reads.values());
    };
    const inSession = await countReads(() => session.call('where'));
    const stateless = await countReads(() => modern.callTool('where'));
    console.log('reads of one key of Redis for 300 calls', { inSession, stateless });
    await modern.close();
    monitor.destroy();
    expect(inSession).toBeGreaterThanOrEqual(300);
    expect(inSession).toBeLessThan(310);
    expect(stateless).toBeLessThan(30);
  });

  it('continue every session while one process after another is killed, and lose no effect', {
    timeout: isFull ? 180_000 : 60_000,
  }, async () => {
    const sessions = await Promise.all(Array.from({ length: 8 }, () => openRawSession(cluster.url)));
    const outcomes: number[] = [];
    let isOver = false;
    const work = sessions.map(async (session, number) => {
      for (let n = 0; !isOver; n++) {
        const version = Number(await session.call('effect', { id: `${number}-${n}` }));
        outcomes.push(version);
        await setTimeout(10);
      }
    });
    for (let kills = 0; kills < KILLS; kills++) {
      await setTimeout(500);
      await cluster.replace(kills % 3);
    }
    await expect.poll(() => outcomes.length).toBeGreaterThan(100);
    isOver = true;
    await Promise.all(work);
    // A request whose connection broke is sent again by its client: it may have taken effect before.
    const repeated = sessions.reduce((sum, { retries }) => sum + retries.length, 0);
    expect(outcomes.filter(version => version > 1).length).toBeLessThanOrEqual(repeated);
    expect(sessions.flatMap(({ retries }) => retries)).not.toContain(404);
  });

  it('respond 503 while Redis is down, continue each session when it is back, and serve 2026-07-28 meanwhile [so.outage-recover]', async () => {
    const session = await openRawSession(cluster.url);
    const modern = await connect(cluster.url, { protocolVersion: '2026-07-28' });
    await session.call('where');
    await cluster.store.kill();
    expect(getText((await modern.callTool('where')) as never)).toMatch(/^\d+$/);
    const waiting = session.call('where');
    await retryUntilPasses(() => expect(session.retries).toContain(503));
    await cluster.store.restart();
    expect(await waiting).toMatch(/^\d+$/);
    expect(new Set(session.retries)).toEqual(new Set([503]));
    await modern.close();
  });

  it.runIf(isFull)(
    'end the call of a killed process with an error, on its resumed stream [so.ask-asker-dead]',
    async () => {
      const session = await openRawSession(cluster.replicaUrls[0] ?? '');
      const lastId = await session.beginCall('wait', { id: 'never' });
      await cluster.kill(0);
      const message = await session.at(cluster.replicaUrls[1] ?? '').resume(lastId);
      expect(message).toMatchObject({ error: { code: 503 } });
      await cluster.replace(0);
    },
  );
});
