import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { nodeRequester } from '../../runtimes/node/http-client.js';
import { fetchRequester } from '../../runtimes/web/http-client.js';
import { type HttpSendOptions, openHttp } from './client.js';
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
} from './client-loopback.test.js';
import type { HttpOptions } from './client-options.js';

const requesters = { 'node:http': () => nodeRequester(), fetch: () => fetchRequester() };

describe.each(Object.entries(requesters))('a Streamable HTTP client on %s', (_, requester) => {
  const start = async (script: Script, options: Partial<HttpOptions> = {}) => {
    const server = await serve(script);
    const channel = openHttp(server.url, { requester: requester(), ...options });
    const notes = takeNotes();
    await channel.open(notes);
    return { server, channel, notes };
  };

  /** Sends one request and gives back how that went wrong. */
  const fail = async (script: Script, options: Partial<HttpOptions> = {}, how: HttpSendOptions = {}) => {
    const { channel, notes, server } = await start(script, options);
    const error = await channel.send(ask(), how).then(
      () => undefined,
      error => error,
    );
    return { error, notes, server, channel };
  };

  it('posts each message by itself and takes a JSON answer [http.post.new-request-per-message] [http.post.accept-both] [http.content-type-json] [http.single-message-body] [http.post.single-message]', async () => {
    const { server, channel, notes } = await start(
      (seen, response) => json(response, answer(JSON.parse(seen.body).id)),
      {
        headers: { Authorization: 'Bearer t', Accept: 'text/html' },
      },
    );
    await Promise.all([channel.send(ask(1), { headers: { 'Mcp-Method': 'tools/call' } }), channel.send(ask(2))]);
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
    expect(notes.gone).toEqual([]);
  });

  it('takes a streamed answer, and what comes ahead of it [http.post.client-handles-both] [http.sse-comment-ignored] [http.sse.messages-before-response]', async () => {
    const { channel, notes } = await start((_, response) => {
      const other = 'event: ping\ndata: {"not":"for us"}\n\n';
      stream(response, `: hello\n\n${other}event: message\n${data(note())}`).end(`${data(answer(1, { é: '👋' }))}`);
    });
    await channel.send(ask());
    await notes.until(({ messages }) => messages.length === 2);
    expect(notes.messages).toEqual([note(), answer(1, { é: '👋' })]);
    await channel.close();
    expect(notes).toMatchObject({ bad: [], gone: [], ends: [undefined] });
  });

  it('takes arrays apart, in both kinds of answer [http.sse.batched-messages] [http.post.client-handles-both]', async () => {
    const { channel, notes } = await start((_, response, index) => {
      if (index === 0) json(response, [note(), answer(1)]);
      else stream(response).end(data([note(2), answer(2)]));
    });
    await channel.send(ask(1));
    await channel.send(ask(2));
    await notes.until(({ messages }) => messages.length === 4);
    expect(notes.messages).toEqual([note(), answer(1), note(2), answer(2)]);
    expect(notes.gone).toEqual([]);
  });

  it.each([
    [202, 'text/plain', ''],
    [204, 'text/plain', ''],
    [200, 'text/plain', 'Accepted'],
    [202, 'application/json', 'null'],
    [200, 'application/json', '{not json'],
  ])('cares for no answer to a notification: %i %s %j [http.post.accepted-202]', async (status, type, body) => {
    const { channel, notes } = await start((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    await channel.send(note());
    await channel.close();
    expect(notes).toMatchObject({ messages: [], bad: [], gone: [], ends: [undefined] });
  });

  it.each([
    [202, 'application/json', '', 'peer/no-answer'],
    [200, 'text/html', '<p>hello', 'peer/no-answer'],
    [200, 'application/json', '', 'peer/no-answer'],
    [200, 'application/json', JSON.stringify(note()), 'peer/no-answer'],
    [200, 'application/json', '{"jsonrpc":"2.0","id":1,"resu', 'peer/unreadable'],
    [200, 'application/json', '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}', 'http/refused'],
  ])('tells that the answer to a request will not come: %i %s %j', async (status, type, body, code) => {
    const { channel, notes } = await start((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    await channel.send(ask(7));
    expect(notes.gone).toMatchObject([{ id: 7, error: { code } }]);
    expect(notes.bad.length).toBe(code === 'peer/unreadable' ? 1 : 0);
  });

  it.each(['length', 'chunks'])('bounds a JSON answer by its %s', async way => {
    const { channel, notes } = await start(
      (_, response) => {
        response.setHeader('content-type', 'application/json');
        if (way === 'chunks') response.write('{');
        response.end(`"${'x'.repeat(2_000)}"`);
      },
      { maxMessage: 1_000 },
    );
    await channel.send(ask());
    expect(notes.bad).toMatchObject([{ code: 'peer/unreadable', got: 'an answer of more than 1000 bytes' }]);
    expect(notes.gone).toMatchObject([{ id: 1, error: { code: 'peer/unreadable' } }]);
  });

  it('keeps a session and ends it [http.session.client-echoes] [http.session.delete] [http.version-header.client-sends]', async () => {
    const { server, channel, notes } = await start((seen, response, index) => {
      if (seen.method === 'DELETE') response.writeHead(405).end();
      else if (seen.method === 'GET') response.writeHead(405).end();
      else if (index === 0) stream(response, '', { 'mcp-session-id': 'S-1' }).end(data(answer(1)));
      else json(response, answer(2), 200, { 'mcp-session-id': 'S-other' });
    });
    await channel.send(ask(1));
    await channel.send(ask(2), { headers: { 'MCP-Protocol-Version': '2025-11-25' } });
    await channel.send(ask(2), { headers: { 'MCP-Protocol-Version': '2025-11-25' } });
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
    expect(notes).toMatchObject({ bad: [], gone: [], ends: [undefined] });
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'connection/closed' });
  });

  it('waits only so long for the end of a session', async () => {
    const clock = stillClock();
    const { channel, notes, server } = await start(
      (seen, response) => {
        if (seen.method === 'POST') json(response, answer(), 200, { 'mcp-session-id': 'S' });
      },
      { clock, closeWait: 700 },
    );
    await channel.send(ask());
    const closed = channel.close();
    expect(await clock.timer()).toBe(700);
    await expect.poll(() => server.seen.length).toBe(2);
    expect(notes.ends).toEqual([]);
    clock.pass(700);
    await closed;
    await server.seen[1]?.gone;
    expect(notes.ends).toEqual([undefined]);
  });

  it('starts over when the session is gone [http.session.client-restarts-on-404] [http.session.terminated-404]', async () => {
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
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'session/gone', status: 404, rpc: -32001 });
    await server.seen[1]?.gone;
    await channel.send(ask());
    channel.listen();
    await expect.poll(() => server.seen.length).toBe(5);
    expect(server.seen.map(one => one.headers['mcp-session-id'])).toEqual([undefined, 'old', 'old', undefined, 'new']);
    expect(notes.gone).toEqual([]);
  });

  it('refuses a session id that could not be sent back [http.session.id-visible-ascii]', async () => {
    const { error } = await fail((_, response) => json(response, answer(), 200, { 'mcp-session-id': 'a b' }));
    expect(error).toMatchObject({ code: 'peer/invalid-session-id' });
  });

  it('keeps sessions out of a message that stands for itself [http.no-session-header]', async () => {
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

  it('rejects with the JSON-RPC error of a refusal, and does not deliver it as well', async () => {
    const failure = { code: -32022, message: 'Unsupported', data: { supported: ['2025-11-25'] } };
    const { error, notes } = await fail((_, response) =>
      json(response, { jsonrpc: '2.0', id: 1, error: failure }, 400),
    );
    expect(error).toMatchObject({ code: 'http/refused', status: 400, rpc: -32022, data: failure.data, cause: failure });
    expect(notes).toMatchObject({ messages: [], gone: [] });
  });

  it.each([
    [404, 'text/html', '<h1>no</h1>', 'status 404'],
    [400, 'text/plain', 'No valid session', 'status 400: No valid session'],
    [503, 'application/json', '{"jsonrpc":"2.0"}', 'status 503: {"jsonrpc":"2.0"}'],
  ])('rejects with the status of any other refusal: %i', async (status, type, body, got) => {
    const { error, notes } = await fail((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    expect(error).toMatchObject({ code: 'http/status', status, got });
    expect(error.rpc).toBeUndefined();
    expect(notes.gone).toEqual([]);
  });

  it('tells a request that was never sent from one with an unknown outcome', async () => {
    const { server, channel } = await start((_, response) => {
      response.destroy();
    });
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'http/interrupted', peer: server.url });
    await server.close();
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'http/unreachable', peer: server.url });
  });

  it('rejects when the connection breaks amid a JSON answer', async () => {
    const { error } = await fail((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '50' });
      response.write('{"jsonrpc":', () => response.destroy());
    });
    expect(error).toMatchObject({ code: 'http/interrupted' });
  });

  it.each([307, 308])('follows a %i to the same origin, with the same request', async status => {
    const { server, channel, notes } = await start(
      (seen, response) => {
        if (seen.url === '/mcp') response.writeHead(status, { location: '/mcp/' }).end('moved');
        else json(response, answer());
      },
      { headers: { authorization: 'Bearer t' } },
    );
    await channel.send(ask());
    expect(notes.messages).toEqual([answer()]);
    expect(server.seen[1]).toMatchObject({ method: 'POST', url: '/mcp/', body: JSON.stringify(ask()) });
    expect(server.seen[1]?.headers.authorization).toBe('Bearer t');
  });

  it('takes credentials to no other origin, and follows no redirect that changes the request or never ends', async () => {
    const other = await serve((_, response) => json(response, answer()));
    const headers = { authorization: 'Bearer t' };
    for (const [status, location] of [
      [307, `${other.url}?key=k`],
      [302, '/elsewhere'],
      [308, '/mcp'],
      [307, 'http://user:secret@['],
    ] as const) {
      const { error, server } = await fail((_, response) => void response.writeHead(status, { location }).end(), {
        headers,
      });
      expect(error).toMatchObject({ code: 'http/redirected', status });
      expect(inspect(error)).not.toMatch(/key=k|secret/);
      expect(server.seen.length).toBe(location === '/mcp' ? 6 : 1);
    }
    expect(other.seen).toEqual([]);
  });

  it('puts neither tokens nor session ids into errors [http.session.client-keeps-secure]', async () => {
    const scripts: Script[] = [
      (_, response) => void response.destroy(),
      (_, response) => void response.writeHead(500).end('oops'),
      (_, response) => void response.writeHead(404).end(),
      (_, response) => void response.writeHead(302, { location: 'http://localhost:1/' }).end(),
      (_, response) => void stream(response).end(),
    ];
    const { server, channel, notes } = await start(
      (seen, response, index) => {
        if (index === 0) json(response, answer(), 200, { 'mcp-session-id': 'S-e-c-r-e-t' });
        else if (seen.method === 'POST') scripts.shift()?.(seen, response, index);
      },
      { headers: () => ({ authorization: 'Bearer T-o-k-e-n' }) },
    );
    await channel.send(ask());
    const errors: unknown[] = [];
    while (scripts.length > 0) await channel.send(ask()).catch(error => errors.push(error));
    await notes.until(({ gone }) => gone.length === 1);
    await server.close();
    await channel.send(ask()).catch(error => errors.push(error));
    expect(errors.length).toBe(5);
    const told = inspect([errors, notes.gone], { depth: 20, showHidden: true });
    expect(told).not.toMatch(/S-e-c-r-e-t|T-o-k-e-n/);
  });

  it('has a sign-in done and tries once more', async () => {
    let token = 'stale';
    const asked: unknown[] = [];
    const { server, channel, notes } = await start(
      (seen, response) => {
        if (seen.headers.authorization === 'Bearer fresh') json(response, answer());
        else response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
      },
      {
        headers: async () => ({ authorization: `Bearer ${token}` }),
        onUnauthorized: async ({ status, url, header }) => {
          asked.push([status, url, header('www-authenticate')]);
          token = token === 'stale' ? 'fresh' : 'bad';
          return true;
        },
      },
    );
    await channel.send(ask());
    expect(notes.messages).toEqual([answer()]);
    expect(asked).toEqual([[401, server.url, 'Bearer realm="x"']]);
    token = 'fresh-but-revoked';
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'http/status', status: 401 });
    expect(server.seen.length).toBe(4);
  });

  it('does not try again when the sign-in says no, or throws', async () => {
    const script: Script = (_, response) => void response.writeHead(403).end();
    expect((await fail(script, { onUnauthorized: async () => false })).error).toMatchObject({
      code: 'http/status',
      status: 403,
    });
    const thrown = await fail(script, { onUnauthorized: async () => Promise.reject(new Error('no')) });
    expect(thrown.error).toMatchObject({ code: 'auth/failed' });
    const headers = () => Promise.reject(new Error('no'));
    expect((await fail(script, { headers })).error).toMatchObject({ code: 'auth/failed' });
  });

  it.each(['the head', 'the end of a JSON answer'])('can be cancelled before %s', async when => {
    const controller = new AbortController();
    const { server, channel, notes } = await start((_, response) => {
      if (when !== 'the head') response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    });
    const sent = channel.send(ask(), { signal: controller.signal });
    await expect.poll(() => server.seen.length).toBe(1);
    controller.abort();
    await expect(sent).rejects.toMatchObject({ code: 'call/cancelled' });
    await server.seen[0]?.gone;
    await expect(channel.send(ask(), { signal: controller.signal })).rejects.toMatchObject({ code: 'call/cancelled' });
    expect(server.seen.length).toBe(1);
    expect(notes).toMatchObject({ messages: [], gone: [], bad: [] });
  });

  it('closes the stream of a cancelled request and delivers nothing more [cancellation.http-close-stream]', async () => {
    const controller = new AbortController();
    const { server, channel, notes } = await start((_, response) => void stream(response, data(note(), 'e1')));
    await channel.send(ask(), { signal: controller.signal });
    await notes.until(({ messages }) => messages.length === 1);
    controller.abort();
    await server.seen[0]?.gone;
    await channel.close();
    expect(server.seen.length).toBe(1);
    expect(notes).toMatchObject({ messages: [note()], gone: [], ends: [undefined] });
  });

  it('delivers nothing of a chunk that comes after what made the receiver cancel', async () => {
    const controller = new AbortController();
    const { channel } = await start((_, response) => void stream(response, data(note(1)) + data(note(2))));
    const got: unknown[] = [];
    const notes = takeNotes();
    await channel.open({
      ...notes,
      message(value) {
        got.push(value);
        controller.abort();
      },
    });
    await channel.send(ask(), { signal: controller.signal });
    await expect.poll(() => got.length).toBe(1);
    await channel.close();
    expect(got).toEqual([note(1)]);
  });

  it('ends everything when it is closed, once', async () => {
    const { server, channel, notes } = await start((seen, response) => {
      if (seen.body.includes('"id":1')) stream(response, data(note(), 'e1'));
    });
    await channel.send(ask(1));
    const sent = channel.send(ask(2));
    await expect.poll(() => server.seen.length).toBe(2);
    await channel.close();
    await expect(sent).rejects.toMatchObject({ code: 'connection/closed' });
    await Promise.all(server.seen.map(one => one.gone));
    await channel.close();
    expect(notes).toMatchObject({ gone: [], ends: [undefined] });
  });
});

describe('openHttp', () => {
  it.each(['nonsense', 'ftp://a/b', 'http://user:pass@127.0.0.1/mcp'])('refuses %s', url => {
    expect(() => openHttp(url, { requester: nodeRequester() })).toThrow(
      expect.objectContaining({ code: 'http/bad-url' }),
    );
  });

  it('names its peer without the query, and leaves it out of errors', async () => {
    const requester = async ({ url }: { url: string }) => Promise.reject(new Error(`request to ${url} failed`));
    const channel = openHttp('http://127.0.0.1:1/mcp?key=S-e-c-r-e-t', { requester });
    await channel.open(takeNotes());
    const error = await channel.send(ask()).catch(error => error);
    expect(channel.peer).toBe('http://127.0.0.1:1/mcp');
    expect(error.code).toBe('http/interrupted');
    expect(inspect(error)).not.toContain('S-e-c-r-e-t');
  });
});
