import { afterEach, describe, expect, it } from 'vitest';
import { createNotification, createRequest } from '../../../../jsonrpc/message.js';
import { createFakeClock } from '../../fixtures/fake-clock.js';
import { type Call, createFakeService, type FakeService } from '../../fixtures/fake-service.js';
import { allEvents, eventsOf, nextMessages, openSession, runtimes, type Site } from '../../fixtures/sites.js';
import type { HandlerOptions } from '../options.js';

const call = (id: number | string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: {} });
const note = (n: number) => createNotification('notifications/message', { data: n });

describe.each(runtimes)('streams of a session, over $name', ({ open }) => {
  let site: Site;
  let service: FakeService;
  let calls: Call[];
  const serve = async (options: HandlerOptions = {}) => {
    calls = [];
    service = createFakeService({
      session(held) {
        calls.push(held);
        return true;
      },
    });
    site = await open(service, options);
  };
  const callOf = async (index: number) => {
    await expect.poll(() => calls.length).toBeGreaterThan(index);
    return calls[index] as Call;
  };
  afterEach(() => site.close({ timeout: 0 }));

  describe('the standalone stream', () => {
    it('carries messages that belong to no request, and stores them until it is opened [http.get.server-messages] [http.multi.no-broadcast]', async () => {
      await serve();
      const session = await openSession(site, '2025-06-18');
      const { channel } = service.peers[0]!;
      channel.send(note(1));
      channel.send(createRequest('s', 'roots/list'));
      const response = await session.get();
      expect(response.headers.get('content-type')).toBe('text/event-stream');
      const events = eventsOf(response);
      expect(await nextMessages(events, 2)).toMatchObject([{ params: { data: 1 } }, { id: 's' }]);
      channel.send(note(2));
      expect(await nextMessages(events, 1)).toMatchObject([{ params: { data: 2 } }]);
      await events.return(undefined);
    });

    it('never carries a response, nor a message that belongs to a request [http.get.no-responses] [http.get.messages-unrelated]', async () => {
      await serve();
      const session = await openSession(site);
      const listening = eventsOf(await session.get());
      const pending = session.post(call(1));
      const { channel, answer } = await callOf(0);
      channel.send(note(1), { relatedTo: 1 });
      answer();
      expect((await allEvents(await pending)).filter(({ data }) => data)).toHaveLength(2);
      channel.send(note(2));
      expect(await nextMessages(listening, 1)).toMatchObject([{ params: { data: 2 } }]);
    });

    it('sends each message on one of several streams [http.multi.client-streams] [http.multi.no-broadcast] [http.get.either-side-closes]', async () => {
      await serve();
      const session = await openSession(site);
      const { channel } = service.peers[0]!;
      const first = eventsOf(await session.get());
      channel.send(note(1));
      expect(await nextMessages(first, 1)).toMatchObject([{ params: { data: 1 } }]);
      const second = eventsOf(await session.get());
      await second.next();
      for (const n of [2, 3]) channel.send(note(n));
      const [last] = [await nextMessages(second, 2)];
      expect(last).toMatchObject([{ params: { data: 2 } }, { params: { data: 3 } }]);
      // When the stream that was opened last is closed, the other one continues.
      await second.return(undefined);
      const next = nextMessages(first, 1);
      const isReceived = () => Promise.race([next.then(() => true), new Promise(done => setImmediate(done))]);
      await expect
        .poll(() => {
          channel.send(note(4));
          return isReceived();
        })
        .toBe(true);
      expect(await next).toMatchObject([{ params: { data: 4 } }]);
      await first.return(undefined);
    });

    it('replays no message of another stream when one is resumed [http.resume.no-cross-stream-replay]', async () => {
      await serve();
      const session = await openSession(site);
      const { channel } = service.peers[0]!;
      const first = eventsOf(await session.get());
      channel.send(note(1));
      let read = (await first.next()).value;
      while (!read?.data) read = (await first.next()).value;
      const second = eventsOf(await session.get());
      await second.next();
      channel.send(note(2));
      expect(await nextMessages(second, 1)).toMatchObject([{ params: { data: 2 } }]);
      const resumed = eventsOf(await session.get({ 'last-event-id': read.id ?? '' }));
      await resumed.next();
      channel.send(note(3));
      expect(await nextMessages(resumed, 1)).toMatchObject([{ params: { data: 3 } }]);
      for (const events of [first, second, resumed]) await events.return(undefined);
    });

    it('requires Accept: text/event-stream [http.get.sse-or-405]', async () => {
      await serve();
      const session = await openSession(site);
      expect((await session.get({ accept: 'application/json' })).status).toBe(406);
      expect((await session.get({ accept: 'text/event-stream;q=0' })).status).toBe(406);
      for (const accept of ['*/*', 'text/*', 'application/json, Text/Event-Stream; q=0.5']) {
        const response = await session.get({ accept, 'last-event-id': '0-0' });
        expect(response.status).toBe(200);
        await response.body?.cancel();
      }
    });

    it('resumes after the last event [http.resume.replay] [http.resume.event-ids]', async () => {
      await serve();
      const session = await openSession(site);
      const { channel } = service.peers[0]!;
      const events = eventsOf(await session.get());
      for (const n of [1, 2, 3]) channel.send(note(n));
      let first = (await events.next()).value;
      while (first?.data === '' || first?.data === undefined) first = (await events.next()).value;
      expect(JSON.parse(first.data)).toMatchObject({ params: { data: 1 } });
      const resumed = eventsOf(await session.get({ 'last-event-id': first.id ?? '' }));
      channel.send(note(4));
      expect(await nextMessages(resumed, 3)).toMatchObject([2, 3, 4].map(data => ({ params: { data } })));
      await resumed.return(undefined);
    });

    it.each(['nonsense', '0-', '1-zzzzzz', '-1', '7-1', '0-1-1'])('refuses to resume after %s', async eventId => {
      await serve();
      const session = await openSession(site);
      const response = await session.get({ 'last-event-id': eventId });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: -32600 } });
    });
  });

  describe('the stream of a request', () => {
    it('begins with an event for resumption, if the protocol version has one [http.sse.priming-event] [http.sse.retry-before-disconnect]', async () => {
      await serve({ limits: { sseRetry: 1234 } });
      for (const [index, version] of ['2025-06-18', '2025-11-25'].entries()) {
        const session = await openSession(site, version);
        const pending = session.post(call(1));
        const { channel, answer } = await callOf(index);
        channel.send(note(1), { relatedTo: 1 });
        answer();
        const events = await allEvents(await pending);
        expect(events).toHaveLength(version === '2025-11-25' ? 3 : 2);
        if (version === '2025-11-25') expect(events[0]).toEqual({ id: expect.any(String), data: '', retry: '1234' });
        expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
      }
    });

    it('can be closed by the server and resumed later [http.sse.server-disconnects] [http.get.polling]', async () => {
      await serve();
      const session = await openSession(site);
      const pending = session.post(call(1));
      const { channel, answer } = await callOf(0);
      expect(channel.closeStream(1)).toBe(true);
      const [priming, ...rest] = await allEvents(await pending);
      expect(rest).toEqual([]);
      channel.send(note(1), { relatedTo: 1 });
      const resumed = await session.get({ 'last-event-id': priming?.id ?? '' });
      const events = eventsOf(resumed);
      expect(await nextMessages(events, 1)).toMatchObject([{ params: { data: 1 } }]);
      answer();
      expect(await nextMessages(events, 9)).toMatchObject([{ id: 1, result: {} }]);
      expect(channel.closeStream(1)).toBe(false);
    });

    it('stays open on protocol versions without polling [http.sse.no-close-before-response]', async () => {
      await serve();
      const session = await openSession(site, '2025-06-18');
      const pending = session.post(call(1));
      const { channel, answer } = await callOf(0);
      expect(channel.closeStream(1)).toBe(false);
      answer();
      expect((await pending).headers.get('content-type')).toBe('application/json');
    });

    it('resumes with its response, and with nothing else [http.resume.no-cross-stream-replay] [http.resume.event-id-names-stream]', async () => {
      await serve();
      const session = await openSession(site, '2025-06-18');
      const listening = await session.get();
      const [one, two] = [session.post(call(1)), session.post(call(2))];
      const [a, b] = [await callOf(0), await callOf(1)];
      const [first, second] = a.request.id === 1 ? [a, b] : [b, a];
      first.channel.send(note(1), { relatedTo: 1 });
      second.channel.send(note(2), { relatedTo: 2 });
      const broken = eventsOf(await one);
      const { value } = await broken.next();
      await broken.return(undefined);
      first.channel.send(note(3), { relatedTo: 1 });
      first.channel.send(note(4));
      first.answer();
      second.answer();
      await allEvents(await two);
      const resumed = await session.get({ 'last-event-id': value?.id ?? '' });
      const messages = (await allEvents(resumed)).flatMap(({ data }) => (data ? [JSON.parse(data)] : []));
      expect(messages).toMatchObject([{ params: { data: 3 } }, { id: 1 }]);
      await listening.body?.cancel();
    });

    it('replays only its last event after its end', async () => {
      await serve();
      const session = await openSession(site, '2025-06-18');
      const pending = session.post(call(1));
      const { channel, answer } = await callOf(0);
      channel.send(note(1), { relatedTo: 1 });
      answer();
      const events = await allEvents(await pending);
      expect((await session.get({ 'last-event-id': events.at(-1)?.id ?? '' })).status).toBe(400);
      expect(
        (await allEvents(await session.get({ 'last-event-id': events[0]?.id ?? '' }))).map(({ id }) => id),
      ).toEqual([events[1]?.id]);
    });
  });

  it('replay a limited number of messages', async () => {
    await serve({ limits: { maxReplayEvents: 3 } });
    const session = await openSession(site);
    for (let n = 1; n <= 5; n++) service.peers[0]?.channel.send(note(n));
    const events = eventsOf(await session.get());
    expect(await nextMessages(events, 3)).toMatchObject([3, 4, 5].map(data => ({ params: { data } })));
    await events.return(undefined);
  });

  it('send comments while they are quiet [subscriptions.http-keepalive-comment]', async () => {
    const clock = createFakeClock();
    await serve({ clock, limits: { keepAliveInterval: 1000 } });
    const session = await openSession(site, '2025-06-18');
    const sessionTimers = clock.timers;
    const events = eventsOf(await session.get());
    expect(await events.next()).toMatchObject({ value: { comment: 'keep-alive' } });
    expect(clock.timers).toBe(sessionTimers + 1);
    clock.advance(1000);
    clock.advance(1000);
    expect(await events.next()).toMatchObject({ value: { comment: 'keep-alive' } });
    service.peers[0]?.channel.send(note(1));
    clock.advance(1000);
    service.peers[0]?.channel.send(note(2));
    expect(await events.next()).toMatchObject({ value: { data: expect.any(String) } });
    expect(await events.next()).toMatchObject({ value: { data: expect.any(String) } });
    await events.return(undefined);
    await expect
      .poll(() => {
        clock.advance(1000);
        return clock.timers;
      })
      .toBe(sessionTimers);
  });

  it('are limited in number [streams]', async () => {
    await serve({ limits: { maxStreamsPerSession: 1, maxStreams: 2, maxShare: 1 } });
    const [one, two, three] = [await openSession(site), await openSession(site), await openSession(site)];
    const first = await one.get();
    const pending = one.post(call(1));
    const { channel, answer } = await callOf(0);
    // There is no stream for it: what may be lost is lost, and the answer comes as JSON.
    channel.send(note(1), { relatedTo: 1 });
    answer();
    expect((await pending).headers.get('content-type')).toBe('application/json');
    const second = await two.get();
    expect(second.status).toBe(200);
    expect((await three.get()).status).toBe(503);
    await Promise.all([first.body?.cancel(), second.body?.cancel()]);
  });

  it('are closed when the client does not read them', async () => {
    await serve({ limits: { maxBufferedBytes: 300_000, maxReplayBytes: 1000 } });
    const session = await openSession(site);
    const response = await session.get();
    const { channel } = service.peers[0]!;
    const big = 'x'.repeat(100_000);
    for (let n = 0; n < 400; n++) {
      channel.send(createNotification('big', { big }));
      if (n % 50 === 49) await new Promise(resolve => setImmediate(resolve));
    }
    await expect(allEvents(response)).rejects.toThrow();
    await expect
      .poll(async () => {
        const next = await session.get();
        await next.body?.cancel();
        return next.status;
      })
      .toBe(200);
  });
});
