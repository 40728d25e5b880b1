import { describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../../runtimes/node/http/http-requester.js';
import {
  answer,
  ask,
  data,
  json,
  note,
  type Script,
  serve,
  stillClock,
  stream,
  takeNotes,
} from './fixtures/scripted-server.js';
import { createHttpTransport } from './http-transport.js';
import type { HttpTransportOptions } from './options.js';

const version = { 'mcp-protocol-version': '2025-11-25' };

describe('the stream of a request', () => {
  const start = async (script: Script, options: Partial<HttpTransportOptions> = {}) => {
    const server = await serve(script);
    const clock = stillClock();
    const channel = createHttpTransport(server.url, {
      requester: createNodeRequester(),
      clock,
      random: () => 0.5,
      ...options,
    });
    const notes = takeNotes();
    await channel.open(notes);
    /** Lets the next wait pass, and gives it back. */
    const advanceToRetry = async () => {
      const ms = await clock.timer();
      clock.advance(ms);
      return ms;
    };
    return { server, channel, notes, clock, advanceToRetry };
  };

  it('is resumed with the delay that the server requests [http.sse.client-polls] [http.sse.client-honours-retry] [http.resume.last-event-id] [http.resume.always-get] [http.sse.server-disconnects]', async () => {
    const { server, channel, notes, clock } = await start((_, response, index) => {
      if (index === 0) stream(response, '', { 'mcp-session-id': 'S' }).end('id: e0\nretry: 500\ndata: \n\n');
      else if (index === 1) stream(response).end(`${data(note(), 'e1')}id: e2\nretry: 40\n\n`);
      else stream(response).end(data(answer(1), 'e3'));
    });
    await channel.send(ask(), { headers: version });
    expect(await clock.timer()).toBe(525);
    clock.advance(524);
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(server.seen.length).toBe(1);
    clock.advance(1);
    expect(await clock.timer()).toBe(42);
    clock.advance(42);
    await notes.until(({ messages }) => messages.length === 2);
    expect(notes.messages).toEqual([note(), answer(1)]);
    expect(server.seen.slice(1)).toMatchObject([
      {
        method: 'GET',
        headers: { accept: 'text/event-stream', 'last-event-id': 'e0', 'mcp-session-id': 'S', ...version },
      },
      {
        method: 'GET',
        headers: { accept: 'text/event-stream', 'last-event-id': 'e2', 'mcp-session-id': 'S', ...version },
      },
    ]);
    expect(server.seen[1]?.headers['content-type']).toBeUndefined();
    await channel.close();
    expect(notes).toMatchObject({ lost: [], bad: [] });
  });

  it('is resumed any number of times, without losing or repeating a message', async () => {
    const DROPS = 40;
    const all = Array.from({ length: DROPS }, (_, n) => note(n));
    const empty = new Set([4, 9, 14, 19]);
    const { channel, notes, advanceToRetry, server } = await start((seen, response) => {
      const last = seen.headers['last-event-id'];
      const n = last === undefined ? 0 : Number(last) + 1;
      if (n === DROPS) stream(response).end(data(answer(1), String(n)));
      // Each connection carries one event and the half of another; every third breaks, and some carry nothing.
      else if (empty.delete(n)) stream(response).end(': nothing\n\n');
      else {
        stream(response, data(all[n], String(n)));
        const half = `id: ${n + 1}\ndata: ${JSON.stringify(all[n + 1] ?? {})}\n`;
        response.write(half, () => (n % 3 === 0 ? response.destroy() : response.end()));
      }
    });
    await channel.send(ask());
    let done = false;
    void notes
      .until(({ messages }) => messages.length > DROPS)
      .then(() => {
        done = true;
      });
    while (!done) await Promise.race([advanceToRetry(), notes.until(() => done || notes.messages.length > DROPS)]);
    expect(notes.messages).toEqual([...all, answer(1)]);
    expect(server.seen.slice(1).every(one => one.method === 'GET')).toBe(true);
    expect(notes.lost).toEqual([]);
  });

  it.each(['ends', 'breaks'])(
    'rejects the request when it %s and has no event ids [http.sse-broken-request-lost]',
    async how => {
      const { channel, notes, server } = await start((_, response) => {
        stream(response, data(note()));
        if (how === 'ends') response.end();
        else response.destroy();
      });
      await channel.send(ask(5));
      await notes.until(({ lost }) => lost.length === 1);
      expect(notes.lost).toMatchObject([{ id: 5, error: { code: 'call/outcome-unknown', peer: server.url } }]);
      expect(server.seen.length).toBe(1);
    },
  );

  it('is not resumed on a protocol version without resumption [http.sse-no-resumption]', async () => {
    const { channel, notes, server } = await start((_, response) => void stream(response).end('id: e\ndata:\n\n'));
    await channel.send(ask(), { stateless: true });
    await notes.until(({ lost }) => lost.length === 1);
    expect(server.seen.length).toBe(1);
  });

  it('is not resumed for a message without a response', async () => {
    const { channel, notes, server } = await start((_, response) => void stream(response).end(data(note(), 'e')));
    await channel.send(note(9));
    await notes.until(({ messages }) => messages.length === 1);
    await channel.close();
    expect(notes.lost).toEqual([]);
    expect(server.seen.length).toBe(1);
  });

  it.each([400, 404, 405])('rejects the request when the server responds %i to its resumption', async status => {
    const { channel, notes, advanceToRetry, server } = await start((_, response, index) => {
      if (index === 0) stream(response).end('id: e\ndata:\n\n');
      else response.writeHead(status).end();
    });
    await channel.send(ask());
    expect(await advanceToRetry()).toBe(1_250);
    await notes.until(({ lost }) => lost.length === 1);
    expect(notes.lost).toMatchObject([{ id: 1, error: { code: 'call/outcome-unknown', status } }]);
    expect(server.seen.length).toBe(2);
  });

  it('rejects the request after several resumptions that end at once, with growing delays', async () => {
    const { channel, notes, advanceToRetry, server } = await start(
      (_, response, index) => void stream(response).end(index === 0 ? 'id: e\ndata:\n\n' : ''),
      { resume: { maxAttempts: 4 }, random: () => 0 },
    );
    await channel.send(ask());
    expect([await advanceToRetry(), await advanceToRetry(), await advanceToRetry(), await advanceToRetry()]).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ]);
    await notes.until(({ lost }) => lost.length === 1);
    expect(notes.lost).toMatchObject([{ id: 1, error: { code: 'call/outcome-unknown' } }]);
    expect(server.seen.length).toBe(5);
  });

  it('is resumed as often as the server requests, up to a total time', async () => {
    const { channel, notes, advanceToRetry, server } = await start(
      (_, response, index) => void stream(response).end(`id: e${index}\nretry: 100\ndata:\n\n`),
      { resume: { maxElapsed: 2_000 }, random: () => 0 },
    );
    await channel.send(ask());
    const waits: number[] = [];
    while (notes.lost.length === 0) {
      const lost = notes.until(({ lost }) => lost.length > 0).then(() => undefined);
      const ms = await Promise.race([advanceToRetry(), lost]);
      if (ms !== undefined) waits.push(ms);
    }
    expect(waits.slice(0, 3)).toEqual([100, 100, 100]);
    expect(waits.reduce((sum, ms) => sum + ms)).toBeGreaterThan(2_000);
    expect(server.seen.length).toBe(waits.length + 1);
  });

  it('survives a server that is down or busy for a while', async () => {
    const { channel, notes, advanceToRetry } = await start(
      (_, response, index) => {
        if (index === 0) stream(response).end('id: e\nretry: 100\ndata:\n\n');
        else if (index === 1) response.writeHead(503).end();
        else if (index === 2) response.destroy();
        else if (index === 3) response.writeHead(429, { 'retry-after': '7' }).end();
        else stream(response).end(data(answer()));
      },
      { random: () => 0 },
    );
    await channel.send(ask());
    expect([await advanceToRetry(), await advanceToRetry(), await advanceToRetry(), await advanceToRetry()]).toEqual([
      100, 1_000, 2_000, 7_000,
    ]);
    await notes.until(({ messages }) => messages.length === 1);
    expect(notes).toMatchObject({ messages: [answer()], lost: [] });
  });

  it('is not resumed when the call was cancelled in the meantime', async () => {
    const controller = new AbortController();
    const { channel, notes, clock, server } = await start(
      (_, response) => void stream(response).end('id: e\ndata:\n\n'),
    );
    await channel.send(ask(), { signal: controller.signal });
    const wait = await clock.timer();
    controller.abort();
    clock.advance(wait);
    await channel.close();
    expect(server.seen.length).toBe(1);
    expect(notes).toMatchObject({ lost: [], ends: [undefined] });
  });

  it('rejects the request when its session is lost', async () => {
    let hangUp = () => {};
    const { channel, notes, server } = await start((_, response, index) => {
      if (index === 0) json(response, answer(0), 200, { 'mcp-session-id': 'S' });
      else if (index === 1) {
        stream(response, 'id: e\ndata:\n\n');
        hangUp = () => response.end();
      } else response.writeHead(404).end();
    });
    await channel.send(ask(0));
    await channel.send(ask(1));
    await expect(channel.send(ask(2))).rejects.toMatchObject({ code: 'session/gone' });
    hangUp();
    await notes.until(({ lost }) => lost.length === 1);
    expect(notes.lost).toMatchObject([
      { id: 1, error: { code: 'call/outcome-unknown', cause: { code: 'session/gone' } } },
    ]);
    expect(server.seen.length).toBe(3);
  });

  it('rejects the request at once when another message finds that the session is lost', async () => {
    const { channel, notes, clock, server } = await start((seen, response) => {
      const { id } = JSON.parse(seen.body);
      if (id === 0) json(response, answer(0), 200, { 'mcp-session-id': 'S' });
      else if (id === 1) stream(response).end('id: e\nretry: 60000\ndata:\n\n');
      else response.writeHead(404).end();
    });
    await channel.send(ask(0));
    await channel.send(ask(1));
    expect(await clock.timer()).toBeGreaterThanOrEqual(60_000);
    await expect(channel.send(ask(2))).rejects.toMatchObject({ code: 'session/gone' });
    await notes.until(({ lost }) => lost.length === 1);
    expect(notes.lost).toMatchObject([
      { id: 1, error: { code: 'call/outcome-unknown', cause: { code: 'session/gone' } } },
    ]);
    expect(server.seen.length).toBe(3);
  });

  it.each([
    [404, ''],
    [400, 'Invalid or missing session ID'],
  ])('reports a lost session when the resuming GET gets %i %s', async (status, body) => {
    const { channel, notes, clock, advanceToRetry } = await start((seen, response) => {
      if (seen.method === 'GET') response.writeHead(status).end(body);
      else if (JSON.parse(seen.body).id === 0) json(response, answer(0), 200, { 'mcp-session-id': 'S' });
      else stream(response).end('id: e\ndata:\n\n');
    });
    const losses: unknown[] = [];
    await channel.open({ ...notes, onSessionLost: error => losses.push(error) });
    await channel.send(ask(0));
    await channel.send(ask(1));
    await advanceToRetry();
    await notes.until(({ lost }) => lost.length === 1);
    expect(losses).toMatchObject([{ code: 'session/gone', status }]);
    expect(clock.now()).toBeGreaterThan(0);
  });

  it('is closed when it stays open after the response [http.sse.closed-after-response]', async () => {
    const { channel, notes, clock, server } = await start((_, response) => void stream(response, data(answer(), 'e')));
    await channel.send(ask());
    await notes.until(({ messages }) => messages.length === 1);
    clock.advance(await clock.timer());
    await server.seen[0]?.lost;
    await channel.close();
    expect(server.seen.length).toBe(1);
    expect(notes.lost).toEqual([]);
  });

  it.each([
    ['is not JSON', 'data: {oops\n\n'],
    ['is too long', `data: "${'x'.repeat(600)}"\n\n`],
  ])('rejects the request after an event that %s, because it may have been the response', async (_, bad) => {
    const { channel, notes } = await start(
      (_, response) => void stream(response, 'id: e\ndata:\n\n').end(bad + data(note())),
      { maxMessageSize: 500 },
    );
    await channel.send(ask());
    await notes.until(({ lost }) => lost.length === 1);
    expect(notes.messages).toEqual([note()]);
    expect(notes.bad).toMatchObject([{ code: 'peer/unreadable' }]);
    expect(notes.lost).toMatchObject([{ id: 1, error: { code: 'peer/unreadable' } }]);
  });

  it('is resumed after an id of any characters that a header can carry, and after no other', async () => {
    const { channel, notes, advanceToRetry, server } = await start((seen, response, index) => {
      if (seen.method === 'GET') json(response, {}, 405);
      else stream(response).end(`id: ${index === 0 ? 'é👋' : 'a\x01'}\ndata:\n\n`);
    });
    await channel.send(ask(1));
    await advanceToRetry();
    await notes.until(({ lost }) => lost.length === 1);
    expect(Buffer.from(String(server.seen[1]?.headers['last-event-id']), 'latin1').toString()).toBe('é👋');
    await channel.send(ask(2));
    await notes.until(({ lost }) => lost.length === 2);
    expect(server.seen.length).toBe(3);
  });
});
