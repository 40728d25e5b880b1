import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { takeCover } from '../../../../../../../test/support/extent.js';
import { memoryStores, tool } from '../../../../index.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { isInCover, sharedStoreKinds } from '../../fixtures/shared-stores.js';
import { allEvents, eventsOf, nextMessages, type SseEvent } from '../../fixtures/sites.js';
import type { HandlerOptions } from '../options.js';

describe.each(takeCover(sharedStoreKinds, isInCover))(
  'the streams of a session in $name, at two processes',
  ({ isInstalled, start }) => {
    if (!isInstalled) return it.skip('not installed');
    let database: Awaited<ReturnType<typeof start>>;
    beforeAll(async () => {
      database = await start();
    });
    afterAll(() => database.close());
    let replicas: Replica[] = [];
    const gates: (() => void)[] = [];
    const open = async (options: HandlerOptions = {}, count = 2) => {
      replicas = await openReplicas(
        count,
        { tools: { work, ask }, resources: { 'note://a': { read: () => 'a' }, 'note://b': { read: () => 'b' } } },
        options,
        database.openStores,
      );
      return replicas as [Replica, Replica];
    };
    afterEach(async () => {
      for (const release of gates.splice(0)) release();
      await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
    });
    const openGate = async (index: number) => {
      await expect.poll(() => gates.length).toBeGreaterThan(index);
      gates[index]?.();
    };

    /** Logs a line at once and after each gate, and ends. */
    const work = tool({
      input: z.object({ lines: z.number() }),
      async run({ lines }, ctx) {
        ctx.log('info', 0);
        for (let line = 1; line <= lines; line++) {
          await new Promise<void>(resolve => gates.push(resolve));
          ctx.log('info', line);
        }
        return 'done';
      },
    });
    const ask = tool({
      async run(_, ctx) {
        const answer = await ctx.elicit({ message: 'Name?', input: z.object({ name: z.string() }) });
        return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action;
      },
    });
    const call = (lines: number) => ({ name: 'work', arguments: { lines } });
    const listen = async (response: Response) => {
      expect(response.status).toBe(200);
      return eventsOf(response);
    };
    const readUntil = async (events: AsyncGenerator<SseEvent>, count: number) => {
      const read: SseEvent[] = [];
      while (read.filter(each => each.data).length < count) {
        const { value, done } = await events.next();
        if (done) break;
        read.push(value);
      }
      return read;
    };
    const lastId = (events: readonly SseEvent[]) => ({ 'last-event-id': events.findLast(each => each.id)?.id ?? '' });

    it('continue at another process from the last event to their end, without loss or repetition [so.log-resume-any] [so.log-finish] [so.log-race]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      const first = await listen(await session.request(one, 'tools/call', call(3)));
      const seen = await readUntil(first, 1);
      await openGate(0);
      const resumed = await listen(await session.get(two, lastId(seen)));
      expect(await nextMessages(resumed, 1)).toMatchObject([{ params: { data: 1 } }]);
      await openGate(1);
      await openGate(2);
      const rest = [];
      for await (const event of resumed) if (event.data) rest.push(JSON.parse(event.data));
      expect(rest).toMatchObject([{ params: { data: 2 } }, { params: { data: 3 } }, { id: 1, result: {} }]);
      const again = await allEvents(await session.get(two, lastId(seen)));
      expect(again.filter(each => each.data)).toHaveLength(4);
    });

    it('begin with an id to resume from, and a retry time, from the log [so.log-priming]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      const [priming] = await readUntil(await listen(await session.request(one, 'tools/call', call(0))), 1);
      expect(priming).toMatchObject({ retry: '1000', data: '' });
      const events = await allEvents(await session.get(two, { 'last-event-id': priming?.id ?? '' }));
      expect(events.filter(each => each.data).map(each => JSON.parse(each.data ?? ''))).toMatchObject([
        { params: { data: 0 } },
        { id: 1, result: {} },
      ]);
    });

    it('have rising ids that no other stream of the session has [so.log-id]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      const streams = await Promise.all([
        session.request(one, 'tools/call', call(0), 1),
        session.request(two, 'tools/call', call(0), 2),
      ]);
      const ids = (await Promise.all(streams.map(allEvents))).map(events => events.flatMap(({ id }) => id ?? []));
      expect(new Set(ids.flat()).size).toBe(6);
      for (const each of ids) expect(each).toEqual(each.toSorted());
    });

    it('store an event before it is written [so.log-append]', async () => {
      const [one, two] = await open();
      const session = await openSharedSession(one);
      const events = await listen(await session.request(one, 'tools/call', call(1)));
      await readUntil(events, 1);
      one.stores.fault = new Error('no connection');
      await openGate(0);
      const next = readUntil(events, 1);
      expect(await Promise.race([next, new Promise(resolve => setTimeout(resolve, 200, 'nothing'))])).toBe('nothing');
      const log = (await two.stores.values.list('session/')).flatMap(({ value }) => (value.events as string[]) ?? []);
      one.stores.fault = undefined;
      expect((await next).length).toBeGreaterThan(0);
      expect(log.join()).not.toContain('"data":1');
    });

    it('are invisible to another session, and unknown when they are too old [so.log-foreign] [so.log-retention]', async () => {
      const [one, two] = await open({ limits: { maxReplayEvents: 2 } });
      const session = await openSharedSession(one);
      const other = await openSharedSession(two);
      const events = await listen(await session.request(one, 'tools/call', call(4)));
      const seen = await readUntil(events, 1);
      expect((await other.get(one, lastId(seen))).status).toBe(400);
      for (let gate = 0; gate < 4; gate++) {
        await openGate(gate);
        await readUntil(events, 1);
      }
      await expect.poll(async () => (await session.get(two, lastId(seen))).status).toBe(400);
      expect((await session.get(two, { 'last-event-id': 'p0-0-0' })).status).toBe(400);
      expect((await session.get(two, { 'last-event-id': '1-1' })).status).toBe(400);
    });

    describe('the standalone stream', () => {
      const initialize = async (one: Site, version = '2025-11-25') => {
        const session = await openSharedSession(one, { version });
        await session.notify(one, 'notifications/initialized');
        return session;
      };
      type Site = Replica;

      it('carries messages of another process, whatever process the client subscribed at [so.sub-fanout] [so.sub-list-changed]', async () => {
        const [one, two] = await open({}, 3);
        const three = replicas[2] as Replica;
        const session = await initialize(one);
        const events = await listen(await session.get(two));
        await session.request(three, 'resources/subscribe', { uri: 'note://a' });
        one.server.notifyResourceUpdated('note://a');
        expect(await nextMessages(events, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
        two.server.notifyResourceUpdated('note://a');
        expect(await nextMessages(events, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
        one.server.notifyResourceUpdated('note://b');
        one.server.tools.set('more', tool({ run: () => '' }));
        expect(await nextMessages(events, 1)).toMatchObject([{ method: 'notifications/tools/list_changed' }]);
      });

      it('continues at another process, which ends the former [so.log-resume-any]', async () => {
        const [one, two] = await open();
        const session = await initialize(one);
        await session.request(one, 'resources/subscribe', { uri: 'note://a' });
        const events = await listen(await session.get(one));
        const seen = await readUntil(events, 0);
        one.server.notifyResourceUpdated('note://a');
        seen.push(...(await readUntil(events, 1)));
        const resumed = await listen(await session.get(two, lastId(seen)));
        one.server.notifyResourceUpdated('note://a');
        expect(await nextMessages(resumed, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
        for await (const event of events) expect(event.data ?? '').toBe('');
      });

      it('ends the former stream when its process reads of the change before it is notified', async () => {
        const held: (() => unknown)[] = [];
        let isHolding = false;
        const { values, bus } = memoryStores();
        const publish: typeof bus.publish = async (topic, message) => {
          if (isHolding && message.kind === 'changed') held.push(() => bus.publish(topic, message));
          else await bus.publish(topic, message);
        };
        const stores = {
          values,
          bus: { publish, subscribe: bus.subscribe.bind(bus) },
          durable: true,
          close: async () => {},
        };
        replicas = await openReplicas(2, { resources: { 'note://a': { read: () => 'a' } } }, {}, () => () => stores);
        const [one, two] = replicas as [Replica, Replica];
        const session = await initialize(one);
        await session.request(one, 'resources/subscribe', { uri: 'note://a' });
        const events = await listen(await session.get(one));
        const seen = await readUntil(events, 0);
        one.server.notifyResourceUpdated('note://a');
        seen.push(...(await readUntil(events, 1)));
        isHolding = true;
        const resumed = await listen(await session.get(two, lastId(seen)));
        one.server.notifyResourceUpdated('note://a');
        expect(await nextMessages(resumed, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
        for (const release of held) release();
        for await (const event of events) expect(event.data ?? '').toBe('');
      });

      it('carries each message on one of several streams, also when the last one is closed [http.multi.no-broadcast]', async () => {
        const [one, two] = await open();
        const session = await initialize(one);
        await session.request(one, 'resources/subscribe', { uri: 'note://a' });
        await session.request(one, 'resources/subscribe', { uri: 'note://b' });
        const streams = [await listen(await session.get(one)), await listen(await session.get(one))];
        const third = await listen(await session.get(two));
        // A message that is written to a stream while the client closes it is not sent again, so the resource changes again.
        const changeUntilCarried = async (events: (typeof streams)[number], uri: string) => {
          let isCarried = false;
          const carried = (async () => {
            while (!isCarried) isCarried = JSON.stringify(await nextMessages(events, 1)).includes(uri);
          })();
          const change = () => {
            if (!isCarried) one.server.notifyResourceUpdated(uri);
            return isCarried;
          };
          await expect.poll(change, { interval: 500 }).toBe(true);
          await carried;
        };
        one.server.notifyResourceUpdated('note://a');
        expect(await nextMessages(third, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
        await third.return(undefined);
        await changeUntilCarried(streams[1] as (typeof streams)[number], 'note://b');
        await streams[1]?.return(undefined);
        await changeUntilCarried(streams[0] as (typeof streams)[number], 'note://a');
        await streams[0]?.return(undefined);
      });

      it('carries messages from before the client listened, once', async () => {
        const [one, two] = await open();
        const session = await initialize(one, '2025-06-18');
        await session.request(one, 'resources/subscribe', { uri: 'note://a' });
        two.server.notifyResourceUpdated('note://a');
        await expect.poll(async () => (await one.stores.values.list('session/')).length).toBe(2);
        const events = await listen(await session.get(two));
        expect(await nextMessages(events, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
        await events.return(undefined);
        await expect
          .poll(async () => (await one.stores.values.list('session/'))[0]?.value)
          .toMatchObject({ delivered: expect.any(String) });
        const later = await listen(await session.get(one));
        two.server.notifyResourceUpdated('note://a');
        expect(await nextMessages(later, 1)).toMatchObject([{ params: { uri: 'note://a' } }]);
      });
    });

    describe('the stream of a call with input requests', () => {
      const elicitation = { elicitation: {} };
      const begin = async (one: Replica) => {
        const session = await openSharedSession(one, { capabilities: elicitation });
        await session.notify(one, 'notifications/initialized');
        const events = await listen(await session.request(one, 'tools/call', { name: 'ask' }));
        const [request] = (await nextMessages(events, 1)) as [{ id: string; method: string }];
        expect(request.method).toBe('elicitation/create');
        return { session, events, request };
      };
      const answer = (id: string, name = 'Ada') => ({
        jsonrpc: '2.0',
        id,
        result: { action: 'accept', content: { name } },
      });

      it('gets the response from any process, once [so.ask-answer-any] [so.ask-late]', async () => {
        const [one, two] = await open();
        const { session, events, request } = await begin(one);
        expect((await session.post(two, answer(request.id))).status).toBe(202);
        expect(await nextMessages(events, 1)).toMatchObject([{ result: { content: [{ text: 'Hello Ada' }] } }]);
        expect((await session.post(two, answer(request.id, 'Bob'))).status).toBe(202);
        expect((await session.post(one, answer(request.id, 'Bob'))).status).toBe(202);
      });

      it('refuses a response from another session [so.bus-auth]', async () => {
        const [one, two] = await open();
        const { session, events, request } = await begin(one);
        const other = await openSharedSession(two, { capabilities: elicitation });
        expect((await other.post(two, answer(request.id, 'Mallory'))).status).toBe(202);
        const forged = { from: 'x', session: session.id, message: answer(request.id, 'Mallory') };
        for (const more of [
          { kind: 'mail', to: 'all', key: 'mail/notes/all/none' },
          { kind: 'mail', to: request.id.slice(0, 12), key: `session/notes/${session.id}` },
          { kind: 'changed', deleted: true },
        ])
          await one.stores.bus.publish('sessions/notes', { ...forged, ...more });
        expect((await session.post(two, answer(request.id))).status).toBe(202);
        expect(await nextMessages(events, 1)).toMatchObject([{ result: { content: [{ text: 'Hello Ada' }] } }]);
      });

      it('ends when the call is cancelled at another process [so.call-cancel]', async () => {
        const [one, two] = await open();
        const { session, events } = await begin(one);
        expect((await session.notify(two, 'notifications/cancelled', { requestId: 1 })).status).toBe(202);
        expect((await session.notify(two, 'notifications/cancelled', { requestId: 'unknown' })).status).toBe(202);
        const rest = await nextMessages(events, 2);
        expect(rest).toMatchObject([{ method: 'notifications/cancelled' }]);
      });
    });
  },
);
