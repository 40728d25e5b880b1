import { type JsonObject, TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../tenon/src/client/client.js';
import {
  audienceNamed,
  createFakeConnection,
  deferred,
  type FakeConnection,
  factsOf,
  turns,
} from './fixtures/stand-in.js';
import { UpstreamRegistry } from './upstream-registry.js';
import { UpstreamServer } from './upstream-server.js';

const tool = (name: string, more: JsonObject = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
type Reading = () => readonly JsonObject[] | Promise<readonly JsonObject[]>;

/** Servers by what they list. */
function createTestRegistry(readings: Readonly<Record<string, Reading>>, gatherTimeout = 100, opening?: Promise<void>) {
  const clock = fakeClock();
  const late: string[] = [];
  const fakes: FakeConnection[] = [];
  const upstreams = Object.entries(readings).map(([name, pages]): [string, UpstreamServer] => {
    const connect = async (): Promise<Client> => {
      await opening;
      const fake = createFakeConnection({ pages });
      fakes.push(fake);
      return fake.client;
    };
    const { server: _, connect: __, ...details } = factsOf(clock, connect);
    return [
      name,
      new UpstreamServer({
        ...details,
        name,
        connect,
        maxConnectionsPerServer: 10,
        maxShare: 1,
        connectionIdleTimeout: 1e9,
        share: undefined,
        onError: () => {},
      }),
    ];
  });
  const report = (audience: { key: string }, kind: string) => void late.push(`${kind} of ${audience.key}`);
  return {
    clock,
    late,
    fakes,
    upstreams: new Map(upstreams),
    registry: new UpstreamRegistry(new Map(upstreams), clock, gatherTimeout, report),
  };
}
const all = audienceNamed('all');
const never = () => new Promise<never>(() => {});
const exits: Reading = () => {
  throw new TenonError('stdio/exited', 'the server exited with code 3: last lines of stderr:\n  token=secret');
};

describe('UpstreamRegistry', () => {
  it('aggregates lists in the order of the servers, with the shortest lifetime', async () => {
    const { registry, clock } = createTestRegistry({
      b: () => [{ tools: [tool('x')], ttlMs: 50, cacheScope: 'public' }],
      a: () => [{ tools: [tool('y')], ttlMs: 20, cacheScope: 'private' }],
    });
    const { parts, unavailable, isCached, ...hints } = await registry.aggregateList('tools', all);
    expect(isCached).toBe(false);
    expect(parts.map(({ server, list }) => [server, list.items[0]?.name])).toEqual([
      ['b', 'x'],
      ['a', 'y'],
    ]);
    expect([unavailable, hints]).toEqual([[], { ttlMs: 20, cacheScope: 'private' }]);
    expect(clock.timers).toBe(2);
  });

  it('names unavailable servers and reasons, and limits caching then', async () => {
    const { registry } = createTestRegistry({ good: () => [{ tools: [tool('x')], ttlMs: 50 }], broken: exits });
    const { parts, unavailable, ttlMs } = await registry.aggregateList('tools', all);
    expect(parts.map(({ server }) => server)).toEqual(['good']);
    expect(unavailable).toEqual([{ server: 'broken', reason: 'the server exited with code 3', code: 'stdio/exited' }]);
    expect(ttlMs).toBe(0);
  });

  it('rejects when no server is available', async () => {
    await expect(
      createTestRegistry({ one: exits, two: exits }).registry.aggregateList('tools', all),
    ).rejects.toMatchObject({
      rpcCode: -32603,
      summary: expect.stringContaining('All 2 servers are unavailable'),
      data: { unavailable: [{ server: 'one' }, { server: 'two' }] },
    });
    await expect(createTestRegistry({ one: exits }).registry.aggregateList('tools', all)).rejects.toMatchObject({
      summary: expect.stringContaining('"one" is unavailable'),
    });
  });

  it('waits for slow servers for a limited time, and reports later lists once', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const { registry, clock, late } = createTestRegistry({
      good: () => [{ tools: [tool('x')] }],
      slow: () => slow.promise,
    });
    const first = registry.aggregateList('tools', all);
    await turns();
    clock.advance(60);
    const second = registry.aggregateList('tools', all);
    await turns();
    clock.advance(39);
    const came: string[] = [];
    void first.then(() => came.push('first'));
    void second.then(() => came.push('second'));
    await turns();
    expect(came).toEqual([]);
    clock.advance(1);
    await turns();
    expect(came).toEqual(['first', 'second']);
    expect((await first).unavailable).toMatchObject([{ server: 'slow', reason: expect.stringContaining('100 ms') }]);
    const third = registry.aggregateList('tools', all);
    await turns();
    clock.advance(0);
    expect((await third).unavailable).toHaveLength(1);
    expect(late).toEqual([]);
    slow.resolve([{ tools: [tool('late')] }]);
    await turns();
    expect(late).toEqual(['tools of all']);
    expect((await registry.aggregateList('tools', all)).parts).toHaveLength(2);
  });

  it('does not wait again for a server that has not responded, until it does', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const { registry, clock, late } = createTestRegistry({
      good: () => [{ tools: [tool('x')] }],
      slow: () => slow.promise,
    });
    const first = registry.aggregateList('tools', audienceNamed('ada'));
    await turns();
    clock.advance(100);
    await first;
    const second = registry.aggregateList('tools', audienceNamed('bob'));
    await turns();
    clock.advance(0);
    expect((await second).unavailable).toMatchObject([{ server: 'slow' }]);
    slow.resolve([{ tools: [tool('late')] }]);
    await turns();
    expect(late).toEqual(['tools of ada', 'tools of bob']);
    expect((await registry.aggregateList('tools', audienceNamed('cleo'))).parts).toHaveLength(2);
  });

  it('does not wait again for a server that cannot be connected, until it is', async () => {
    const opening = deferred<void>();
    const { registry, clock } = createTestRegistry(
      { good: () => [{ tools: [] }], hung: () => [{ tools: [] }] },
      100,
      opening.promise,
    );
    const first = registry.aggregateList('tools', audienceNamed('ada'));
    const firstRejected = expect(first).rejects.toMatchObject({ rpcCode: -32603 });
    await turns();
    clock.advance(100);
    await firstRejected;
    for (const kind of ['prompts', 'tools'] as const) {
      const later = registry.aggregateList(kind, audienceNamed('bob'));
      const rejected = expect(later).rejects.toMatchObject({ rpcCode: -32603 });
      await turns();
      clock.advance(0);
      await rejected;
    }
    opening.resolve();
    await turns();
    const last = registry.aggregateList('tools', audienceNamed('cleo'));
    await turns();
    expect((await last).parts).toHaveLength(2);
  });

  it('waits half a second for an added server that does not respond, and includes it later', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const given = { good: () => [{ tools: [tool('x')] }], added: () => slow.promise };
    const { registry, clock, late, upstreams } = createTestRegistry(given, 15_000);
    const added = upstreams.get('added');
    if (added) added.wasAdded = true;
    const listing = registry.aggregateList('tools', all);
    let isListed = false;
    void listing.then(() => {
      isListed = true;
    });
    await turns();
    clock.advance(499);
    await turns();
    expect(isListed).toBe(false);
    clock.advance(1);
    const { parts, unavailable } = await listing;
    expect(parts.map(({ server }) => server)).toEqual(['good']);
    expect(unavailable).toMatchObject([{ server: 'added', reason: expect.stringContaining('500 ms') }]);
    slow.resolve([{ tools: [tool('y')] }]);
    await turns();
    expect([late, added?.wasAdded]).toEqual([['tools of all'], false]);
    expect((await registry.aggregateList('tools', all)).parts.map(({ server }) => server)).toEqual(['good', 'added']);
  });

  it('returns the last list of a server whose connections end soon after their setup', async () => {
    const { registry, fakes } = createTestRegistry({ short: () => [{ tools: [tool('x')] }] });
    await registry.aggregateList('tools', all);
    const [fake] = fakes;
    for (let time = 0; time < 3; time++) {
      fake?.become('reconnecting');
      if (time < 2) fake?.become('connected');
    }
    const { parts, unavailable } = await registry.aggregateList('tools', all);
    expect(parts.map(({ list }) => list.items.map(({ name }) => name))).toEqual([['x']]);
    expect(unavailable).toEqual([]);
    expect(fake?.listed).toEqual(['tools']);
    registry.getConnection('short', all).lists.clear();
    await expect(registry.aggregateList('tools', all)).rejects.toMatchObject({ rpcCode: -32603 });
  });

  it('waits for no request of another scope', async () => {
    let requestCount = 0;
    const { registry, clock } = createTestRegistry({
      slow: () => (requestCount++ === 0 ? never() : [{ tools: [tool('x')] }]),
    });
    const ada = registry.aggregateList('tools', audienceNamed('ada'));
    const rejected = expect(ada).rejects.toMatchObject({ rpcCode: -32603 });
    await turns();
    expect((await registry.aggregateList('tools', audienceNamed('bob'))).parts).toHaveLength(1);
    clock.advance(100);
    await rejected;
  });
});

it('lists its servers, and refuses unknown ones', () => {
  const { registry } = createTestRegistry({ a: () => [], b: () => [] });
  expect(registry.servers).toEqual(['a', 'b']);
  expect(registry.getConnection('a', all)).toBe(registry.getConnection('a', all));
  expect(() => registry.getConnection('c', all)).toThrow(expect.objectContaining({ code: 'host/no-such-server' }));
  expect(registry.connections).toHaveLength(1);
});
