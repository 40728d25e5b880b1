import { fakeClock } from '@tenon/testing';
import { connect } from 'tenon';
import { type ProtectOptions, protect } from 'tenon/auth';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHolder } from '../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { RESOURCE_SERVER, type RealIssuer, startIssuer } from './real-issuer.js';
import { type Fields, notes, visitor } from './served.js';

let issuer: RealIssuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());

/** A protected server on a port, by the clock of the world as far as it is not told otherwise. */
async function start(options: Partial<ProtectOptions> = {}, path = '/mcp') {
  const port = await findFreePort();
  const resource = `http://127.0.0.1:${port}${path}`;
  const { server, ran } = notes();
  const clock = fakeClock(Date.now());
  const auth = protect({ resource, issuers: [issuer.url], clock, onError: () => {}, ...options });
  const http = await serveHttp(server, { port, path, auth });
  const token = async (scope: string, of = resource): Promise<Fields> => ({
    authorization: `Bearer ${(await issuer.token(of, scope)).token}`,
  });
  return { http, ran, resource, clock, token, ...visitor(request => fetch(request), resource) };
}

let on: Awaited<ReturnType<typeof start>>;
const open: HttpServer[] = [];
const serve = async (...given: Parameters<typeof start>) => {
  on = await start(...given);
  open.push(on.http);
};
afterAll(() => Promise.all(open.map(http => http.close({ timeout: 0 }))));

const call = (name: string) => ({ name, arguments: {} });

describe('a server with the tokens of oidc-provider, over HTTP', () => {
  beforeEach(() => serve());

  it('accepts calls by scope, stateless and in a session [auth.token.validated auth.scope.insufficient-403]', async () => {
    const read = await on.token('notes:read');
    const session = await on.open(read);
    expect((await on.alone('tools/call', call('whoami'), read)).text).toContain(`${issuer.url}|machine`);
    for (const name of ['read', 'write']) {
      const status = name === 'read' ? 200 : 403;
      expect((await on.alone('tools/call', call(name), read)).status).toBe(status);
      expect((await on.within(session, 'tools/call', call(name), read)).status).toBe(status);
    }
    const write = await on.token('notes:read notes:write');
    expect((await on.within(session, 'tools/call', call('write'), write)).status).toBe(200);
    expect(on.ran).toEqual(['read', 'read', 'write']);
  });

  it('refuses a token for another server [auth.token.audience-validated]', async () => {
    const other = await on.token('notes:read', 'https://other.example.com/mcp');
    const { status, challenge } = await on.alone('tools/call', call('read'), other);
    expect([status, challenge?.params.error_description]).toEqual([401, 'The token was not issued for this resource']);
  });

  it('continues sessions while keys rotate: it finds the next key, and refuses the last one', async () => {
    const before = await on.token('notes:read');
    const session = await on.open(before);
    await issuer.rotate();
    const after = await on.token('notes:read');
    expect((await on.within(session, 'tools/call', call('read'), after)).status).toBe(200);
    expect((await on.alone('tools/call', call('read'), after)).status).toBe(200);
    on.clock.advance(5 * 60_000);
    expect((await on.within(session, 'tools/call', call('read'), before)).status).toBe(401);
    expect((await on.within(session, 'tools/call', call('read'), after)).status).toBe(200);
  });

  it('accepts calls of our client on every version', async () => {
    const headers = await on.token('notes:read');
    for (const protocolVersion of ['2025-06-18', '2026-07-28']) {
      const client = await connect({ url: on.resource, headers }, { protocolVersion });
      const result = await client.call('tools/call', call('whoami'));
      expect(JSON.stringify(result)).toContain('|machine');
      await expect(client.call('tools/call', call('write'))).rejects.toMatchObject({ status: 403, rpcCode: 403 });
      await client.close();
    }
  });
});

describe('a server with DPoP tokens of oidc-provider', () => {
  it('accepts calls with proofs, and not without', async () => {
    await serve({ clock: fakeClock(Date.now()), dpop: 'required' });
    const holder = await createHolder(on.clock);
    const atIssuer = await holder.proof('', { htu: `${issuer.url}/token`, ath: undefined });
    const { token, type } = await issuer.token(on.resource, 'notes:read', { headers: { dpop: atIssuer } });
    expect(type).toBe('DPoP');
    const prove = async (): Promise<Fields> => ({
      authorization: `DPoP ${token}`,
      dpop: await holder.proof(token, { htu: on.resource }),
    });
    expect((await on.alone('tools/call', call('read'), await prove())).status).toBe(200);
    const session = await on.open(await prove());
    // Notifications and requests have proofs of their own: the one that opened the session was used up.
    expect(session).not.toBe('');
    expect((await on.within(session, 'tools/call', call('read'), await prove())).status).toBe(200);
    expect((await on.within(session, 'tools/call', call('read'), { authorization: `Bearer ${token}` })).status).toBe(
      401,
    );
    expect((await on.alone('tools/call', call('read'), await on.token('notes:read'))).status).toBe(401);
  });
});

describe('a server with opaque tokens of oidc-provider', () => {
  it('introspects them', async () => {
    await serve({ introspection: RESOURCE_SERVER }, '/opaque');
    const headers = await on.token('notes:read');
    expect(headers.authorization).not.toContain('.');
    expect((await on.alone('tools/call', call('read'), headers)).status).toBe(200);
    expect((await on.alone('tools/call', call('write'), headers)).status).toBe(403);
    const made = { authorization: 'Bearer made-up' };
    expect((await on.alone('tools/call', call('read'), made)).challenge?.params.error).toBe('invalid_token');
  });
});
