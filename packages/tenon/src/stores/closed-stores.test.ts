import type { Stores } from '@tenon/base';
import { type FakeClock, fakeClock } from '@tenon/testing';
import { describe, expect, it, vi } from 'vitest';
import { sharedTokenStore } from '../auth/client/shared-token-store.js';
import { createServer, memoryStores, tasks, tool } from '../index.js';
import { SharedChanges } from '../server/session/shared-changes.js';
import { openReplicas, openSharedSession, type Replica } from '../transports/http/fixtures/replicas.js';
import { eventsOf } from '../transports/http/fixtures/sites.js';
import { RetryForwarding } from '../transports/http/server/retry-forwarding.js';
import { ServerReplica } from '../transports/http/server/stored-sessions/server-replica.js';
import { StreamFollower } from '../transports/http/server/stored-sessions/stream-follower.js';
import { LeasedRecord } from './leased-record.js';

const turns = () => new Promise(resolve => setTimeout(resolve, 2));

interface Begun {
  readonly stores: Stores & { readonly scope: string };
  readonly clock: FakeClock;
  readonly report: (error: unknown) => void;
}

const never = () => new Promise<never>(() => {});
const ignore = () => {};

const loops: Record<string, (begun: Begun) => unknown> = {
  'the renewal of a record': async ({ stores, clock }) => {
    const record = await LeasedRecord.create(stores.values, 'k', { clock, lease: 300 }, {}, () => undefined);
    record.renew();
  },
  'the changes of other processes': ({ stores, clock, report }) =>
    new SharedChanges(stores, clock, report, ignore).listen(),
  'the lease of a server': ({ stores, clock, report }) => {
    const handlers = { onMessage: ignore, onSessionChange: ignore, onStreamResumed: ignore, report };
    return new ServerReplica(stores, clock, handlers).join();
  },
  'the lease of waiting handlers': ({ stores, clock, report }) =>
    new RetryForwarding({ stores, clock, onError: report, answer: never, onListening: ignore }).hold(10 ** 9),
  'a stream': ({ stores, clock, report }) =>
    new StreamFollower({
      stores,
      clock,
      prefix: 'log/',
      position: { entry: 0, events: 0, tag: '' },
      connection: { open: true, write: ignore, end: ignore, destroy: ignore },
      encode: (_, text) => text,
      pollInterval: 1000,
      onPoll: async () => void (await stores.values.get('session')),
      report,
    }).start(),
  'a lease of tokens': ({ stores, clock }) => {
    void sharedTokenStore(stores, { clock }).update(['a'], never);
  },
  'the search for tasks': async ({ stores, clock, report }) => {
    const slow = tool({ task: 'optional', run: () => 'done' });
    const server = { name: 'jobs', version: '1.0.0', tools: { slow }, clock, onError: report };
    createServer({ ...server, stores: { ...stores, durable: true }, extensions: [tasks()] });
    clock.advance(0);
    await vi.waitFor(() => expect(clock.timers).toBe(1));
  },
};

async function advance(clock: Pick<FakeClock, 'advance'>): Promise<void> {
  for (let step = 0; step < 40; step++) {
    clock.advance(60_000);
    await turns();
  }
}

describe('after its store was closed', () => {
  it.each(Object.keys(loops))('reports once at most, and leaves no timer (%s)', async name => {
    const clock = fakeClock();
    const stores = { ...memoryStores({ clock }), scope: 'notes' };
    const errors: unknown[] = [];
    await loops[name]?.({ stores, clock, report: error => errors.push(error) });
    await turns();
    expect([errors, clock.timers]).toEqual([[], 1]);
    clock.advance(5000);
    await turns();
    expect([errors, clock.timers]).toEqual([[], 1]);
    await stores.close();
    await advance(clock);
    expect(errors.length).toBeLessThanOrEqual(1);
    expect(clock.timers).toBe(0);
  });

  it.each(['2025-11-25', '2024-11-05'])('reports no more after a while for sessions of %s', async version => {
    const clock = fakeClock();
    const shared = memoryStores({ clock });
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const limits = { sessionIdleTimeout: 600_000 };
    const replicas = await openReplicas(1, { onError }, { clock, limits, onError }, () => () => shared);
    const [site] = replicas as [Replica];
    const session = await openSharedSession(site, { version });
    const streams = [eventsOf(await session.get(site)), eventsOf(await session.get(site))];
    await turns();
    await shared.close();
    await advance(clock);
    expect(errors.length).toBeGreaterThan(0);
    const count = errors.length;
    await advance(clock);
    expect(errors.slice(count)).toEqual([]);
    expect(streams).toHaveLength(2);
    await site.close({ timeout: 0 });
  });
});
