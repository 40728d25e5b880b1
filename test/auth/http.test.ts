import { createServer as listenOn } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import { describe, expect, it } from 'vitest';
import { ISSUER, RESOURCE } from '../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { notes, served } from './served.js';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

describe('metadata documents', () => {
  it('are readable for everyone, from any page [auth.prm.served auth.prm.well-known-location auth.prm.authorization-servers]', async () => {
    const { send } = await served();
    for (const path of [`${WELL_KNOWN}/mcp`, WELL_KNOWN]) {
      const { status, headers, text } = await send({ path, headers: { origin: 'https://inspector.example.org' } });
      expect(status).toBe(200);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('content-type')).toBe('application/json');
      expect(JSON.parse(text)).toMatchObject({ resource: RESOURCE, authorization_servers: [ISSUER] });
    }
  });

  it('support GET, HEAD and OPTIONS, and no other methods', async () => {
    const { send } = await served();
    const path = `${WELL_KNOWN}/mcp`;
    const response = await send({
      path,
      method: 'OPTIONS',
      headers: { 'access-control-request-headers': 'mcp-protocol-version' },
    });
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'accept, content-type, mcp-protocol-version',
    ]);
    expect(await send({ path, method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await send({ path, method: 'POST' })).status).toBe(405);
    expect((await send({ path: `${WELL_KNOWN}/other` })).status).toBe(401);
  });
});

describe('a protected server', () => {
  it('refuses requests without a token at every address, in a session or stateless [auth.each-request-authenticated auth.token.missing-401 auth.prm.header-on-401 auth.token.no-data-to-unauthorized wif.rs-baseline]', async () => {
    const { alone, within, open, send, bearer, ran } = await served();
    const token = await bearer();
    const session = await open(token);
    const params = { name: 'read', arguments: {} };
    const refused = [
      await alone('tools/call', params, {}),
      await alone('server/discover', {}, {}),
      await within(session, 'tools/call', params, {}),
      await within(session, 'ping', {}, { authorization: 'Bearer x.y.z' }),
      await send({ headers: { 'mcp-session-id': session } }),
      await send({ method: 'DELETE', headers: { 'mcp-session-id': session } }),
      await send({ path: '/sse' }),
      await send({ path: '/messages?sessionId=x', method: 'POST' }),
    ];
    for (const { status, challenge, text } of refused) {
      expect(status).toBe(401);
      expect(challenge?.params.resource_metadata).toBe(`https://mcp.example.com${WELL_KNOWN}/mcp`);
      expect(text).not.toContain('result');
    }
    expect(ran).toEqual([]);
    expect((await within(session, 'tools/call', params, token)).status).toBe(200);
  });

  it('continues a session with another token of the same user, and refuses an expired one', async () => {
    const { within, open, bearer, issuer } = await served();
    const first = await bearer({ exp: issuer.clock.now() / 1000 + 60 });
    const session = await open(first);
    issuer.clock.advance(120_000);
    const params = { name: 'whoami', arguments: {} };
    expect((await within(session, 'tools/call', params, first)).status).toBe(401);
    expect((await within(session, 'tools/call', params, await bearer())).status).toBe(200);
  });

  it('declares configured authorization extensions [ext-client-credentials.server-advertises]', async () => {
    const id = 'io.modelcontextprotocol/oauth-client-credentials';
    const { alone, bearer } = await served({}, { extensions: [{ id }] });
    const { body } = await alone('server/discover', {}, await bearer());
    expect(body.result).toMatchObject({ capabilities: { extensions: { [id]: {} } } });
  });

  it('calls `authorize` too, with the caller', async () => {
    const { issuer } = await served();
    const handler = createHandler(notes().server, {
      auth: issuer.protect(),
      path: '/mcp',
      authorize: ({ auth }) =>
        auth?.claims?.tenant === 'a' ? { auth: { ...auth, principal: 'ada' } } : { status: 403 },
      allowedHosts: '*',
    });
    const ask = async (claims?: object) =>
      handler(
        new Request(RESOURCE, { headers: claims ? { authorization: `Bearer ${await issuer.token(claims)}` } : {} }),
      );
    expect((await ask()).status).toBe(401);
    expect((await ask({ tenant: 'b' })).status).toBe(403);
    expect((await ask({ tenant: 'a' })).status).toBe(405);
  });

  it('sends pages of allowed origins the headers for a sign-in', async () => {
    const { issuer } = await served();
    const cors = { origins: ['https://app.example.org'] };
    const handler = createHandler(notes().server, { auth: issuer.protect(), path: '/mcp', allowedHosts: '*', cors });
    const origin = { origin: 'https://app.example.org' };
    const refused = await handler(new Request(RESOURCE, { headers: origin }));
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-expose-headers')).toMatch(/www-authenticate, dpop-nonce/);
    const preflight = await handler(new Request(RESOURCE, { method: 'OPTIONS', headers: origin }));
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization.*dpop/);
  });
});

describe('a protected server in Express', () => {
  it.each<[string, (app: ReturnType<typeof express>, handler: ReturnType<typeof toNode>) => unknown]>([
    ['at the root', (app, handler) => app.use((...given) => handler(...given))],
    ['at the paths', (app, handler) => app.all('/mcp', handler).all(`${WELL_KNOWN}{/*path}`, handler)],
    ['below mounts', (app, handler) => app.use(WELL_KNOWN, handler).use('/mcp', handler)],
  ])('serves the documents %s', async (_, mount) => {
    const { issuer } = await served();
    const app = express();
    const path = _ === 'below mounts' ? '/' : '/mcp';
    mount(app, toNode(createHandler(notes().server, { auth: issuer.protect(), path })));
    const http = listenOn(app as never);
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    try {
      for (const document of [`${WELL_KNOWN}/mcp`, WELL_KNOWN]) {
        expect(await (await fetch(origin + document)).json()).toMatchObject({ resource: RESOURCE });
      }
      expect((await fetch(`${origin}/mcp`, { method: 'POST' })).status).toBe(401);
      expect((await fetch(`${origin}/else`)).status).toBe(404);
    } finally {
      await new Promise(resolve => http.close(resolve));
    }
  });
});
