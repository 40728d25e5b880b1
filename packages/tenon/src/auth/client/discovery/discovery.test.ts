import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getIssuerMetadataUrls } from '../../oauth/authorization-server.js';
import { createBrowser, createFakeServers, ISSUER, issuerMetadata, RESOURCE, refusal } from '../fixtures/world.js';
import { signIn } from '../sign-in/sign-in.js';
import { getCanonicalResource, getResourceMetadataUrls, isResourceOf } from './protected-resource.js';

const ROOT = 'https://mcp.example.com/.well-known/oauth-protected-resource';
const prm = (issuer = ISSUER, resource = RESOURCE) => ({ json: { resource, authorization_servers: [issuer] } });

async function signedIn(routes: Parameters<typeof createFakeServers>[0], challenge = 'Bearer', more = {}) {
  const servers = createFakeServers(routes);
  const { redirect, visited } = createBrowser();
  const auth = signIn({ redirect, fetch: servers.fetch });
  const done = await auth.handleRefusal(refusal(challenge, more)).catch((error: unknown) => error);
  return { ...servers, visited, done };
}

describe('resource metadata', () => {
  it('come from the URL with the path first, then from the root [auth.prm.client-both-mechanisms auth.prm.client-fallback-order]', async () => {
    expect(getResourceMetadataUrls('https://a.example/x/y?z=1')).toEqual([
      'https://a.example/.well-known/oauth-protected-resource/x/y?z=1',
      'https://a.example/.well-known/oauth-protected-resource',
    ]);
    expect(getResourceMetadataUrls('https://a.example')).toEqual([
      'https://a.example/.well-known/oauth-protected-resource',
    ]);
    const { urls, done } = await signedIn({
      [`${ROOT}/mcp`]: { status: 404 },
      [ROOT]: prm(ISSUER, 'https://mcp.example.com'),
    });
    expect([done, urls().slice(0, 2)]).toEqual([true, [`${ROOT}/mcp`, ROOT]]);
  });

  it('come only from the URL in the challenge if it names one [auth.prm.client-prefers-header]', async () => {
    const there = 'https://mcp.example.com/meta/data';
    const challenge = `Bearer resource_metadata="${there}"`;
    expect((await signedIn({ [there]: prm() }, challenge)).urls()[0]).toBe(there);
    const several = `Basic realm="a", Bearer realm="proxy", DPoP algs="ES256", ${challenge}`;
    expect((await signedIn({ [there]: prm() }, several)).urls()[0]).toBe(there);
    const { done, urls } = await signedIn({ [there]: { status: 404 } }, challenge);
    expect(done).toMatchObject({ code: 'auth/no-resource-metadata', hint: expect.stringContaining('at the root') });
    expect(urls()).toEqual([there]);
  });

  it.each(['/meta/data', "'https://mcp.example.com/meta/data'", ''])(
    'come from the well-known URLs if the challenge names %j, which is no absolute URL',
    async there => {
      const { done, urls } = await signedIn({ [`${ROOT}/mcp`]: prm() }, `Bearer resource_metadata="${there}"`);
      expect(done).toBe(true);
      expect(urls()[0]).toBe(`${ROOT}/mcp`);
    },
  );

  it('name the member that is missing, if the document of the challenge has no `resource`', async () => {
    const there = 'https://mcp.example.com/meta/data';
    const document = { json: { authorization_servers: [ISSUER] } };
    const { done } = await signedIn({ [there]: document }, `Bearer resource_metadata="${there}"`);
    expect(done).toMatchObject({
      code: 'auth/no-resource-metadata',
      summary: 'the metadata of the resource has no `resource`',
      hint: `ask the operator of the server to set it to ${RESOURCE}`,
    });
  });

  it.each(['?tenant=1', '#part'])('tell both URLs apart if the resource differs only by %s', async rest => {
    const { done } = await signedIn({ [`${ROOT}/mcp`]: prm(ISSUER, `${RESOURCE}${rest}`) });
    expect(done).toMatchObject({
      code: 'auth/resource-mismatch',
      expected: RESOURCE,
      received: `${RESOURCE} with another query, fragment or user`,
    });
  });

  it('are refused when they belong to another server [auth.resource-prm-mismatch]', async () => {
    const { done, urls } = await signedIn({ [`${ROOT}/mcp`]: prm(ISSUER, 'https://evil.example.com/mcp') });
    expect(done).toMatchObject({
      code: 'auth/resource-mismatch',
      hint: expect.stringContaining('connect to the URL that the operator of the server published'),
    });
    expect(urls()).toEqual([`${ROOT}/mcp`]);
  });

  it.each([
    ['https://a.example/mcp', 'https://a.example/mcp', true],
    ['https://A.example:443/mcp/', 'https://a.example/mcp', true],
    ['https://a.example', 'https://a.example/mcp', true],
    ['https://a.example/t1', 'https://a.example/t1/mcp', true],
    ['https://a.example/t1', 'https://a.example/t10/mcp', false],
    ['https://a.example/other', 'https://a.example/mcp', false],
    ['http://a.example/mcp', 'https://a.example/mcp', false],
    ['https://a.example:8443/mcp', 'https://a.example/mcp', false],
    ['https://a.example/mcp#x', 'https://a.example/mcp', false],
    ['https://u@a.example/mcp', 'https://a.example/mcp', false],
    ['https://a.example/mcp?t=1', 'https://a.example/mcp', false],
    ['nonsense', 'https://a.example/mcp', false],
  ])('apply from %s to %s: %s', (resource, server, fits) => expect(isResourceOf(resource, server)).toBe(fits));

  it('always fit the canonical URI of the server, and never another origin', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.webUrl(), (server, other) => {
        expect(isResourceOf(getCanonicalResource(server), server)).toBe(true);
        if (new URL(server).origin !== new URL(other).origin) expect(isResourceOf(other, server)).toBe(false);
      }),
    );
  });

  it('are optional only when the server states that there are none', async () => {
    const { done, urls } = await signedIn({ [`${ROOT}/mcp`]: { status: 503 } });
    expect(done).toMatchObject({ code: 'auth/unreachable' });
    expect(urls()).toHaveLength(1);
  });
});

describe('authorization server metadata', () => {
  it('come from the URLs in the order of the specification [auth.as-metadata.order-with-path auth.as-metadata.order-without-path]', () => {
    expect(getIssuerMetadataUrls('https://a.example/t1')).toEqual([
      'https://a.example/.well-known/oauth-authorization-server/t1',
      'https://a.example/.well-known/openid-configuration/t1',
      'https://a.example/t1/.well-known/openid-configuration',
    ]);
    for (const issuer of ['https://a.example', 'https://a.example/']) {
      expect(getIssuerMetadataUrls(issuer)).toEqual([
        'https://a.example/.well-known/oauth-authorization-server',
        'https://a.example/.well-known/openid-configuration',
      ]);
    }
  });

  it('may be those of OpenID Connect [auth.as-metadata.client-oidc]', async () => {
    const { done } = await signedIn({
      [`${ISSUER}/.well-known/oauth-authorization-server`]: { status: 404 },
      [`${ISSUER}/.well-known/openid-configuration`]: { json: issuerMetadata() },
    });
    expect(done).toBe(true);
  });

  it.each([`${ISSUER}/`, 'https://AS.example.com', 'https://evil.example.com'])(
    'are refused when they belong to %s [auth.as-metadata-issuer-validated auth.as-metadata-issuer-mismatch-rejected]',
    async issuer => {
      const metadata = { ...issuerMetadata(), issuer };
      const { done, visited, urls } = await signedIn({
        [`${ISSUER}/.well-known/oauth-authorization-server`]: { json: metadata },
      });
      expect(done).toMatchObject({ code: 'auth/issuer-mismatch' });
      expect([visited, urls().length]).toEqual([[], 2]);
    },
  );

  it('come from the next authorization server if one has none [auth.prm.client-selects-server]', async () => {
    const { done, visited } = await signedIn({
      [`${ROOT}/mcp`]: { json: { resource: RESOURCE, authorization_servers: ['https://gone.example.com', ISSUER] } },
    });
    expect(done).toBe(true);
    expect(visited[0]?.origin).toBe(ISSUER);
  });
});

describe('a server without metadata', () => {
  const origin = 'https://mcp.example.com';
  const endpoints = {
    [`${ROOT}/mcp`]: { status: 404 },
    [`${origin}/register`]: { status: 201, json: { client_id: 'r' } },
    [`${origin}/token`]: { json: { access_token: 'a', token_type: 'Bearer' } },
  };

  it('counts as its own authorization server, at the default paths [auth.base-url.path-discarded auth.fallback.metadata-first auth.fallback.default-paths auth.discovery.version-header]', async () => {
    const { done, urls, visited, seen } = await signedIn(endpoints, 'Bearer', { protocolVersion: '2025-03-26' });
    expect(done).toBe(true);
    expect(visited[0]?.href).toMatch(`${origin}/authorize?`);
    expect(urls()).toContain(`${origin}/.well-known/oauth-authorization-server`);
    expect(seen[2]?.headers['mcp-protocol-version']).toBe('2025-03-26');
  });

  it.each([
    { status: 404 },
    { status: 401, headers: { 'www-authenticate': 'Bearer' } },
    { text: '<p>page for every path</p>' },
  ])('counts as one that accepts only tokens if its origin registers no client: %j', async registration => {
    const { done, visited } = await signedIn({ ...endpoints, [`${origin}/register`]: registration });
    expect(done).toMatchObject({ code: 'auth/no-issuer', hint: expect.stringContaining('pass a token') });
    expect(visited).toEqual([]);
  });

  it('refuses a registration as an authorization server', async () => {
    const refused = { status: 400, json: { error: 'invalid_redirect_uri' } };
    const { done } = await signedIn({ ...endpoints, [`${origin}/register`]: refused });
    expect(done).toMatchObject({ code: 'auth/registration' });
  });

  it('uses the endpoints that its authorization server metadata name [auth.fallback.metadata-first]', async () => {
    const metadata = { ...issuerMetadata(origin), authorization_endpoint: `${origin}/oauth/authorize` };
    const { visited } = await signedIn({
      ...endpoints,
      [`${origin}/.well-known/oauth-authorization-server`]: { json: metadata },
    });
    expect(visited[0]?.pathname).toBe('/oauth/authorize');
  });
});
