import { type JsonObject, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../client/client.js';
import { fakeClock } from '../../testing/fake-clock.js';
import { audienceNamed, deferred, factsOf, type StandIn, standIn, turns } from './fixtures/stand-in.js';
import { UpstreamRegistry } from './upstream-registry.js';
import { UpstreamServer } from './upstream-server.js';

const tool = (name: string, more: JsonObject = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
type Reading = () => readonly JsonObject[] | Promise<readonly JsonObject[]>;

/** Servers by what they list. */
function boardOf(readings: Readonly<Record<string, Reading>>, gatherTimeout = 100, opening?: Promise<void>) {
  const clock = fakeClock();
  const late: string[] = [];
  const stands: StandIn[] = [];
  const upstreams = Object.entries(readings).map(([name, pages]): [string, UpstreamServer] => {
    const connect = async (): Promise<Client> => {
      await opening;
      const stand = standIn({ pages });
      stands.push(stand);
      return stand.client;
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
  const told = (audience: { key: string }, kind: string) => void late.push(`${kind} of ${audience.key}`);
  return {
    clock,
    late,
    stands,
    upstreams: new Map(upstreams),
    board: new UpstreamRegistry(new Map(upstreams), clock, gatherTimeout, told),
  };
}
const all = audienceNamed('all');
const never = () => new Promise<never>(() => {});
const exits: Reading = () => {
  throw new TenonError('stdio/exited', 'the server exited with code 3: its last words:\n  token=secret');
};

describe('UpstreamRegistry', () => {
  it('aggregates lists in the order of the servers, with the shortest lifetime', async () => {
    const { board, clock } = boardOf({
      b: () => [{ tools: [tool('x')], ttlMs: 50, cacheScope: 'public' }],
      a: () => [{ tools: [tool('y')], ttlMs: 20, cacheScope: 'private' }],
    });
    const { parts, unavailable, isCached, ...hints } = await board.aggregateList('tools', all);
    expect(isCached).toBe(false);
    expect(parts.map(({ server, list }) => [server, list.items[0]?.name])).toEqual([
      ['b', 'x'],
      ['a', 'y'],
    ]);
    expect([unavailable, hints]).toEqual([[], { ttlMs: 20, cacheScope: 'private' }]);
    expect(clock.timers).toBe(2);
  });

  it('names unavailable servers and reasons, and limits caching then', async () => {
    const { board } = boardOf({ good: () => [{ tools: [tool('x')], ttlMs: 50 }], broken: exits });
    const { parts, unavailable, ttlMs } = await board.aggregateList('tools', all);
    expect(parts.map(({ server }) => server)).toEqual(['good']);
    expect(unavailable).toEqual([{ server: 'broken', reason: 'the server exited with code 3', code: 'stdio/exited' }]);
    expect(ttlMs).toBe(0);
  });

  it('rejects when no server is available', async () => {
    await expect(boardOf({ one: exits, two: exits }).board.aggregateList('tools', all)).rejects.toMatchObject({
      rpcCode: -32603,
      summary: expect.stringContaining('All 2 servers are unavailable'),
      data: { unavailable: [{ server: 'one' }, { server: 'two' }] },
    });
    await expect(boardOf({ one: exits }).board.aggregateList('tools', all)).rejects.toMatchObject({
      summary: expect.stringContaining('"one" is unavailable'),
    });
  });

  it('waits for slow servers for a limited time, and reports later lists once', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const { board, clock, late } = boardOf({ good: () => [{ tools: [tool('x')] }], slow: () => slow.promise });
    const first = board.aggregateList('tools', all);
    await turns();
    clock.advance(60);
    const second = board.aggregateList('tools', all);
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
    const third = board.aggregateList('tools', all);
    await turns();
    clock.advance(0);
    expect((await third).unavailable).toHaveLength(1);
    expect(late).toEqual([]);
    slow.resolve([{ tools: [tool('late')] }]);
    await turns();
    expect(late).toEqual(['tools of all']);
    expect((await board.aggregateList('tools', all)).parts).toHaveLength(2);
  });

  it('does not wait again for a server that has not responded, until it does', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const { board, clock, late } = boardOf({ good: () => [{ tools: [tool('x')] }], slow: () => slow.promise });
    const first = board.aggregateList('tools', audienceNamed('ada'));
    await turns();
    clock.advance(100);
    await first;
    const second = board.aggregateList('tools', audienceNamed('bob'));
    await turns();
    clock.advance(0);
    expect((await second).unavailable).toMatchObject([{ server: 'slow' }]);
    slow.resolve([{ tools: [tool('late')] }]);
    await turns();
    expect(late).toEqual(['tools of ada', 'tools of bob']);
    expect((await board.aggregateList('tools', audienceNamed('cleo'))).parts).toHaveLength(2);
  });

  it('does not wait again for a server that cannot be connected, until it is', async () => {
    const opening = deferred<void>();
    const { board, clock } = boardOf(
      { good: () => [{ tools: [] }], hung: () => [{ tools: [] }] },
      100,
      opening.promise,
    );
    const first = board.aggregateList('tools', audienceNamed('ada'));
    const firstRejected = expect(first).rejects.toMatchObject({ rpcCode: -32603 });
    await turns();
    clock.advance(100);
    await firstRejected;
    for (const kind of ['prompts', 'tools'] as const) {
      const later = board.aggregateList(kind, audienceNamed('bob'));
      const rejected = expect(later).rejects.toMatchObject({ rpcCode: -32603 });
      await turns();
      clock.advance(0);
      await rejected;
    }
    opening.resolve();
    await turns();
    const last = board.aggregateList('tools', audienceNamed('cleo'));
    await turns();
    expect((await last).parts).toHaveLength(2);
  });

  it('waits half a second for an added server that does not respond, and includes it later', async () => {
    const slow = deferred<readonly JsonObject[]>();
    const given = { good: () => [{ tools: [tool('x')] }], added: () => slow.promise };
    const { board, clock, late, upstreams } = boardOf(given, 15_000);
    const added = upstreams.get('added');
    if (added) added.wasAdded = true;
    const listing = board.aggregateList('tools', all);
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
    expect((await board.aggregateList('tools', all)).parts.map(({ server }) => server)).toEqual(['good', 'added']);
  });

  it('returns the last list of a server whose connections end soon after their setup', async () => {
    const { board, stands } = boardOf({ short: () => [{ tools: [tool('x')] }] });
    await board.aggregateList('tools', all);
    const [stand] = stands;
    for (let time = 0; time < 3; time++) {
      stand?.become('reconnecting');
      if (time < 2) stand?.become('connected');
    }
    const { parts, unavailable } = await board.aggregateList('tools', all);
    expect(parts.map(({ list }) => list.items.map(({ name }) => name))).toEqual([['x']]);
    expect(unavailable).toEqual([]);
    expect(stand?.listed).toEqual(['tools']);
    board.getConnection('short', all).lists.clear();
    await expect(board.aggregateList('tools', all)).rejects.toMatchObject({ rpcCode: -32603 });
  });

  it('waits for no request of another scope', async () => {
    let asked = 0;
    const { board, clock } = boardOf({ slow: () => (asked++ === 0 ? never() : [{ tools: [tool('x')] }]) });
    const ada = board.aggregateList('tools', audienceNamed('ada'));
    const rejected = expect(ada).rejects.toMatchObject({ rpcCode: -32603 });
    await turns();
    expect((await board.aggregateList('tools', audienceNamed('bob'))).parts).toHaveLength(1);
    clock.advance(100);
    await rejected;
  });
});

it('lists its servers, and refuses unknown ones', () => {
  const { board } = boardOf({ a: () => [], b: () => [] });
  expect(board.servers).toEqual(['a', 'b']);
  expect(board.getConnection('a', all)).toBe(board.getConnection('a', all));
  expect(() => board.getConnection('c', all)).toThrow(expect.objectContaining({ code: 'host/no-such-server' }));
  expect(board.connections).toHaveLength(1);
});
