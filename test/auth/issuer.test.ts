/** Our client, our protected server and our issuer, on real ports. */
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createIssuer, type IssuerOptions } from '@tenon/issuer';
import { fakeClock } from '@tenon/testing';
import { connect, createServer, tool } from 'tenon';
import { type AuthorizerOptions, protect, type SignInOptions, signIn } from 'tenon/auth';
import { loopbackRedirect } from 'tenon/auth/node';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { afterEach, describe, expect, it } from 'vitest';
import { visit } from './issuer-visit.js';

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

/** Listens before it is known what answers, since the issuer has to know its port. */
async function listening(answer: (url: string) => ReturnType<typeof toNode>): Promise<string> {
  let handle: ReturnType<typeof toNode> | undefined;
  const http = createHttpServer((request, response) => handle?.(request, response));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  open.push(http);
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  handle = answer(url);
  return url;
}

async function setUp(options: Partial<IssuerOptions> = {}) {
  const scopes = { 'notes:read': 'read your notes', 'notes:write': 'change your notes' };
  const issuer = await listening(url =>
    toNode(createIssuer({ url, scopes, users: { ada: 'a password' }, ...options })),
  );
  const tools = {
    whoami: tool({ run: (_, { auth }) => `${auth?.principal} ${auth?.scopes}` }),
    token: tool({ run: (_, { auth }) => String(auth?.claims?.jti) }),
    write: tool({ scopes: ['notes:read', 'notes:write'], run: () => 'written' }),
  };
  const server = createServer({ name: 'notes', version: '1', tools });
  const base = await listening(url => {
    const auth = protect({
      resource: `${url}/mcp`,
      issuers: [issuer],
      scopes: ['notes:read'],
      tokenType: 'required',
      ...(options.clock ? { clock: options.clock } : {}),
    });
    return toNode(createHandler(server, { auth, path: '/mcp' }));
  });
  return { issuer, url: `${base}/mcp` };
}

function person(options: Partial<SignInOptions & AuthorizerOptions> = {}, answer = 'allow', seen = () => {}) {
  const redirect = loopbackRedirect({
    print: () => {},
    open: url => {
      seen();
      void visit(url.href, answer).catch(String);
    },
  });
  return signIn({ redirect, clientName: 'The Client', ...options });
}

const textOf = (result: unknown) => JSON.stringify(result);

describe('our client with our issuer', () => {
  it.each([
    ['a bearer token', {}],
    ['a token that is bound to its key', { dpop: true }],
  ])('registers, signs in, calls, and steps up with %s', async (_, options) => {
    const { issuer, url } = await setUp();
    const client = await connect({ url, auth: person(options) });
    expect(textOf(await client.callTool('whoami'))).toContain(`${issuer}|ada notes:read`);
    expect(textOf(await client.callTool('write'))).toContain('written');
    expect(textOf(await client.callTool('whoami'))).toContain('notes:write');
    await client.close();
  });

  it('refreshes its expired token without the user', async () => {
    const clock = fakeClock(Date.now());
    const { url } = await setUp({ clock });
    let visits = 0;
    const client = await connect({ url, auth: person({ clock }, 'allow', () => (visits += 1)) });
    const ids = new Set<string>();
    for (let times = 0; times < 3; times += 1) {
      ids.add(textOf(await client.callTool('token')));
      clock.advance(600_000);
    }
    expect([ids.size, visits]).toEqual([3, 1]);
    await client.close();
  });

  it('reports that the user denied', async () => {
    const { url } = await setUp();
    await expect(connect({ url, auth: person({}, 'deny') })).rejects.toMatchObject({ code: 'auth/denied' });
  });
});
