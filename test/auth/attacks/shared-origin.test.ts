/** Attempts of one server to receive tokens that were obtained for another server of the same origin. */

import { clientCredentials, memoryTokenStore, signIn } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  type Route,
  refusal,
} from '../../../packages/tenon/src/auth/client/fixtures/world.js';

const ORIGIN = 'https://mcp.example.com';
const GOOD = `${ORIGIN}/good/mcp`;
const EVIL = `${ORIGIN}/evil/mcp`;
const WELL_KNOWN = `${ORIGIN}/.well-known/oauth-protected-resource`;
/** A document that the evil server serves below its own path. */
const OWN = `${EVIL}/metadata`;

const describing = (resource: string) => ({ json: { resource, authorization_servers: [ISSUER] } });
const refusalOf = (server: string, challenge = 'Bearer') => refusal(challenge, { url: server, server });
const naming = `Bearer resource_metadata="${OWN}"`;

function setUp(routes: Record<string, Route>) {
  const servers = createFakeServers(routes);
  const browser = createBrowser();
  const tokenStore = memoryTokenStore();
  const start = () => signIn({ tokenStore, redirect: browser.redirect, fetch: servers.fetch });
  return { servers, browser, start };
}

describe('a server that names the resource of its origin', () => {
  it('gets no token of another server at the origin, and the user signs in for it [auth.token.own-server-only]', async () => {
    const { browser, start } = setUp({ [WELL_KNOWN]: describing(ORIGIN) });
    const auth = start();
    await auth.handleRefusal(refusalOf(GOOD));
    expect(await headersOf(auth, EVIL)).toEqual({});
    expect(await auth.handleRefusal(refusalOf(EVIL))).toBe(true);
    expect(browser.visited).toHaveLength(2);
    expect(await headersOf(auth, GOOD)).toEqual({ authorization: 'Bearer access-1' });
    expect(await headersOf(auth, EVIL)).toEqual({ authorization: 'Bearer access-2' });
  });

  it('gets no token from the store of another process either', async () => {
    const { browser, start } = setUp({ [WELL_KNOWN]: describing(ORIGIN) });
    await start().handleRefusal(refusalOf(GOOD));
    const later = start();
    expect(await headersOf(later, EVIL)).toEqual({});
    await later.handleRefusal(refusalOf(EVIL));
    expect(browser.visited).toHaveLength(2);
    expect(await headersOf(start(), GOOD)).toEqual({ authorization: 'Bearer access-1' });
  });

  it('gets no token when a machine signs in for both', async () => {
    const servers = createFakeServers({ [WELL_KNOWN]: describing(ORIGIN) });
    const auth = clientCredentials({ id: 'me', secret: 's', tokenStore: memoryTokenStore(), fetch: servers.fetch });
    await auth.handleRefusal(refusalOf(GOOD));
    await auth.handleRefusal(refusalOf(EVIL));
    expect(await headersOf(auth, GOOD)).toEqual({ authorization: 'Bearer access-1' });
    expect(await headersOf(auth, EVIL)).toEqual({ authorization: 'Bearer access-2' });
  });

  it.each([
    ['in a document of its own', naming, { [OWN]: describing(ORIGIN) }],
    ['at its own well-known place', 'Bearer', { [`${WELL_KNOWN}/evil/mcp`]: describing(ORIGIN) }],
    ['against the document of the origin', naming, { [OWN]: describing(ORIGIN), [WELL_KNOWN]: describing(GOOD) }],
    ['as a part of its path', naming, { [OWN]: describing(`${ORIGIN}/evil`) }],
  ])('is refused when it names the origin %s', async (_, challenge, routes) => {
    const { browser, start } = setUp(routes);
    await expect(start().handleRefusal(refusalOf(EVIL, challenge))).rejects.toMatchObject({
      code: 'auth/resource-mismatch',
    });
    expect(browser.visited).toEqual([]);
  });

  it('is accepted when the document of the origin names it too, and that document decides', async () => {
    const foreign = { json: { resource: ORIGIN, authorization_servers: ['https://evil.example.com'] } };
    const { browser, start, servers } = setUp({ [OWN]: foreign, [WELL_KNOWN]: describing(ORIGIN) });
    expect(await start().handleRefusal(refusalOf(EVIL, naming))).toBe(true);
    expect(browser.visited[0]?.origin).toBe(ISSUER);
    expect(servers.urls().slice(0, 2)).toEqual([OWN, WELL_KNOWN]);
  });
});
