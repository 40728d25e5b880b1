import { afterEach, describe, expect, it, vi } from 'vitest';
import { tool } from '../../../../index.js';
import { openReplicas, openSharedSession, type Replica } from '../../fixtures/replicas.js';
import { eventsOf, nextMessages, type SseEvent } from '../../fixtures/sites.js';

/** The status of the response, and a function that reads the next message of the stream. */
interface Listening {
  readonly status: number;
  readonly next: () => Promise<{ readonly id?: string | undefined; readonly uri?: string }>;
}

describe('a session whose store has lost writes that it had confirmed [so.failover-loss]', () => {
  let replicas: Replica[] = [];
  const reading: AsyncGenerator<SseEvent>[] = [];
  afterEach(async () => {
    await Promise.all(reading.splice(0).map(events => events.return(undefined)));
    await Promise.all(replicas.map(replica => replica.close({ timeout: 0 })));
  });

  let release = () => {};
  const work = tool({
    async run(_, ctx) {
      ctx.progress(1);
      await new Promise<void>(resolve => {
        release = resolve;
      });
      return 'done';
    },
  });
  const uris = ['note://a', 'note://b', 'note://c', 'note://d'];
  const open = async () => {
    const resources = Object.fromEntries(uris.map(uri => [uri, { read: () => '' }]));
    replicas = await openReplicas(2, { resources, tools: { work } });
    const [one, two] = replicas as [Replica, Replica];
    const session = await openSharedSession(one);
    await session.notify(one, 'notifications/initialized');
    for (const uri of uris) await session.request(one, 'resources/subscribe', { uri });
    /** Opens the stream, and returns a function that reads its next message. */
    const listen = async (site: Replica, lastEventId?: string): Promise<Listening> => {
      const response = await session.get(site, lastEventId === undefined ? {} : { 'last-event-id': lastEventId });
      if (response.status !== 200) return { status: response.status, next: async () => ({}) };
      const events = eventsOf(response);
      reading.push(events);
      const next = async () => {
        for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) })
          if (event.data) return { id: event.id, uri: JSON.parse(event.data).params.uri };
        return {};
      };
      return { status: 200, next };
    };
    const listEntries = async () => (await one.stores.values.list('session/')).filter(({ value }) => 'events' in value);
    /** Deletes the entry with the notification of a resource. */
    const lose = async (uri: string) => {
      const lost = (await listEntries()).find(({ value }) => JSON.stringify(value).includes(uri));
      await one.stores.values.delete(lost?.key ?? '');
    };
    /** Closes the open stream, and waits until its end is stored. Until then, another stream repeats its events. */
    const closeStream = async () => {
      await reading.splice(0)[0]?.return(undefined);
      await vi.waitFor(async () =>
        expect(await one.stores.values.list('session/')).toContainEqual(
          expect.objectContaining({ value: expect.objectContaining({ delivered: expect.any(String) }) }),
        ),
      );
    };
    return { one, two, session, listen, lose, closeStream };
  };

  it('ends with 404, and the client opens another one', async () => {
    const { one, two, session } = await open();
    for (const { key } of await one.stores.values.list('session/')) await one.stores.values.delete(key);
    for (const site of [one, two]) expect((await session.request(site, 'tools/list')).status).toBe(404);
    const next = await openSharedSession(two);
    expect((await next.request(one, 'resources/list')).status).toBe(200);
  });

  it('refuses the id of a lost event, also when another event has its number', async () => {
    const { one, two, listen, lose, closeStream } = await open();
    const { next } = await listen(one);
    one.server.notifyResourceUpdated('note://a');
    expect(await next()).toMatchObject({ uri: 'note://a' });
    one.server.notifyResourceUpdated('note://b');
    const lost = await next();
    expect(lost).toMatchObject({ uri: 'note://b' });
    await closeStream();
    await lose('note://b');
    expect((await listen(two, lost.id)).status).toBe(400);
    // Another process writes the number again.
    const other = await listen(two);
    two.server.notifyResourceUpdated('note://c');
    expect(await other.next()).toMatchObject({ uri: 'note://c' });
    expect((await listen(one, lost.id)).status).toBe(400);
  });

  it('refuses to resume across lost events, and begins a stream after them', async () => {
    const { one, two, listen, lose, closeStream } = await open();
    const { next } = await listen(one);
    const ids: (string | undefined)[] = [];
    for (const uri of uris.slice(0, 3)) {
      one.server.notifyResourceUpdated(uri);
      const event = await next();
      expect(event).toMatchObject({ uri });
      ids.push(event.id);
    }
    await closeStream();
    await lose('note://b');
    expect((await listen(two, ids[0])).status).toBe(400);
    const later = await listen(two);
    two.server.notifyResourceUpdated('note://d');
    const received = [await later.next()];
    if (received[0]?.uri !== 'note://d') received.push(await later.next());
    expect(received.map(({ uri }) => uri)).not.toContain('note://a');
    expect(received.at(-1)).toMatchObject({ uri: 'note://d' });
  });

  it.each([0, 1])('ends a call whose response is lost with an error, at each process (%d)', async index => {
    const { one, session, lose } = await open();
    const call = { name: 'work', _meta: { progressToken: 1 } };
    const events = eventsOf(await session.request(one, 'tools/call', call, 'call'));
    await events.next();
    const { value: progress } = await events.next();
    release();
    const { value: response } = await events.next();
    expect(response?.data).toContain('done');
    await lose('done');
    const resumed = eventsOf(await session.get(replicas[index] as Replica, { 'last-event-id': progress?.id ?? '' }));
    expect(await nextMessages(resumed, 1)).toEqual([
      {
        jsonrpc: '2.0',
        id: 'call',
        error: { code: 503, message: expect.stringContaining('response was lost'), data: { outcome: 'unknown' } },
      },
    ]);
    expect((await resumed.next()).done).toBe(true);
  });
});
