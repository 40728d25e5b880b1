import { setTimeout } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasPostgres, startPostgres } from '../../packages/tenon/src/stores/postgres/fixtures/start-postgres.js';
import { startRedis } from '../../packages/tenon/src/stores/redis/fixtures/start-redis.js';
import { getText } from '../interop/collect.js';
import { isFull } from '../support/extent.js';
import { type Cluster, canStartCluster, startCluster } from './cluster.js';

const VERSIONS = ['2025-11-25', '2026-07-28'] as const;
/** Time for which the store is stopped, in milliseconds. */
const OUTAGE = 4000;

const STORES = [
  { name: 'Redis', isInstalled: canStartCluster, startStore: () => startRedis('--appendfsync', 'always') },
  { name: 'Postgres', isInstalled: canStartCluster && hasPostgres, startStore: () => startPostgres() },
];

describe.skipIf(!isFull).each(STORES)('two replicas whose $name restarts', ({ isInstalled, startStore }) => {
  if (!isInstalled) {
    it.skip('need the store and HAProxy');
    return;
  }
  let cluster: Cluster;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    cluster = await startCluster({ count: 2, startStore });
  }, 60_000);
  afterAll(async () => {
    for (const close of closing) await close();
    await cluster.close();
  });

  const interruptStore = async () => {
    await cluster.store.kill();
    await setTimeout(OUTAGE);
    await cluster.store.restart();
  };

  let resources = 0;
  /** Each test has its own resource: the last change of a test may wait for the store until the next test interrupts it. */
  const createUri = () => `note://${++resources}`;

  /** A handler of the user, who responds on request. */
  const createUser = () => {
    let respond = () => {};
    let onRequested = () => {};
    const requested = new Promise<void>(resolve => {
      onRequested = resolve;
    });
    const answer = async () => {
      onRequested();
      await new Promise<void>(resolve => {
        respond = resolve;
      });
      return { action: 'accept' as const, content: { name: 'Ada' } };
    };
    return { requested, answer, respond: () => respond() };
  };

  it.each(VERSIONS)(
    'deliver the response of a user who responds meanwhile on %s',
    async protocolVersion => {
      const user = createUser();
      const client = await connect(cluster.url, { protocolVersion, elicit: user.answer });
      closing.push(() => client.close());
      client.on('error', () => {});
      const call = client.callTool('form');
      await user.requested;
      const restarted = interruptStore();
      await setTimeout(500);
      user.respond();
      expect(getText(await call)).toBe('Hello Ada');
      await restarted;
    },
    60_000,
  );

  it.each(VERSIONS)(
    'deliver the response of a user to a task on %s',
    async protocolVersion => {
      const user = createUser();
      const client = await connect(cluster.url, { protocolVersion, elicit: user.answer });
      closing.push(() => client.close());
      client.on('error', () => {});
      const task = await client.tasks.start('formAsTask');
      const result = task.result();
      await user.requested;
      const restarted = interruptStore();
      await setTimeout(500);
      user.respond();
      expect(getText(await result)).toBe('Hello Ada');
      await restarted;
    },
    60_000,
  );

  it('deliver the response of a client that does not repeat a refused one', async () => {
    const user = createUser();
    const client = new Client({ name: 'sdk-v1', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, user.answer);
    await client.connect(new StreamableHTTPClientTransport(new URL(cluster.url)) as never);
    closing.push(() => client.close());
    const call = client.callTool({ name: 'form', arguments: {} });
    await user.requested;
    const restarted = interruptStore();
    await setTimeout(500);
    user.respond();
    expect((await call).content).toEqual([{ type: 'text', text: 'Hello Ada' }]);
    await restarted;
  }, 60_000);

  it.each(VERSIONS)(
    'open a watch that was requested meanwhile, and report later changes to it, on %s',
    async protocolVersion => {
      const [one = '', two = ''] = cluster.replicaUrls;
      const client = await connect(one, { protocolVersion });
      const other = await connect(two, { protocolVersion: '2026-07-28' });
      closing.push(
        () => client.close(),
        () => other.close(),
      );
      client.on('error', () => {});
      const restarted = interruptStore();
      await setTimeout(500);
      const ending = new AbortController();
      closing.push(() => ending.abort());
      const uri = createUri();
      const events: unknown[] = [];
      const watching = (async () => {
        for await (const event of client.watch(uri, { signal: ending.signal })) events.push(event);
      })();
      await restarted;
      await vi.waitFor(
        async () => {
          await other.callTool('update', { uri });
          expect(events).toContainEqual({ uri });
        },
        { timeout: 50_000, interval: 1000 },
      );
      ending.abort();
      await watching;
    },
    150_000,
  );

  it.each(VERSIONS)(
    'report a change that was made meanwhile, and later ones, to a watch on %s',
    async protocolVersion => {
      const [one = '', two = ''] = cluster.replicaUrls;
      const client = await connect(one, { protocolVersion });
      const other = await connect(two, { protocolVersion: '2026-07-28' });
      closing.push(
        () => client.close(),
        () => other.close(),
      );
      client.on('error', () => {});
      const uri = createUri();
      const events: unknown[] = [];
      const ending = new AbortController();
      closing.push(() => ending.abort());
      let isSubscribed = false;
      const watching = (async () => {
        const options = {
          signal: ending.signal,
          onSubscribed: () => {
            isSubscribed = true;
          },
        };
        for await (const event of client.watch(uri, options)) events.push(event);
      })();
      await vi.waitFor(() => expect(isSubscribed).toBe(true), { timeout: 20_000 });
      const restarted = interruptStore();
      await setTimeout(500);
      await other.callTool('update', { uri });
      await restarted;
      // A process that has lost the message of the bus reads the store for changes each 15 s, and for events each 15 s.
      await vi.waitFor(() => expect(events).toEqual([{ uri }]), { timeout: 50_000 });
      await other.callTool('update', { uri });
      await vi.waitFor(() => expect(events).toHaveLength(2), { timeout: 50_000 });
      ending.abort();
      await watching;
    },
    150_000,
  );
});
