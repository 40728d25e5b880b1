/** Attempts of a server to send the user to sign-in pages without end, or to collect scopes. */

import { clientCredentials, memoryTokenStore, type SignInOptions, signIn } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  insist,
  issuerMetadata,
  refusal,
  resourceMetadata,
  SERVER,
} from '../../../packages/tenon/src/auth/client/fixtures/world.js';

const AS = `${ISSUER}/.well-known/oauth-authorization-server`;
const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const tooMany = expect.objectContaining({ code: 'auth/too-many-sign-ins' });

function setUp(options: SignInOptions = {}, routes: Parameters<typeof createFakeServers>[0] = {}) {
  const servers = createFakeServers(routes);
  const browser = createBrowser();
  let now = 1_000_000;
  const clock = { now: () => now, elapsed: () => now, after: () => () => {} };
  const auth = signIn({ redirect: browser.redirect, fetch: servers.fetch, clock, ...options });
  return { auth, servers, visited: browser.visited, advance: (ms: number) => (now += ms) };
}

/** One call that the server answers with 403 and another scope each time. */
async function demandScopes({ auth }: ReturnType<typeof setUp>, call: number): Promise<unknown> {
  const request = {};
  for (let times = 0; times < 10; times += 1) {
    const challenge = `Bearer error="insufficient_scope", scope="s${call}-${times}"`;
    const sentHeaders = await headersOf(auth);
    const again = await auth
      .handleRefusal(refusal(challenge, { status: 403, sentHeaders, request }))
      .catch(error => error);
    if (again !== true) return again;
  }
  return 'endless';
}

describe('a server that requests sign-ins repeatedly', () => {
  it('opens at most 5 pages in 10 minutes with another scope in each 403', async () => {
    const on = setUp();
    await on.auth.handleRefusal(refusal());
    const ends: unknown[] = [];
    for (let call = 0; call < 10; call += 1) ends.push(await demandScopes(on, call));
    expect(on.visited).toHaveLength(5);
    expect(ends.at(-1)).toMatchObject({ code: 'auth/too-many-sign-ins', peer: SERVER });
    on.advance(599_999);
    expect(await demandScopes(on, 10)).toEqual(tooMany);
    on.advance(1);
    expect(await demandScopes(on, 11)).not.toEqual(tooMany);
    expect(on.visited.length).toBeGreaterThan(5);
  });

  it('opens at most 5 pages in 10 minutes by refusing every fresh token', async () => {
    const { auth, visited } = setUp();
    for (let call = 0; call < 10; call += 1) await insist(auth, 'Bearer').catch(() => {});
    expect(visited).toHaveLength(5);
    await expect(insist(auth, 'Bearer')).rejects.toEqual(tooMany);
  });

  it('opens at most 5 pages in 10 minutes with another authorization server each time', async () => {
    const { auth, visited, servers } = setUp();
    for (let call = 0; call < 10; call += 1) {
      const issuer = `https://as${call}.example.com`;
      servers.routes[PRM] = { json: { ...resourceMetadata, authorization_servers: [issuer] } };
      servers.routes[`${issuer}/.well-known/oauth-authorization-server`] = { json: issuerMetadata(issuer) };
      servers.routes[`${issuer}/register`] = { status: 201, json: { client_id: 'c' } };
      await auth.handleRefusal(refusal('Bearer', { sentHeaders: await headersOf(auth) })).catch(() => {});
    }
    expect(visited).toHaveLength(5);
  });

  it('does not prevent a sign-in to another server', async () => {
    const other = 'https://other.example.com/mcp';
    const { auth, visited } = setUp(
      { limits: { maxSignIns: 1 } },
      {
        'https://other.example.com/.well-known/oauth-protected-resource/mcp': {
          json: { resource: other, authorization_servers: [ISSUER] },
        },
      },
    );
    await auth.handleRefusal(refusal());
    await expect(insist(auth, 'Bearer')).rejects.toEqual(expect.objectContaining({ code: 'auth/too-many-sign-ins' }));
    expect(await auth.handleRefusal(refusal('Bearer', { url: other, server: other }))).toBe(true);
    expect(visited).toHaveLength(2);
  });

  it('is limited by configured numbers', async () => {
    const on = setUp({ limits: { maxSignIns: 2, window: 60_000 } });
    for (let call = 0; call < 4; call += 1) await insist(on.auth, 'Bearer').catch(() => {});
    expect(on.visited).toHaveLength(2);
    on.advance(60_000);
    await insist(on.auth, 'Bearer').catch(() => {});
    expect(on.visited).toHaveLength(3);
  });

  it('is not limited by sign-ins that never opened a page', async () => {
    const { auth, servers, visited } = setUp();
    servers.routes[AS] = { status: 503, text: '' };
    for (let call = 0; call < 10; call += 1) await auth.handleRefusal(refusal()).catch(() => {});
    servers.routes[AS] = { json: issuerMetadata() };
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect(visited).toHaveLength(1);
  });
});

describe('scopes beyond the `scope` option', () => {
  it('are refused without a page for a 403', async () => {
    const { auth, visited } = setUp({ scopes: 'notes:read notes:write' });
    await auth.handleRefusal(refusal('Bearer scope="notes:read"'));
    const challenge = 'Bearer error="insufficient_scope", scope="notes:write admin"';
    const wait = auth.handleRefusal(refusal(challenge, { status: 403, sentHeaders: await headersOf(auth) }));
    await expect(wait).rejects.toMatchObject({
      code: 'auth/insufficient-scope',
      expected: 'admin',
      hint: expect.stringContaining('`scopes`'),
    });
    expect(visited).toHaveLength(1);
  });

  it('are not requested for a 401 and the resource', async () => {
    const described = { [PRM]: { json: { ...resourceMetadata, scopes_supported: ['admin', 'root'] } } };
    const { auth, visited } = setUp({ scopes: ['notes:read'] }, described);
    await auth.handleRefusal(refusal('Bearer scope="notes:read admin"'));
    expect(visited[0]?.searchParams.get('scope')).toBe('notes:read');
  });

  it('are not requested again after those of an earlier process', async () => {
    const tokenStore = memoryTokenStore();
    const { auth, servers } = setUp({ tokenStore });
    await auth.handleRefusal(refusal('Bearer scope="admin"'));
    const browser = createBrowser();
    const later = signIn({ tokenStore, redirect: browser.redirect, fetch: servers.fetch, scopes: 'notes:read' });
    const request = {};
    // The first refusal spends the refresh token, the second one brings the user to the page.
    for (let times = 0; times < 2; times += 1)
      await later.handleRefusal(refusal('Bearer scope="admin"', { request, sentHeaders: await headersOf(later) }));
    expect(browser.visited[0]?.searchParams.get('scope')).toBe('notes:read');
  });

  it('are refused to machines too', async () => {
    const servers = createFakeServers();
    const auth = clientCredentials({ id: 'me', secret: 's', scopes: 'report', fetch: servers.fetch });
    await auth.handleRefusal(refusal('Bearer scope="report"'));
    const challenge = 'Bearer error="insufficient_scope", scope="admin"';
    const wait = auth.handleRefusal(refusal(challenge, { status: 403, sentHeaders: await headersOf(auth) }));
    await expect(wait).rejects.toMatchObject({ code: 'auth/insufficient-scope' });
    expect(servers.tokenRequests().map(each => each.get('scope'))).toEqual(['report']);
  });

  it('exclude `offline_access`, which `offline` controls', async () => {
    const metadata = { [AS]: { json: { ...issuerMetadata(), scopes_supported: ['a', 'offline_access'] } } };
    const { auth, visited } = setUp({ scopes: 'a' }, metadata);
    await auth.handleRefusal(refusal('Bearer scope="a offline_access"'));
    const present = setUp({ scopes: 'a', offline: false }, metadata);
    await present.auth.handleRefusal(refusal('Bearer scope="a offline_access"'));
    expect([visited, present.visited].map(([page]) => page?.searchParams.get('scope'))).toEqual([
      'a offline_access',
      'a',
    ]);
  });
});
