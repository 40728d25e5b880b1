import { afterEach, describe, expect, it } from 'vitest';
import { createServer } from '../../../../server/server.js';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { eventsOf, nextMessages, openSession, runtimes, type Site } from '../../fixtures/sites.js';

const TIMES = { interval: 30_000, timeout: 5_000 };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe.each(runtimes)('a session whose client does not answer a ping, over $name', ({ open }) => {
  let site: Site;
  afterEach(() => site.close({ timeout: 0 }));

  const serve = async (limits: object = {}, keepAlive: object = {}) => {
    const clock = createFakeClock();
    const errors: string[] = [];
    const server = createServer({
      name: 's',
      version: '1.0.0',
      clock,
      keepAlive: { ...TIMES, ...keepAlive },
      onError: ({ code }) => errors.push(code),
    });
    site = await open(server, { clock, limits });
    return { clock, errors };
  };
  type FakeClock = ReturnType<typeof createFakeClock>;
  const openReady = async () => {
    const session = await openSession(site);
    await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return session;
  };
  /** Opens a session whose client is gone: its stream stays open, and its pings get no response. */
  const openAsleep = async (clock: FakeClock) => {
    const session = await openReady();
    const events = eventsOf(await session.get());
    await events.next();
    for (let n = 0; n < 2; n++) clock.advance(TIMES.interval);
    expect(await nextMessages(events, 1)).toMatchObject([{ method: 'ping' }]);
    clock.advance(TIMES.timeout);
    return { session, events };
  };

  it('continues after its streams have ended, until it is idle for too long', async () => {
    const { clock, errors } = await serve({ sessionIdleTimeout: 600_000 });
    const { session, events } = await openAsleep(clock);
    for await (const { data } of events) expect(data ?? '').toBe('');
    expect(errors).toEqual(['connection/unresponsive']);
    expect((await session.post(ping)).status).toBe(200);
    expect((await session.get()).status).toBe(200);
  });

  it('ends after `sessionIdleTimeout`', async () => {
    const { clock } = await serve({ sessionIdleTimeout: 600_000 });
    const { session } = await openAsleep(clock);
    clock.advance(599_000);
    for (let n = 0; n < 3; n++) clock.advance(60_000);
    expect((await session.post(ping)).status).toBe(404);
  });

  it('ends before others at the limit of sessions', async () => {
    const { clock } = await serve({ maxSessions: 3, maxShare: 1, minIdleBeforeEviction: 1_000 });
    const idle = await openReady();
    const { session: asleep } = await openAsleep(clock);
    const other = await openReady();
    await openReady();
    expect((await asleep.post(ping)).status).toBe(404);
    expect((await idle.post(ping)).status).toBe(200);
    expect((await other.post(ping)).status).toBe(200);
  });

  it('loses that priority after its client came back', async () => {
    const { clock } = await serve({ maxSessions: 2, maxShare: 1, minIdleBeforeEviction: 1_000 });
    const idle = await openReady();
    const { session: back } = await openAsleep(clock);
    expect((await back.post(ping)).status).toBe(200);
    await openReady();
    expect((await idle.post(ping)).status).toBe(404);
    expect((await back.post(ping)).status).toBe(200);
  });

  it('ends at once with `endSession`', async () => {
    const { clock } = await serve({}, { endSession: true });
    const { session } = await openAsleep(clock);
    await expect.poll(async () => (await session.post(ping)).status).toBe(404);
  });
});
