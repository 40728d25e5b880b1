import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../../runtimes/node/http/http-requester.js';
import {
  answer,
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

describe('the standalone stream', () => {
  const start = async (script: Script, options: Partial<HttpTransportOptions> = {}) => {
    const server = await serve(script);
    const clock = stillClock();
    const channel = createHttpTransport(server.url, {
      requester: createNodeRequester(),
      clock,
      random: () => 0,
      ...options,
    });
    const notes = takeNotes();
    await channel.open(notes);
    const advanceToRetry = async () => {
      const ms = await clock.timer();
      clock.advance(ms);
      return ms;
    };
    return { server, channel, notes, clock, advanceToRetry };
  };

  const none: [string, (response: ServerResponse) => void][] = [
    ['405', response => void response.writeHead(405).end()],
    ['404', response => void response.writeHead(404).end('<html>')],
    ['400', response => json(response, { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error' } }, 400)],
    ['500', response => void response.writeHead(500).end()],
    ['501', response => void response.writeHead(501).end()],
    ['JSON', response => json(response, { hello: true })],
    ['204', response => void response.writeHead(204).end()],
  ];
  it.each(none)(
    'stays closed without an error where the server responds %s [http.get.sse-or-405] [http.get.stream-optional]',
    async (_, script) => {
      const { server, channel, notes } = await start((_, response) => script(response));
      channel.listen();
      await expect.poll(() => server.seen.length).toBe(1);
      await new Promise(resolve => setTimeout(resolve, 20));
      channel.listen();
      await expect.poll(() => server.seen.length).toBe(2);
      expect(server.seen[0]).toMatchObject({ method: 'GET', headers: { accept: 'text/event-stream' } });
      await channel.close();
      expect(notes).toMatchObject({ messages: [], bad: [], lost: [], ends: [undefined] });
    },
  );

  it('delivers messages, and is opened again where it ended [http.get.accept-sse] [http.get.server-messages] [http.get.either-side-closes] [http.get.polling]', async () => {
    const { server, channel, notes, advanceToRetry } = await start((_, response, index) => {
      if (index === 0) stream(response).end(data(note(1), 'a'));
      else if (index === 1) stream(response).end(`retry: 3000\n${data(note(2))}`);
      else stream(response, data([note(3), answer(4)], 'b'));
    });
    let missed = 0;
    channel.listen(() => {
      missed += 1;
    });
    channel.listen();
    expect(await advanceToRetry()).toBe(1_000);
    expect(await advanceToRetry()).toBe(3_000);
    await notes.until(({ messages }) => messages.length === 4);
    expect(notes.messages).toEqual([note(1), note(2), note(3), answer(4)]);
    expect(server.seen.map(one => one.headers['last-event-id'])).toEqual([undefined, 'a', 'a']);
    expect(missed).toBe(0);
    await channel.close();
    await server.seen[2]?.lost;
    expect(notes).toMatchObject({ bad: [], lost: [], ends: [undefined] });
  });

  it('is opened again with delays when it ends at once, and reports when it stops', async () => {
    const { server, channel, notes, advanceToRetry } = await start((_, response) => void stream(response).end(), {
      listen: { maxAttempts: 5 },
    });
    channel.listen();
    const waits = [await advanceToRetry(), await advanceToRetry(), await advanceToRetry(), await advanceToRetry()];
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000]);
    await notes.until(({ bad }) => bad.length === 1);
    expect(notes.bad).toMatchObject([{ code: 'http/listen-ended', peer: server.url }]);
    expect(notes.ends).toEqual([]);
    expect(server.seen.length).toBe(5);
    channel.listen();
    await expect.poll(() => server.seen.length).toBe(6);
    await channel.close();
  });

  it('is opened in a shared session when another process has lost it, with a report of missed messages', async () => {
    const { channel, notes, advanceToRetry, server } = await start((_, response, index) => {
      if (index < 3) json(response, { jsonrpc: '2.0', error: { code: -32600, message: 'Conflict' } }, 409);
      else stream(response, data(note()));
    });
    channel.shareSession({
      requestIdPrefix: 'p.',
      continued: { id: 'session-1', versionHeader: '2025-11-25' },
      isContinued: () => true,
    });
    let taken = 0;
    channel.listen(() => {
      taken += 1;
    });
    expect([await advanceToRetry(), await advanceToRetry()]).toEqual([500, 1_000]);
    expect(taken).toBe(0);
    expect(await advanceToRetry()).toBe(2_000);
    await notes.until(({ messages }) => messages.length === 1);
    expect(taken).toBe(1);
    for (const { headers } of server.seen)
      expect(headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' });
    // Another process continues the session, so it is not ended.
    await channel.close();
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
  });

  it('reports messages that may be lost each time that it is opened again without an event to continue after', async () => {
    const { channel, notes, advanceToRetry } = await start((_, response, index) => {
      if (index < 2) stream(response).end(data(note(index)));
      else if (index === 2) response.writeHead(502).end();
      else stream(response, data(note(index), 'a'));
    });
    let missed = 0;
    channel.listen(() => {
      missed += 1;
    });
    await advanceToRetry();
    await notes.until(({ messages }) => messages.length === 2);
    expect(missed).toBe(1);
    await advanceToRetry();
    await advanceToRetry();
    await notes.until(({ messages }) => messages.length === 3);
    expect(missed).toBe(2);
    await channel.close();
  });

  it('is opened again while the server is unreachable', async () => {
    const { channel, notes, advanceToRetry } = await start((_, response, index) => {
      if (index < 2) response.destroy();
      else if (index === 2) response.writeHead(502).end();
      else stream(response, data(note()));
    });
    channel.listen();
    expect([await advanceToRetry(), await advanceToRetry(), await advanceToRetry()]).toEqual([1_000, 2_000, 4_000]);
    await notes.until(({ messages }) => messages.length === 1);
    await channel.close();
    expect(notes.bad).toEqual([]);
  });

  const refusals = [
    { status: 503, headers: { 'retry-after': '5' }, wait: 5_000 },
    { status: 503, headers: {}, wait: 1_000 },
    { status: 502, headers: {}, wait: 1_000 },
    { status: 429, headers: { 'retry-after': '2' }, wait: 2_000 },
  ];
  it.each(refusals)(
    'is requested again where the first request is refused for now: $status $headers',
    async ({ status, headers, wait }) => {
      const { channel, notes, advanceToRetry } = await start((_, response, index) => {
        if (index === 0) response.writeHead(status, headers).end();
        else stream(response, data(note(1)));
      });
      channel.listen();
      expect(await advanceToRetry()).toBe(wait);
      await notes.until(({ messages }) => messages.length === 1);
      await channel.close();
      expect(notes).toMatchObject({ bad: [], lost: [], ends: [undefined] });
    },
  );

  it('survives unreadable events', async () => {
    const { channel, notes } = await start((_, response) => void stream(response, `data: {\n\n${data(note())}`));
    channel.listen();
    await notes.until(({ messages }) => messages.length === 1);
    expect(notes.bad).toMatchObject([{ code: 'peer/unreadable' }]);
    await channel.close();
    expect(notes.ends).toEqual([undefined]);
  });
});
