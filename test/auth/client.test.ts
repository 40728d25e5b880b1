/** What a client makes of a sign-in: while it lasts, and when it fails. */
import { createServer as createHttp, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeClock } from '@tenon/testing';
import { type ConnectionState, connect, createServer, type HttpTarget, tool } from 'tenon';
import type { Authorizer } from 'tenon/auth';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let seen: { method: string; path: string; authorization: string | undefined; what: string | undefined }[];
let close: () => void;
let origin: string;

const server = createServer({ name: 'notes', version: '1', tools: { hello: tool({ run: () => 'hello' }) } });

beforeEach(async () => {
  seen = [];
  const answer = toNode(createHandler(server));
  const http = createHttp((request: IncomingMessage, response) => {
    const { method = '', url = '', headers } = request;
    const { authorization } = headers;
    seen.push({ method, path: url.split('?')[0] ?? '', authorization, what: headers['mcp-method'] as string });
    if (authorization === 'Bearer good') return void answer(request, response);
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  close = () => {
    http.close();
    http.closeAllConnections();
  };
});
afterEach(() => close());

/** A sign-in that takes a while, by the clock of the client. */
function slow(ms: number, clock = fakeClock()): Authorizer & { times: number } {
  let token = 'bad';
  const auth = {
    times: 0,
    getHeaders: async () => ({ authorization: `Bearer ${token}` }),
    async handleRefusal() {
      auth.times += 1;
      clock.advance(ms);
      token = 'good';
      return true;
    },
  };
  return auth;
}

describe('a client that has to sign in', () => {
  it('waits longer than its timeout for the sign-in, and treats 401 as its cause only', async () => {
    const clock = fakeClock();
    const auth = slow(300, clock);
    const client = await connect({ url: `${origin}/mcp`, auth }, { probeTimeout: 50, idleTimeout: 100, clock });
    expect(seen.map(({ what }) => what)).toEqual(['server/discover', 'server/discover']);
    expect([auth.times, client.state]).toEqual([1, 'connected']);
    await client.close();
  });

  it('reports that it is signing in', async () => {
    let token = 'good';
    const auth: Authorizer = {
      getHeaders: async () => ({ authorization: `Bearer ${token}` }),
      async handleRefusal() {
        token = 'good';
        return true;
      },
    };
    const client = await connect({ url: `${origin}/mcp`, auth });
    const states: ConnectionState[] = [];
    client.on('state', state => states.push(state));
    token = 'bad';
    await client.callTool('hello');
    expect(states).toEqual(['signing-in', 'connected']);
    await client.close();
  });

  it('authorizes each request of a session, its stream and its end [auth.token.every-request]', async () => {
    const client = await connect({ url: `${origin}/mcp`, auth: 'good' }, { protocolVersion: '2025-06-18' });
    await client.callTool('hello');
    await client.close();
    expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['POST', 'GET', 'DELETE']));
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer good']));
  });

  it('signs in over HTTP+SSE too, however long it takes', async () => {
    const clock = fakeClock();
    const auth = slow(50, clock);
    const target: HttpTarget = { url: `${origin}/sse`, transport: 'http-sse', auth };
    const client = await connect(target, { protocolVersion: '2024-11-05', probeTimeout: 20, clock });
    await client.callTool('hello');
    await client.close();
    expect(seen.map(({ path }) => path)).toEqual(['/sse', '/sse', ...seen.slice(2).map(() => '/messages')]);
    expect(auth.times).toBe(1);
  });

  it('reports that the server refuses the configured token [auth.optional]', async () => {
    await expect(connect({ url: `${origin}/mcp`, auth: 'wrong' })).rejects.toMatchObject({ status: 401 });
    expect(seen).toHaveLength(1);
  });

  it('declares the extension by which it signs in', async () => {
    const auth = { ...slow(0), extensions: ['io.modelcontextprotocol/oauth-client-credentials'] };
    const bodies: string[] = [];
    const fetchLike: HttpTarget['fetch'] = (url, init) => {
      bodies.push(init.body ?? '');
      return fetch(url, init);
    };
    const client = await connect({ url: `${origin}/mcp`, auth, fetch: fetchLike });
    await client.close();
    expect(bodies[0]).toContain('"io.modelcontextprotocol/oauth-client-credentials":{}');
  });
});
