import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createNodeRequester } from '../../../runtimes/node/http/http-requester.js';
import { createFetchRequester } from '../../../runtimes/web/fetch-requester.js';
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

const requesters = { 'node:http': () => createNodeRequester(), fetch: () => createFetchRequester() };

describe.each(Object.entries(requesters))('a Streamable HTTP client on %s', (_, requester) => {
  const start = async (script: Script, options: Partial<HttpTransportOptions> = {}) => {
    const server = await serve(script);
    const channel = createHttpTransport(server.url, { requester: requester(), ...options });
    const notes = takeNotes();
    await channel.open(notes);
    return { server, channel, notes };
  };

  it('posts each message by itself and accepts a JSON response [http.post.new-request-per-message] [http.post.accept-both] [http.content-type-json] [http.single-message-body] [http.post.single-message]', async () => {
    const { server, channel, notes } = await start(
      (seen, response) => json(response, answer(JSON.parse(seen.body).id)),
      { headers: { Authorization: 'Bearer t', Accept: 'text/html' } },
    );
    await Promise.all([channel.send(ask(1), { headers: { 'mcp-method': 'tools/call' } }), channel.send(ask(2))]);
    expect(notes.messages).toEqual(expect.arrayContaining([answer(1), answer(2)]));
    expect(server.seen.map(one => JSON.parse(one.body))).toEqual(expect.arrayContaining([ask(1), ask(2)]));
    const first = server.seen.find(one => JSON.parse(one.body).id === 1);
    expect(first).toMatchObject({
      method: 'POST',
      url: '/mcp',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-method': 'tools/call',
        authorization: 'Bearer t',
      },
    });
    expect(notes.lost).toEqual([]);
  });

  it('accepts a streamed response, and the messages before it [http.post.client-handles-both] [http.sse-comment-ignored] [http.sse.messages-before-response]', async () => {
    const { channel, notes } = await start((_, response) => {
      const other = 'event: ping\ndata: {"not":"for us"}\n\n';
      stream(response, `: hello\n\n${other}event: message\n${data(note())}`).end(`${data(answer(1, { é: '👋' }))}`);
    });
    await channel.send(ask());
    await notes.until(({ messages }) => messages.length === 2);
    expect(notes.messages).toEqual([note(), answer(1, { é: '👋' })]);
    await channel.close();
    expect(notes).toMatchObject({ bad: [], lost: [], ends: [undefined] });
  });

  it('splits arrays in both kinds of response [http.sse.batched-messages] [http.post.client-handles-both]', async () => {
    const { channel, notes } = await start((_, response, index) => {
      if (index === 0) json(response, [note(), answer(1)]);
      else stream(response).end(data([note(2), answer(2)]));
    });
    await channel.send(ask(1));
    await channel.send(ask(2));
    await notes.until(({ messages }) => messages.length === 4);
    expect(notes.messages).toEqual([note(), answer(1), note(2), answer(2)]);
    expect(notes.lost).toEqual([]);
  });

  it.each([
    [202, 'text/plain', ''],
    [204, 'text/plain', ''],
    [200, 'text/plain', 'Accepted'],
    [202, 'application/json', 'null'],
    [200, 'application/json', '{not json'],
  ])('ignores the response to a notification: %i %s %j [http.post.accepted-202]', async (status, type, body) => {
    const { channel, notes } = await start((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    await channel.send(note());
    await channel.close();
    expect(notes).toMatchObject({ messages: [], bad: [], lost: [], ends: [undefined] });
  });

  it.each([
    [202, 'application/json', '', 'peer/no-answer'],
    [200, 'text/html', '<p>hello', 'peer/no-answer'],
    [200, 'application/json', '', 'peer/no-answer'],
    [200, 'application/json', JSON.stringify(note()), 'peer/no-answer'],
    [200, 'application/json', '{"jsonrpc":"2.0","id":1,"resu', 'peer/unreadable'],
    [200, 'application/json', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}', 'peer/error'],
  ])('rejects a request without a usable response: %i %s %j', async (status, type, body, code) => {
    const { channel, notes } = await start((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    await channel.send(ask(7));
    expect(notes.lost).toMatchObject([{ id: 7, error: { code } }]);
    expect(notes.bad.length).toBe(code === 'peer/unreadable' ? 1 : 0);
  });

  it.each([
    [503, '2', 'try again after 2 s'],
    [429, 'Mon, 30 Nov 2026 00:31:35 GMT', undefined],
    [503, '-5', 'check the log of the server'],
    [429, 'soon', undefined],
    [414, '', 'shorten the URL, token or `x-mcp-header` values'],
    [431, '', 'shorten the URL, token or `x-mcp-header` values'],
  ])('gives the next step after a status: %i %s', async (status, retryAfter, hint) => {
    const { channel, notes } = await start((_, response) => {
      response.writeHead(status, { 'retry-after': retryAfter }).end();
    });
    const error = await channel.send(ask(7)).then(
      () => notes.lost[0],
      (refused: unknown) => refused,
    );
    expect(error).toMatchObject({ status, hint });
  });

  it.each(['length', 'chunks'])('limits a JSON response by its %s', async mode => {
    const { channel, notes } = await start(
      (_, response) => {
        response.setHeader('content-type', 'application/json');
        if (mode === 'chunks') response.write('{');
        response.end(`"${'x'.repeat(2_000)}"`);
      },
      { maxMessageSize: 1_000 },
    );
    await channel.send(ask());
    const expected = 'at most 1000 bytes, by `maxMessageSize`';
    expect(notes.bad).toMatchObject([
      { code: 'peer/unreadable', received: 'a response of more than 1000 bytes', expected },
    ]);
    expect(notes.lost).toMatchObject([{ id: 1, error: { code: 'peer/unreadable' } }]);
  });

  it('sends the session id and ends the session [http.session.client-echoes] [http.session.delete] [http.version-header.client-sends]', async () => {
    const { server, channel, notes } = await start((seen, response, index) => {
      if (seen.method === 'DELETE') response.writeHead(405).end();
      else if (seen.method === 'GET') response.writeHead(405).end();
      else if (index === 0) stream(response, '', { 'mcp-session-id': 'S-1' }).end(data(answer(1)));
      else json(response, answer(2), 200, { 'mcp-session-id': 'S-other' });
    });
    await channel.send(ask(1));
    await channel.send(ask(2), { headers: { 'mcp-protocol-version': '2025-11-25' } });
    await channel.send(ask(2), { headers: { 'mcp-protocol-version': '2025-11-25' } });
    channel.listen();
    await expect.poll(() => server.seen.length).toBe(4);
    await Promise.all([channel.close(), channel.close()]);
    const got = server.seen.map(({ method, headers }) => [
      method,
      headers['mcp-session-id'],
      headers['mcp-protocol-version'],
    ]);
    expect(got).toEqual([
      ['POST', undefined, undefined],
      ['POST', 'S-1', '2025-11-25'],
      ['POST', 'S-1', '2025-11-25'],
      ['GET', 'S-1', '2025-11-25'],
      ['DELETE', 'S-1', '2025-11-25'],
    ]);
    expect(notes).toMatchObject({ bad: [], lost: [], ends: [undefined] });
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'connection/closed' });
  });

  it('sends the protocol version with responses and the standalone stream too [http.version-header.client-sends]', async () => {
    const { server, channel } = await start((seen, response) => {
      if (seen.method === 'GET') response.writeHead(405).end();
      else if (JSON.parse(seen.body).method === undefined) response.writeHead(202).end();
      else json(response, answer(JSON.parse(seen.body).id));
    });
    await channel.send(ask(1), { headers: { 'mcp-protocol-version': '2025-11-25' } });
    // Responses to requests of the server have no options.
    await channel.send(answer(7) as never);
    channel.listen?.();
    await expect.poll(() => server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET']);
    expect(server.seen.map(({ headers }) => headers['mcp-protocol-version'])).toEqual(Array(3).fill('2025-11-25'));
    await channel.close();
  });

  it('limits the time for the end of a session', async () => {
    const clock = stillClock();
    const { channel, notes, server } = await start(
      (seen, response) => {
        if (seen.method === 'POST') json(response, answer(), 200, { 'mcp-session-id': 'S' });
      },
      { clock, closeTimeout: 700 },
    );
    await channel.send(ask());
    const closed = channel.close();
    expect(await clock.timer()).toBe(700);
    await expect.poll(() => server.seen.length).toBe(2);
    expect(notes.ends).toEqual([]);
    clock.advance(700);
    await closed;
    await server.seen[1]?.lost;
    expect(notes.ends).toEqual([undefined]);
  });

  it('opens a new session when the session is lost [http.session.client-restarts-on-404] [http.session.terminated-404]', async () => {
    const { server, channel, notes } = await start((seen, response, index) => {
      if (seen.method === 'GET') stream(response);
      else if (index === 0) json(response, answer(), 200, { 'mcp-session-id': 'old' });
      else if (seen.headers['mcp-session-id'] === 'old') {
        json(response, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404);
      } else json(response, answer(), 200, { 'mcp-session-id': 'new' });
    });
    await channel.send(ask());
    channel.listen();
    await expect.poll(() => server.seen.length).toBe(2);
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'session/gone', status: 404, rpcCode: -32001 });
    await server.seen[1]?.lost;
    await channel.send(ask());
    channel.listen();
    await expect.poll(() => server.seen.length).toBe(5);
    expect(server.seen.map(one => one.headers['mcp-session-id'])).toEqual([undefined, 'old', 'old', undefined, 'new']);
    expect(notes.lost).toEqual([]);
  });

  it('refuses a session id that could not be sent back [http.session.id-visible-ascii]', async () => {
    const { channel } = await start((_, response) => json(response, answer(), 200, { 'mcp-session-id': 'a b' }));
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'peer/invalid-session-id' });
  });

  it('sends no session id with a stateless message [http.no-session-header]', async () => {
    const { server, channel } = await start((_, response) => json(response, answer(), 200, { 'mcp-session-id': 'S' }));
    await channel.send(ask(), { stateless: true });
    await channel.send(ask());
    await channel.send(ask(), { stateless: true, headers: { 'mcp-protocol-version': '2026-07-28' } });
    await channel.close();
    const got = server.seen.map(({ headers }) => [headers['mcp-session-id'], headers['mcp-protocol-version']]);
    expect(got).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, '2026-07-28'],
      ['S', undefined],
    ]);
  });

  it.each(['the head', 'the end of a JSON answer'])('can be cancelled before %s', async when => {
    const controller = new AbortController();
    const { server, channel, notes } = await start((_, response) => {
      if (when !== 'the head') response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    const sent = channel.send(ask(), { signal: controller.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    controller.abort();
    await expect(sent).rejects.toMatchObject({ code: 'call/aborted' });
    await server.seen[0]?.lost;
    await expect(channel.send(ask(), { signal: controller.signal })).rejects.toMatchObject({ code: 'call/aborted' });
    expect(server.seen.length).toBe(1);
    expect(notes).toMatchObject({ messages: [], lost: [], bad: [] });
  });

  it('closes the stream of a cancelled request and delivers nothing more [cancellation.http-close-stream]', async () => {
    const controller = new AbortController();
    const { server, channel, notes } = await start((_, response) => void stream(response, data(note(), 'e1')));
    await channel.send(ask(), { signal: controller.signal });
    await notes.until(({ messages }) => messages.length === 1);
    controller.abort();
    await server.seen[0]?.lost;
    await channel.close();
    expect(server.seen.length).toBe(1);
    expect(notes).toMatchObject({ messages: [note()], lost: [], ends: [undefined] });
  });

  it('leaves no listener on a signal that outlives its calls', async () => {
    const { signal } = new AbortController();
    const { channel, notes } = await start((_, response, index) => {
      if (index === 0) json(response, answer(0));
      else if (index === 1) stream(response).end(data(answer(1)));
      else response.writeHead(500).end();
    });
    for (const id of [0, 1, 2]) await channel.send(ask(id), { signal }).catch(() => {});
    await notes.until(({ messages }) => messages.length === 2);
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
  });

  it('delivers nothing of a chunk after the message that made the receiver cancel', async () => {
    const controller = new AbortController();
    const { channel } = await start((_, response) => void stream(response, data(note(1)) + data(note(2))));
    const got: unknown[] = [];
    const notes = takeNotes();
    await channel.open({
      ...notes,
      onMessage(value) {
        got.push(value);
        controller.abort();
      },
    });
    await channel.send(ask(), { signal: controller.signal });
    await expect.poll(() => got.length).toBe(1);
    await channel.close();
    expect(got).toEqual([note(1)]);
  });

  it('ends all streams when it is closed, once', async () => {
    const { server, channel, notes } = await start((seen, response) => {
      if (seen.body.includes('"id":1')) stream(response, data(note(), 'e1'));
    });
    await channel.send(ask(1));
    const sent = channel.send(ask(2));
    await expect.poll(() => server.seen.length).toBe(2);
    await channel.close();
    await expect(sent).rejects.toMatchObject({ code: 'connection/closed' });
    await Promise.all(server.seen.map(one => one.lost));
    await channel.close();
    expect(notes).toMatchObject({ lost: [], ends: [undefined] });
  });
});

describe('openHttp', () => {
  it.each(['nonsense', 'ftp://a/b', 'http://user:pass@127.0.0.1/mcp'])('refuses %s', url => {
    expect(() => createHttpTransport(url, { requester: createNodeRequester() })).toThrow(
      expect.objectContaining({ code: 'http/bad-url' }),
    );
  });

  it('names how to start a program when it gets something else than a URL', () => {
    expect(() => createHttpTransport('server.ts', { requester: createNodeRequester() })).toThrow('{ command, args }');
  });

  it('names its peer without the query, and leaves it out of errors', async () => {
    const requester = async ({ url }: { url: string }) => Promise.reject(new Error(`request to ${url} failed`));
    const channel = createHttpTransport('http://127.0.0.1:1/mcp?key=S-e-c-r-e-t', { requester });
    await channel.open(takeNotes());
    const error = await channel.send(ask()).catch(error => error);
    expect(channel.peer).toBe('http://127.0.0.1:1/mcp');
    expect(error.code).toBe('http/interrupted');
    expect(inspect(error)).not.toContain('S-e-c-r-e-t');
  });
});
