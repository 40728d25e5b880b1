import { afterEach, describe, expect, it } from 'vitest';
import { tool } from '../../../index.js';
import { createFakeClock } from '../fixtures/fake-clock.js';
import { openReplicas, openSharedSession, type Replica } from '../fixtures/replicas.js';
import { alone, eventsOf, nextMessages, type SseEvent } from '../fixtures/sites.js';

describe('a replica that drains', () => {
  let replicas: Replica[] = [];
  let release = () => {};
  const clock = createFakeClock();
  const work = tool({
    async run(_, ctx) {
      ctx.log('info', 'running');
      await new Promise<void>(resolve => {
        release = resolve;
      });
      return 'done';
    },
  });
  const openTwo = async () => {
    replicas = await openReplicas(2, { tools: { work } }, { clock, health: true });
    return replicas as [Replica, Replica];
  };
  afterEach(async () => {
    release();
    await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
  });

  /** Lets the time of the delay pass. */
  const advance = async (ms: number) => {
    await expect.poll(() => clock.timers).toBeGreaterThan(0);
    clock.advance(ms);
  };

  it('reports itself as not ready at once, and accepts requests until the delay is over [so.drain]', async () => {
    const [one] = await openTwo();
    const closing = one.close({ delay: 500 });
    const ready = await one.send('/readyz');
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'unavailable', failed: ['draining'] }]);
    expect((await one.send('/healthz')).status).toBe(200);
    const served = await one.send('/mcp', alone('tools/list'));
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
    await served.text();
    await advance(500);
    await closing;
    await expect(one.send('/healthz')).rejects.toThrow();
  });

  it('completes a running call [so.drain]', async () => {
    const [one] = await openTwo();
    const session = await openSharedSession(one);
    const events = eventsOf(await session.request(one, 'tools/call', { name: 'work' }, 'call'));
    await nextMessages(events, 1);
    const closing = one.close();
    release();
    expect(await nextMessages(events, 1)).toMatchObject([{ id: 'call', result: { content: [{ text: 'done' }] } }]);
    await closing;
  });

  it.each(['2025-11-25', '2025-03-26'])(
    'ends streams with a retry hint on %s, so that their clients continue at another replica [so.drain]',
    async version => {
      const [one, two] = await openTwo();
      const session = await openSharedSession(one, { version });
      await session.notify(one, 'notifications/initialized');
      const listening = await session.get(one);
      const closing = one.close();
      const text = await listening.text();
      const [, retry] = /retry: (\d+)\n\n$/.exec(text) ?? [];
      expect(Number(retry)).toBeGreaterThanOrEqual(1000);
      expect(Number(retry)).toBeLessThanOrEqual(2000);
      await closing;
      const [, id] = /^id: (.+)$/m.exec(text) ?? [];
      const again = await session.get(two, id === undefined ? {} : { 'last-event-id': id });
      expect(again.status).toBe(200);
    },
  );

  it('ends a stream of a call so that the client follows it at another replica [so.drain]', async () => {
    const [one, two] = await openTwo();
    const session = await openSharedSession(one);
    const events = eventsOf(await session.request(one, 'tools/call', { name: 'work' }, 'call'));
    let id = '';
    for (let last: SseEvent | undefined; !last?.data; id = last?.id ?? id) last = (await events.next()).value;
    const followed = await session.get(two, { 'last-event-id': id });
    const closing = two.close({ timeout: 60_000 });
    expect(await followed.text()).toMatch(/retry: \d+\n\n$/);
    await closing;
    const resumed = eventsOf(await session.get(one, { 'last-event-id': id }));
    release();
    expect(await nextMessages(resumed, 1)).toMatchObject([{ id: 'call', result: {} }]);
  });
});
