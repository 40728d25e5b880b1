import { describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../runtimes/node/http/http-requester.js';
import {
  answer,
  ask,
  data,
  note,
  type Script,
  serve,
  stillClock,
  stream,
  takeNotes,
} from '../http/client/fixtures/scripted-server.js';
import { createHttpSseTransport, type HttpSseTransportOptions } from './client.js';

const endpoint = (address: string) => `event: endpoint\ndata: ${address}\n\n`;

describe('an HTTP+SSE client', () => {
  const start = async (script: Script, options: Partial<HttpSseTransportOptions> = {}) => {
    const server = await serve(script);
    const channel = createHttpSseTransport(server.url, { requester: createNodeRequester(), ...options });
    return { server, channel, notes: takeNotes() };
  };

  it('posts to the endpoint that the stream names, and receives on the stream [sse-legacy.endpoint-event] [sse-legacy.post-to-endpoint] [sse-legacy.message-events]', async () => {
    let say = (_text: string): unknown => undefined;
    const { server, channel, notes } = await start(
      (seen, response) => {
        if (seen.method === 'GET') {
          stream(response, `: hi\n\nevent: ping\ndata: 1\n\n${endpoint('/messages?sessionId=7')}`);
          say = text => response.write(text);
        } else {
          response.writeHead(202).end('Accepted');
          say(`event: message\n${data(answer(JSON.parse(seen.body).id))}event: ping\ndata: {}\n\n`);
        }
      },
      { headers: { Authorization: 'Bearer t' } },
    );
    await channel.open(notes);
    await channel.send(ask(1));
    await channel.send(ask(2), { headers: { 'X-More': '1' } });
    await notes.until(({ messages }) => messages.length === 2);
    expect(notes.messages).toEqual([answer(1), answer(2)]);
    const auth = { authorization: 'Bearer t' };
    expect(server.seen).toMatchObject([
      { method: 'GET', url: '/mcp', headers: { accept: 'text/event-stream', ...auth } },
      { method: 'POST', url: '/messages?sessionId=7', body: JSON.stringify(ask(1)), headers: auth },
      { method: 'POST', headers: { 'content-type': 'application/json', 'x-more': '1', ...auth } },
    ]);
    await channel.close();
    await channel.close();
    await server.seen[0]?.lost;
    expect(notes).toMatchObject({ ends: [undefined], bad: [], lost: [] });
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'connection/closed' });
  });

  it.each([
    ['https://elsewhere.example/messages', 'http/foreign-endpoint'],
    ['//127.0.0.1:1/messages', 'http/foreign-endpoint'],
    ['http://[', 'http/no-endpoint'],
  ])('refuses to post to %s', async (address, code) => {
    const { channel, notes, server } = await start((_, response) => void stream(response, endpoint(address)));
    await expect(channel.open(notes)).rejects.toMatchObject({ code });
    await server.seen[0]?.lost;
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'connection/closed' });
    expect(notes.ends).toEqual([]);
    expect(server.seen.length).toBe(1);
  });

  const wrong: [string, Script, object][] = [
    [
      'a message',
      (_, response) => void stream(response, data(note())),
      { code: 'http/no-endpoint', received: 'a message' },
    ],
    ['its end', (_, response) => void stream(response).end(), { code: 'http/no-endpoint' }],
    ['its break', (_, response) => void stream(response).destroy(), { code: 'http/no-endpoint' }],
    ['JSON', (_, response) => void response.end('{}'), { code: 'http/no-endpoint', received: 'no event stream' }],
    [
      'a page that does not end',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<html>'),
      { code: 'http/no-endpoint', received: 'no event stream' },
    ],
    ['405', (_, response) => void response.writeHead(405).end(), { code: 'http/status', status: 405 }],
    ['nothing', (_, response) => void response.destroy(), { code: 'http/interrupted' }],
  ];
  it.each(wrong)(
    'rejects a stream that begins with %s [sse-legacy.compat.client-endpoint-event]',
    async (_, script, error) => {
      const { channel, notes } = await start(script);
      await expect(channel.open(notes)).rejects.toMatchObject(error);
      expect(notes).toMatchObject({ ends: [], messages: [] });
    },
  );

  it.each(['the head', 'the endpoint'])('times out while it waits for %s', async what => {
    const clock = stillClock();
    const { server, channel, notes } = await start(
      (_, response) => {
        if (what === 'the endpoint') stream(response, ': wait\n\n');
      },
      { clock, endpointTimeout: 300 },
    );
    const opened = channel.open(notes);
    expect(await clock.timer()).toBe(300);
    await expect.poll(() => server.seen.length).toBe(1);
    clock.advance(300);
    await expect(opened).rejects.toMatchObject({ code: 'http/no-endpoint', received: 'nothing in 300 ms' });
    await server.seen[0]?.lost;
  });

  it.each(['ends', 'breaks'])('closes when the stream %s, and rejects pending messages', async how => {
    let hangUp = () => {};
    const { server, channel, notes } = await start((seen, response) => {
      if (seen.method !== 'GET') return;
      stream(response, endpoint('messages'));
      hangUp = () => void (how === 'ends' ? response.end() : response.destroy());
    });
    await channel.open(notes);
    const sent = channel.send(ask());
    await expect.poll(() => server.seen.length).toBe(2);
    expect(server.seen[1]?.url).toBe('/messages');
    hangUp();
    await expect(sent).rejects.toMatchObject({ code: 'connection/closed' });
    await notes.until(({ ends }) => ends.length === 1);
    expect(notes.ends).toMatchObject([{ code: 'connection/closed' }]);
    await channel.close();
    expect(notes.ends.length).toBe(1);
  });

  it('reports a refused, unreadable or too long message, and continues', async () => {
    const { channel, notes } = await start(
      (seen, response) => {
        const bad = `data: {\n\ndata: "${'x'.repeat(600)}"\n\n`;
        if (seen.method === 'GET') stream(response, `${endpoint('/m')}${bad}${data(note())}`);
        else response.writeHead(404).end('no such session');
      },
      { maxMessageSize: 500 },
    );
    await channel.open(notes);
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'session/gone', status: 404 });
    await notes.until(({ messages }) => messages.length === 1);
    expect(notes.bad).toMatchObject([{ code: 'peer/unreadable' }, { code: 'peer/unreadable' }]);
    expect(notes.ends).toEqual([]);
    await channel.close();
  });

  it('can be cancelled and closed while it waits', async () => {
    const { channel, notes, server } = await start((seen, response) => {
      if (seen.method === 'GET') stream(response, endpoint('/m'));
    });
    await channel.open(notes);
    const controller = new AbortController();
    const sent = channel.send(ask(), { signal: controller.signal });
    await expect.poll(() => server.seen.length).toBe(2);
    controller.abort();
    await expect(sent).rejects.toMatchObject({ code: 'call/aborted' });
    const other = channel.send(ask());
    await channel.close();
    await expect(other).rejects.toMatchObject({ code: 'connection/closed' });
  });
});
