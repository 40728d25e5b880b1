import { inspect } from 'node:util';
import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { SendOptions } from '../../../jsonrpc/transport.js';
import { createNodeRequester } from '../../../runtimes/node/http/http-requester.js';
import { createFetchRequester } from '../../../runtimes/web/fetch-requester.js';
import { answer, ask, data, json, note, type Script, serve, stream, takeNotes } from './fixtures/scripted-server.js';
import { createHttpTransport } from './http-transport.js';
import type { HttpTransportOptions } from './options.js';

const requesters = { 'node:http': () => createNodeRequester(), fetch: () => createFetchRequester() };

describe.each(Object.entries(requesters))('failures of requests, on %s', (_, requester) => {
  const start = async (script: Script, options: Partial<HttpTransportOptions> = {}) => {
    const server = await serve(script);
    const channel = createHttpTransport(server.url, { requester: requester(), ...options });
    const notes = takeNotes();
    await channel.open(notes);
    return { server, channel, notes };
  };

  /** Sends one request and gives back how that went wrong. */
  const fail = async (script: Script, options: Partial<HttpTransportOptions> = {}, how: SendOptions = {}) => {
    const { channel, notes, server } = await start(script, options);
    const error = await channel.send(ask(), how).then(
      () => undefined,
      error => error,
    );
    return { error, notes, server, channel };
  };

  it('rejects with the JSON-RPC error of a refusal, and delivers it once', async () => {
    const failure = { code: -32022, message: 'Unsupported', data: { supported: ['2025-11-25'] } };
    const { error, notes } = await fail((_, response) =>
      json(response, { jsonrpc: '2.0', id: 1, error: failure }, 400),
    );
    expect(error).toMatchObject({
      code: 'peer/error',
      status: 400,
      rpcCode: -32022,
      data: failure.data,
    });
    expect(notes).toMatchObject({ messages: [], lost: [] });
  });

  it.each([401, 403])('adds the next step to a JSON-RPC error with status %i', async status => {
    const failure = { code: -32600, message: 'The request has no access token' };
    const { error } = await fail((_, response) => json(response, { jsonrpc: '2.0', error: failure }, status));
    expect(error).toMatchObject({
      status,
      rpcCode: -32600,
      hint: expect.stringMatching(/`auth`|scopes of the token/),
    });
  });

  it('distinguishes a refused token from a missing one', async () => {
    const refuse: Script = (_, response) => void response.writeHead(401).end();
    const { error: missing } = await fail(refuse);
    expect(missing.hint).toContain('`connect({ url, auth })`');
    const { error: refused } = await fail(refuse, { headers: { Authorization: 'Bearer old' } });
    expect(refused.hint).toContain('it may have expired');
  });

  it.each([
    [404, 'text/html', '<h1>no</h1>', 'status 404'],
    [400, 'text/plain', 'No valid session', 'status 400: No valid session'],
    [503, 'application/json', '{"jsonrpc":"2.0"}', 'status 503: {"jsonrpc":"2.0"}'],
  ])('rejects with the status of any other refusal: %i', async (status, type, body, received) => {
    const { error, notes } = await fail((_, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    expect(error).toMatchObject({ code: 'http/status', status, received });
    if (status === 404) expect(error.hint).toContain('/mcp');
    expect(error.rpcCode).toBeUndefined();
    expect(notes.lost).toEqual([]);
  });

  it('distinguishes a request that was never sent from one with an unknown outcome', async () => {
    const { server, channel } = await start((_, response) => {
      response.destroy();
    });
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'http/interrupted', peer: server.url });
    await server.close();
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'http/unreachable', peer: server.url });
  });

  it('rejects when the connection breaks during a JSON response', async () => {
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

  it.each([301, 302, 303, 307, 308])('follows a %i of a GET to the same origin', async status => {
    const { server, channel, notes } = await start((seen, response) => {
      if (seen.method === 'POST') json(response, answer(), 200, { 'mcp-session-id': 's' });
      else if (seen.url === '/mcp') response.writeHead(status, { location: '/events' }).end();
      else stream(response, data(note()));
    });
    await channel.send(ask());
    channel.listen();
    await notes.until(({ messages }) => messages.length === 2);
    expect(server.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST /mcp', 'GET /mcp', 'GET /events']);
  });

  it.each([301, 302, 303])('refuses a %i of a POST, and names the target', async status => {
    const { error, server } = await fail((_, response) => void response.writeHead(status, { location: '/v2' }).end());
    expect(error).toMatchObject({ code: 'http/redirected', status });
    expect(error.message).toContain(`a redirect to ${server.origin}/v2`);
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['http://user:secret@other.example/mcp?key=k', 'http://other.example/mcp'],
    ['file:///etc/hosts', 'file:///etc/hosts'],
    ['myapp:open?key=k', 'myapp:open'],
  ])('names the target of a redirect to %s without credentials and query', async (location, target) => {
    const { error } = await fail((_, response) => void response.writeHead(307, { location }).end());
    expect(error.message).toContain(`Got a redirect to ${target}.`);
    expect(inspect(error)).not.toMatch(/key=k|secret/);
  });

  it('sends credentials to no other origin, and follows no redirect that changes the request or never ends', async () => {
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
    await notes.until(({ lost }) => lost.length === 1);
    await server.close();
    await channel.send(ask()).catch(error => errors.push(error));
    expect(errors.length).toBe(5);
    const text = inspect([errors, notes.lost], { depth: 20, showHidden: true });
    expect(text).not.toMatch(/S-e-c-r-e-t|T-o-k-e-n/);
  });

  it('signs in and tries once more', async () => {
    let token = 'stale';
    const requests: unknown[] = [];
    const { server, channel, notes } = await start(
      (seen, response) => {
        if (seen.headers.authorization === 'Bearer fresh') json(response, answer());
        else response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end();
      },
      {
        headers: async () => ({ authorization: `Bearer ${token}` }),
        onUnauthorized: async ({ status, url, header }) => {
          requests.push([status, url, header('www-authenticate')]);
          token = token === 'stale' ? 'fresh' : 'bad';
          return true;
        },
      },
    );
    await channel.send(ask());
    expect(notes.messages).toEqual([answer()]);
    expect(requests).toEqual([[401, server.url, 'Bearer realm="x"']]);
    token = 'fresh-but-revoked';
    await expect(channel.send(ask())).rejects.toMatchObject({ code: 'http/status', status: 401 });
    expect(server.seen.length).toBe(4);
  });

  it('does not try again when the sign-in declines or throws', async () => {
    const script: Script = (_, response) => void response.writeHead(403).end();
    expect((await fail(script, { onUnauthorized: async () => false })).error).toMatchObject({
      code: 'http/status',
      status: 403,
    });
    const thrown = await fail(script, { onUnauthorized: async () => Promise.reject(new Error('no')) });
    expect(thrown.error).toMatchObject({ code: 'auth/failed' });
    for (const reason of [new Error('no'), new TenonError('connection/closed', 'no')]) {
      const headers = () => Promise.reject(reason);
      expect((await fail(script, { headers })).error).toMatchObject({ code: 'auth/failed', cause: reason });
    }
  });
});
