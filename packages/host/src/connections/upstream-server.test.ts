import type { CallerIdentity, TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../../tenon/src/client/options.js';
import {
  audienceNamed,
  createFakeConnection,
  type FakeConnection,
  factsOf,
  sessionNamed,
  turns,
} from './fixtures/stand-in.js';
import { UpstreamServer } from './upstream-server.js';

function upstreamOf(maxConnectionsPerServer = 3, maxShare = 0.5) {
  const clock = fakeClock();
  const errors: TenonError[] = [];
  const opened: { readonly principal: string | undefined; readonly fake: FakeConnection }[] = [];
  const connect = async ({ principal }: CallerIdentity, _: ClientOptions) => {
    const fake = createFakeConnection();
    opened.push({ principal, fake });
    return fake.client;
  };
  const { server, connect: _, ...details } = factsOf(clock, async () => createFakeConnection().client);
  const upstream = new UpstreamServer({
    ...details,
    name: server,
    connect,
    maxConnectionsPerServer,
    maxShare,
    connectionIdleTimeout: 1000,
    share: undefined,
    onError: error => errors.push(error),
  });
  return { clock, errors, opened, upstream };
}

describe('the connections to a server', () => {
  it('are separate for each scope: no two principals, and no two sessions, share one', async () => {
    const { upstream, opened } = upstreamOf(10);
    const [one, two] = [sessionNamed('one'), sessionNamed('two')];
    const ada = audienceNamed('ada', { identity: { principal: 'ada' } });
    const lines = [
      upstream.getConnection(ada),
      upstream.getConnection(audienceNamed('bob', { identity: { principal: 'bob' } })),
      upstream.getConnection(audienceNamed('ada, one', { identity: { principal: 'ada' }, session: one.session })),
      upstream.getConnection(audienceNamed('ada, two', { identity: { principal: 'ada' }, session: two.session })),
    ];
    expect(new Set(lines).size).toBe(4);
    expect(upstream.getConnection(ada)).toBe(lines[0]);
    await Promise.all(lines.map(line => line.getClient()));
    expect(opened.map(({ principal }) => principal)).toEqual(['ada', 'bob', 'ada', 'ada']);
    one.end();
    await turns();
    expect(opened.map(({ fake }) => fake.closed())).toEqual([0, 0, 1, 0]);
  });

  it('are found by their scope while they exist', async () => {
    const { upstream } = upstreamOf(10);
    const { session, end } = sessionNamed('one');
    const own = upstream.getConnection(audienceNamed('ada, one', { identity: { principal: 'ada' }, session }));
    expect([upstream.findOpenConnection({ principal: 'ada' }), [...upstream.getSessionConnections(session)]]).toEqual([
      undefined,
      [own],
    ]);
    await own.getClient();
    expect([
      upstream.findOpenConnection({ principal: 'ada' }),
      upstream.findOpenConnection({ principal: 'bob' }),
      upstream.findOpenConnection({ principal: undefined }),
    ]).toEqual([own, undefined, undefined]);
    end();
    expect([upstream.findOpenConnection({ principal: 'ada' }), [...upstream.getSessionConnections(session)]]).toEqual([
      undefined,
      [],
    ]);
  });

  it('are limited: the one idle for longest is closed, and none in use', async () => {
    const { upstream, clock, opened } = upstreamOf(2);
    const first = upstream.getConnection(audienceNamed('first'));
    await first.getClient();
    clock.advance(1);
    const second = upstream.getConnection(audienceNamed('second'));
    await second.getClient();
    clock.advance(1);
    upstream.getConnection(audienceNamed('first'));
    upstream.getConnection(audienceNamed('third'));
    await turns();
    expect(opened.map(({ fake }) => fake.closed())).toEqual([0, 1]);
    const letGo = first.keepOpen();
    upstream.getConnection(audienceNamed('third')).keepOpen();
    expect(() => upstream.getConnection(audienceNamed('fourth'))).toThrow(
      expect.objectContaining({ code: 'host/too-many-connections' }),
    );
    letGo();
    letGo();
    expect(upstream.getConnection(audienceNamed('fourth')).scope.key).toBe('fourth');
  });

  it('leave places for others while one caller holds as many as it may', async () => {
    const { upstream } = upstreamOf(4);
    const lineOf = (caller: string, n: number) => upstream.getConnection(audienceNamed(`${caller} ${n}`, { caller }));
    for (const n of [1, 2]) lineOf('eve', n).keepOpen();
    expect(() => lineOf('eve', 3)).toThrow(
      expect.objectContaining({
        code: 'host/too-many-connections',
        message: expect.stringMatching(
          /the caller's share of the 4 connections.*`maxShare` or `maxConnectionsPerServer`/,
        ),
      }),
    );
    expect(lineOf('ada', 1).scope.caller).toBe('ada');
  });

  it('replace only those of the same caller when its share is used up', async () => {
    const { upstream, clock, opened } = upstreamOf(6);
    const lineOf = (caller: string, n: number) => upstream.getConnection(audienceNamed(`${caller} ${n}`, { caller }));
    await lineOf('ada', 1).getClient();
    for (const n of [1, 2, 3, 4, 5, 6]) {
      clock.advance(1);
      await lineOf('eve', n).getClient();
    }
    await turns();
    expect(opened[0]?.fake.closed()).toBe(0);
    expect(opened.filter(({ fake }) => fake.closed() === 1).length).toBe(3);
  });

  it('are closed when unused, unless a session has them', async () => {
    const { upstream, clock, opened } = upstreamOf();
    const { session } = sessionNamed('mine');
    await upstream.getConnection(audienceNamed('idle')).getClient();
    await upstream.getConnection(audienceNamed('mine', { session })).getClient();
    clock.advance(600);
    upstream.getConnection(audienceNamed('idle'));
    clock.advance(600);
    await turns();
    expect(opened.map(({ fake }) => fake.closed())).toEqual([0, 0]);
    clock.advance(1000);
    await turns();
    expect(opened.map(({ fake }) => fake.closed())).toEqual([1, 0]);
  });

  it('are all closed with the server, and none is opened after that', async () => {
    const { upstream, opened, clock } = upstreamOf();
    await Promise.all(['a', 'b'].map(key => upstream.getConnection(audienceNamed(key)).getClient()));
    await upstream.close();
    expect(opened.map(({ fake }) => fake.closed())).toEqual([1, 1]);
    expect(() => upstream.getConnection(audienceNamed('a'))).toThrow('closed');
    expect(clock.timers).toBe(0);
  });
});
