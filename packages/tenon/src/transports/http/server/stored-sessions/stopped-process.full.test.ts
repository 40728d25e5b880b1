import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tool } from '../../../../index.js';
import { createFakeClock, type FakeClock } from '../../fixtures/fake-clock.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { eventsOf, nextMessages, type SseEvent } from '../../fixtures/sites.js';

describe('a process that stops while it serves a session', () => {
  let clock: FakeClock;
  let replicas: Replica[] = [];
  let effects: string[] = [];
  let release = () => {};

  /** Says that it runs, and ends when it is released. */
  const work = tool({
    async run(_, ctx) {
      ctx.log('info', 'running');
      ctx.signal.addEventListener('abort', () => effects.push('cancelled'));
      await new Promise<void>(resolve => {
        release = resolve;
      });
      effects.push('done');
      ctx.log('info', 'late');
      return 'done';
    },
  });
  beforeEach(async () => {
    clock = createFakeClock();
    effects = [];
    replicas = await openReplicas(2, { tools: { work }, resources: { 'note://a': { read: () => 'a' } } }, { clock });
  });
  afterEach(async () => {
    release();
    for (const { stores } of replicas) stores.fault = undefined;
    await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
  });

  const fault = new Error('no connection');
  /** Lets time pass until there is a value. */
  const advanceTime = async <T>(value: Promise<T>): Promise<T> => {
    let isSettled = false;
    void value.finally(() => {
      isSettled = true;
    });
    while (!isSettled) {
      clock.advance(500);
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    return value;
  };
  const advance = async (time: number) => {
    for (let passed = 0; passed < time; passed += 500) {
      clock.advance(500);
      await new Promise(resolve => setTimeout(resolve, 1));
    }
  };
  const begin = async (one: Replica) => {
    const session = await openSharedSession(one);
    await session.notify(one, 'notifications/initialized');
    const response = await session.request(one, 'tools/call', { name: 'work' }, 'call');
    const events = eventsOf(response);
    let id = '';
    for (let last: SseEvent | undefined; !last?.data; id = last?.id ?? id) last = (await events.next()).value;
    return { session, events, id };
  };
  const error = { code: 503, message: expect.stringContaining('may have taken effect'), data: { outcome: 'unknown' } };
  const expected = { id: 'call', error };

  it('keeps the session, and each of its calls ends with an error on its stream [so.ask-asker-dead] [so.call-once]', async () => {
    const [one, two] = replicas as [Replica, Replica];
    const { session, id } = await begin(one);
    one.stores.fault = fault;
    expect((await session.request(two, 'tools/list')).status).toBe(200);
    const resumed = eventsOf(await session.get(two, { 'last-event-id': id }));
    expect(await advanceTime(nextMessages(resumed, 1))).toEqual([{ jsonrpc: '2.0', ...expected }]);
    expect((await resumed.next()).done).toBe(true);
    expect(effects).toEqual([]);
  });

  it('writes nothing after it was only suspended, and cancels its call [so.log-one-writer] [so.lock-fencing]', async () => {
    const [one, two] = replicas as [Replica, Replica];
    const { session, events, id } = await begin(one);
    one.stores.fault = fault;
    const resumed = eventsOf(await session.get(two, { 'last-event-id': id }));
    await advanceTime(nextMessages(resumed, 1));
    one.stores.fault = undefined;
    release();
    const rest = await advanceTime(nextMessages(events, 9).catch(() => []));
    expect(rest).toEqual([]);
    const again = eventsOf(await session.get(two, { 'last-event-id': id }));
    expect(await nextMessages(again, 9)).toEqual([{ jsonrpc: '2.0', ...expected }]);
  });

  it('ends the stream of a call when it reaches the store again', async () => {
    const [one, two] = replicas as [Replica, Replica];
    const { session, events, id } = await begin(one);
    one.stores.fault = fault;
    release();
    // It closes the connection when it gives up.
    expect(await advanceTime(nextMessages(events, 9).catch(() => []))).toEqual([]);
    one.stores.fault = undefined;
    await advance(5000);
    // It has its lease again.
    const resumed = eventsOf(await session.get(two, { 'last-event-id': id }));
    expect(await advanceTime(nextMessages(resumed, 1))).toEqual([{ jsonrpc: '2.0', ...expected }]);
  });

  it('counts as running while it renews its lease, however slow the call is [so.clock]', async () => {
    const [one, two] = replicas as [Replica, Replica];
    const { session, id } = await begin(one);
    const resumed = eventsOf(await session.get(two, { 'last-event-id': id }));
    await advance(30_000);
    release();
    expect(await advanceTime(nextMessages(resumed, 2))).toMatchObject([
      { params: { data: 'late' } },
      { id: 'call', result: {} },
    ]);
  });

  it('leaves the client one notification for each thing that may have changed [so.sub-listen-death]', async () => {
    const [one, two] = replicas as [Replica, Replica];
    const { session } = await begin(one);
    await session.request(one, 'resources/subscribe', { uri: 'note://a' });
    const listening = eventsOf(await session.get(one));
    const { value } = await listening.next();
    one.stores.fault = fault;
    clock.advance(11_000);
    const resumed = eventsOf(await session.get(two, { 'last-event-id': value?.id ?? '' }));
    expect(await advanceTime(nextMessages(resumed, 3))).toMatchObject([
      { method: 'notifications/tools/list_changed' },
      { method: 'notifications/resources/list_changed' },
      { method: 'notifications/resources/updated', params: { uri: 'note://a' } },
    ]);
    two.server.notifyResourceUpdated('note://a');
    expect(await advanceTime(nextMessages(resumed, 1))).toMatchObject([{ params: { uri: 'note://a' } }]);
  });

  it('ends the streams of its calls with an error when it is closed [so.drain]', async () => {
    const [one, two] = replicas as [Replica, Replica];
    const { session, events, id } = await begin(one);
    await advanceTime(one.close({ timeout: 0 }));
    expect(await nextMessages(events, 9)).toEqual([{ jsonrpc: '2.0', ...expected }]);
    const resumed = eventsOf(await session.get(two, { 'last-event-id': id }));
    expect(await advanceTime(nextMessages(resumed, 9))).toEqual([{ jsonrpc: '2.0', ...expected }]);
    expect((await session.request(two, 'tools/list')).status).toBe(200);
  });
});
