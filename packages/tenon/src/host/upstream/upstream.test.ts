import { describe, expect, it } from 'vitest';
import type { ClientOptions } from '../../client/options.js';
import type { TenonError } from '../../jsonrpc/error.js';
import type { CallerIdentity } from '../../model/owner.js';
import { fakeClock } from '../../testing/clock.js';
import { audienceNamed, factsOf, type StandIn, sessionNamed, standIn, turns } from './fixtures/stand-in.js';
import { Upstream } from './upstream.js';

function upstreamOf(maxLines = 3, maxShare = 0.5) {
  const clock = fakeClock();
  const problems: TenonError[] = [];
  const opened: { readonly principal: string | undefined; readonly stand: StandIn }[] = [];
  const connect = async ({ principal }: CallerIdentity, _: ClientOptions) => {
    const stand = standIn();
    opened.push({ principal, stand });
    return stand.client;
  };
  const { server, connect: _, ...facts } = factsOf(clock, async () => standIn().client);
  const upstream = new Upstream({
    ...facts,
    name: server,
    connect,
    maxLines,
    maxShare,
    restTime: 1000,
    share: undefined,
    problem: error => problems.push(error),
  });
  return { clock, problems, opened, upstream };
}

describe('the lines to a server', () => {
  it('are one for each audience: no two principals, and no two sessions of one, share any', async () => {
    const { upstream, opened } = upstreamOf(10);
    const [one, two] = [sessionNamed('one'), sessionNamed('two')];
    const ada = audienceNamed('ada', { identity: { principal: 'ada' } });
    const lines = [
      upstream.line(ada),
      upstream.line(audienceNamed('bob', { identity: { principal: 'bob' } })),
      upstream.line(audienceNamed('ada, one', { identity: { principal: 'ada' }, session: one.session })),
      upstream.line(audienceNamed('ada, two', { identity: { principal: 'ada' }, session: two.session })),
    ];
    expect(new Set(lines).size).toBe(4);
    expect(upstream.line(ada)).toBe(lines[0]);
    await Promise.all(lines.map(line => line.client()));
    expect(opened.map(({ principal }) => principal)).toEqual(['ada', 'bob', 'ada', 'ada']);
    one.end();
    await turns();
    expect(opened.map(({ stand }) => stand.closed())).toEqual([0, 0, 1, 0]);
  });

  it('are found by whom they are for, as long as there are any', async () => {
    const { upstream } = upstreamOf(10);
    const { session, end } = sessionNamed('one');
    const mine = upstream.line(audienceNamed('ada, one', { identity: { principal: 'ada' }, session }));
    expect([upstream.openLine({ principal: 'ada' }), [...upstream.linesOf(session)]]).toEqual([undefined, [mine]]);
    await mine.client();
    expect([
      upstream.openLine({ principal: 'ada' }),
      upstream.openLine({ principal: 'bob' }),
      upstream.openLine({ principal: undefined }),
    ]).toEqual([mine, undefined, undefined]);
    end();
    expect([upstream.openLine({ principal: 'ada' }), [...upstream.linesOf(session)]]).toEqual([undefined, []]);
  });

  it('are so many at the most: the one that has rested longest gives way, and none that works', async () => {
    const { upstream, clock, opened } = upstreamOf(2);
    const first = upstream.line(audienceNamed('first'));
    await first.client();
    clock.advance(1);
    const second = upstream.line(audienceNamed('second'));
    await second.client();
    clock.advance(1);
    upstream.line(audienceNamed('first'));
    upstream.line(audienceNamed('third'));
    await turns();
    expect(opened.map(({ stand }) => stand.closed())).toEqual([0, 1]);
    const letGo = first.hold();
    upstream.line(audienceNamed('third')).hold();
    expect(() => upstream.line(audienceNamed('fourth'))).toThrow(
      expect.objectContaining({ code: 'host/too-many-lines' }),
    );
    letGo();
    letGo();
    expect(upstream.line(audienceNamed('fourth')).audience.key).toBe('fourth');
  });

  it('are left to others while one caller holds as many as it may', async () => {
    const { upstream } = upstreamOf(4);
    const lineOf = (caller: string, n: number) => upstream.line(audienceNamed(`${caller} ${n}`, { caller }));
    for (const n of [1, 2]) lineOf('eve', n).hold();
    expect(() => lineOf('eve', 3)).toThrow(expect.objectContaining({ code: 'host/too-many-lines' }));
    expect(lineOf('ada', 1).audience.caller).toBe('ada');
  });

  it('give way to others of the same caller only, when its share is used up', async () => {
    const { upstream, clock, opened } = upstreamOf(6);
    const lineOf = (caller: string, n: number) => upstream.line(audienceNamed(`${caller} ${n}`, { caller }));
    await lineOf('ada', 1).client();
    for (const n of [1, 2, 3, 4, 5, 6]) {
      clock.advance(1);
      await lineOf('eve', n).client();
    }
    await turns();
    expect(opened[0]?.stand.closed()).toBe(0);
    expect(opened.filter(({ stand }) => stand.closed() === 1).length).toBe(3);
  });

  it('that nobody uses are closed in time, unless a session has them', async () => {
    const { upstream, clock, opened } = upstreamOf();
    const { session } = sessionNamed('mine');
    await upstream.line(audienceNamed('idle')).client();
    await upstream.line(audienceNamed('mine', { session })).client();
    clock.advance(600);
    upstream.line(audienceNamed('idle'));
    clock.advance(600);
    await turns();
    expect(opened.map(({ stand }) => stand.closed())).toEqual([0, 0]);
    clock.advance(1000);
    await turns();
    expect(opened.map(({ stand }) => stand.closed())).toEqual([1, 0]);
  });

  it('are all closed with it, and none is made after that', async () => {
    const { upstream, opened, clock } = upstreamOf();
    await Promise.all(['a', 'b'].map(key => upstream.line(audienceNamed(key)).client()));
    await upstream.close();
    expect(opened.map(({ stand }) => stand.closed())).toEqual([1, 1]);
    expect(() => upstream.line(audienceNamed('a'))).toThrow('closed');
    expect(clock.timers).toBe(0);
  });
});
