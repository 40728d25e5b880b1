import { afterEach, describe, expect, it } from 'vitest';
import { createNotification } from '../../../../jsonrpc/message.js';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { type Behaviour, type Call, createFakeService } from '../../fixtures/fake-service.js';
import { openSession, runtimes, type Site } from '../../fixtures/sites.js';
import type { HandlerOptions } from '../options.js';

const call = (id: number | string, name = 'echo') => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });

describe.each(runtimes)('sessions at their limits, over $name', ({ open }) => {
  let site: Site;
  const serve = async (behaviour: Behaviour = {}, options: HandlerOptions = {}) => {
    const service = createFakeService(behaviour);
    site = await open(service, options);
    return service;
  };
  /** Calls that the test answers itself. */
  const holding = () => {
    const calls: Call[] = [];
    const session = (held: Call) => {
      calls.push(held);
      return true;
    };
    return { calls, session };
  };
  afterEach(() => site.close({ timeout: 0 }));

  it('end when they are idle and a new one needs room [sessions]', async () => {
    const clock = createFakeClock();
    const service = await serve({}, { clock, limits: { maxShare: 1, maxSessions: 2, minIdleBeforeEviction: 1000 } });
    const [first, second] = [await openSession(site), await openSession(site)];
    const refused = await openSession(site);
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get('retry-after')).toMatch(/^\d+$/);
    clock.advance(1000);
    await first.post(call(1));
    const third = await openSession(site);
    expect(third.response.status).toBe(200);
    expect(service.peers[1]).toMatchObject({ closed: 1, ended: 1 });
    expect((await second.post(call(1))).status).toBe(404);
    expect((await first.post(call(1))).status).toBe(200);
  });

  it('end in the order of their idle time, and not while they work', async () => {
    const { calls, session: hold } = holding();
    const clock = createFakeClock();
    const service = await serve(
      { session: hold },
      { clock, limits: { maxShare: 1, maxSessions: 3, minIdleBeforeEviction: 10 } },
    );
    const sessions = [await openSession(site), await openSession(site), await openSession(site)];
    const pending = sessions[0]?.post(call(1));
    await expect.poll(() => calls.length).toBe(1);
    clock.advance(10);
    await sessions[2]?.post(createNotification('x'));
    clock.advance(10);
    await openSession(site);
    expect(service.peers.map(({ closed }) => closed)).toEqual([0, 1, 0, 0]);
    await openSession(site);
    expect(service.peers.map(({ closed }) => closed)).toEqual([0, 1, 1, 0, 0]);
    calls[0]?.answer();
    expect((await pending)?.status).toBe(200);
  });

  it('end by their current state, however long ago idle sessions were searched', async () => {
    const clock = createFakeClock();
    const service = await serve({}, { clock, limits: { maxShare: 1, maxSessions: 4, minIdleBeforeEviction: 10 } });
    const sessions = [];
    for (let n = 0; n < 4; n++) sessions.push(await openSession(site));
    clock.advance(10);
    await openSession(site);
    clock.advance(10);
    // The second was ended by the server, and the third has done something.
    service.peers[1]?.channel.close();
    await openSession(site);
    await sessions[2]?.post(createNotification('x'));
    await openSession(site);
    expect(service.peers.map(({ closed }) => closed)).toEqual([1, 1, 0, 1, 0, 0, 0]);
    // The one that was opened last, and the one that has done something, are in their time of grace.
    await openSession(site);
    expect(service.peers.map(({ closed }) => closed)).toEqual([1, 1, 0, 1, 1, 0, 0, 0]);
    expect((await openSession(site)).response.status).toBe(503);
    expect((await sessions[2]?.post(call(1)))?.status).toBe(200);
  });

  it('end after their idle time, unless they listen or work', async () => {
    const { calls, session: hold } = holding();
    const clock = createFakeClock();
    await serve(
      { session: held => (held.request.id === 'hold' ? hold(held) : false) },
      { clock, limits: { keepAliveInterval: 0 } },
    );
    const [idle, listening, working] = [await openSession(site), await openSession(site), await openSession(site)];
    const stream = await listening.get();
    const pending = working.post(call('hold'));
    await expect.poll(() => calls.length).toBe(1);
    clock.advance(29 * 60_000);
    expect((await idle.post(call(1))).status).toBe(200);
    clock.advance(32 * 60_000);
    expect((await idle.post(call(1))).status).toBe(404);
    expect((await listening.post(call(1))).status).toBe(200);
    calls[0]?.answer();
    expect((await pending).status).toBe(200);
    await stream.body?.cancel();
  });

  it.each([
    ['end after their idle time', true, 404],
    ['stay open', false, 200],
  ])('%s after the client disappeared if waiting for it is %s', async (_, waitsForClient, status) => {
    const { calls, session: hold } = holding();
    const clock = createFakeClock();
    await serve(
      { session: held => (held.request.id === 'hold' ? hold(held) : false), waitsForClient },
      { clock, limits: { keepAliveInterval: 0 } },
    );
    const session = await openSession(site);
    const left = new AbortController();
    const pending = session.post(call('hold'), { signal: left.signal });
    await expect.poll(() => calls.length).toBe(1);
    clock.advance(2 * 60 * 60_000);
    expect((await session.post(call(1))).status).toBe(200);
    left.abort();
    await pending.catch(() => {});
    // The server may notice the end of the connection later than the client, and sweeps once a minute.
    await expect
      .poll(async () => {
        clock.advance(32 * 60_000);
        return (await session.post(call(2))).status;
      })
      .toBe(status);
    if (!waitsForClient) void calls[0]?.answer();
  });

  it('have no timer without sessions', async () => {
    const clock = createFakeClock();
    await serve({}, { clock, limits: { keepAliveInterval: 0 } });
    expect(clock.timers).toBe(0);
    const session = await openSession(site);
    expect(clock.timers).toBe(1);
    await session.end();
    clock.advance(60_000);
    expect(clock.timers).toBe(0);
  });

  it('have a limited number of open requests [requests]', async () => {
    const { calls, session: hold } = holding();
    await serve({ session: hold }, { limits: { maxRequestsPerSession: 1 } });
    const session = await openSession(site);
    const pending = session.post(call(1));
    await expect.poll(() => calls.length).toBe(1);
    expect((await session.post(call(2))).status).toBe(503);
    calls[0]?.answer();
    expect((await pending).status).toBe(200);
    const again = session.post(call(2));
    await expect.poll(() => calls.length).toBe(2);
    calls[1]?.answer();
    expect((await again).status).toBe(200);
  });
});
