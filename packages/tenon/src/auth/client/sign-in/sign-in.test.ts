import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { AS, failure, PRM, setUp } from '../fixtures/signing.js';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  insist,
  issuerMetadata,
  refusal,
  SERVER,
} from '../fixtures/world.js';
import { memoryTokenStore } from '../token-store.js';
import { signIn } from './sign-in.js';

describe('signIn', () => {
  it('sends nothing before the server requests authorization [auth.optional]', async () => {
    const { auth, servers } = setUp();
    expect(await headersOf(auth)).toEqual({});
    expect(servers.seen).toEqual([]);
  });

  it('leads from a 401 to a token in the header [auth.client.parses-www-authenticate auth.prm.client-uses auth.as-metadata.client-rfc8414 auth.token.bearer-header auth.client-id-required auth.token.not-in-query]', async () => {
    const { auth, servers } = setUp();
    expect(await auth.handleRefusal(refusal())).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
    expect(servers.urls()).toEqual([`${PRM}/mcp`, AS, `${ISSUER}/register`, `${ISSUER}/token`]);
  });

  it('sends a PKCE verifier with S256 [auth.pkce.required auth.pkce.s256 auth.issuer-recorded auth.redirect.client-registered]', async () => {
    const { auth, servers, getRequests, browser } = setUp();
    await auth.handleRefusal(refusal());
    expect(getRequests().get('code_challenge_method')).toBe('S256');
    const verifier = servers.tokenRequests()[0]?.get('code_verifier') ?? '';
    const digest = createHash('sha256').update(verifier).digest();
    expect(getRequests().get('code_challenge')).toBe(digest.toString('base64url'));
    expect(JSON.parse(servers.seen[2]?.body ?? '').redirect_uris).toEqual([browser.uri]);
  });

  it('sends the exact resource in both requests [auth.resource.in-both-requests auth.resource.identifies-server auth.resource.always-sent auth.resource.most-specific]', async () => {
    const resource = 'https://MCP.example.com:443/mcp/';
    const prm = { resource: resource.replace('/mcp/', ''), authorization_servers: [ISSUER] };
    const { auth, servers, getRequests } = setUp({ [`${PRM}/mcp`]: { status: 404 }, [PRM]: { json: prm } });
    await auth.handleRefusal(refusal());
    expect(getRequests().get('resource')).toBe('https://MCP.example.com:443');
    expect(servers.tokenRequests()[0]?.get('resource')).toBe('https://MCP.example.com:443');
  });

  it.each([
    ['https://MCP.Example.com/mcp', 'https://mcp.example.com/mcp'],
    ['https://mcp.example.com/', 'https://mcp.example.com'],
    ['https://mcp.example.com/mcp#x', 'https://mcp.example.com/mcp'],
  ])(
    'sends %s as its canonical URI where it has no metadata [auth.resource.canonical-form auth.resource.no-trailing-slash auth.resource.case-tolerant]',
    async (server, resource) => {
      const { auth, getRequests } = setUp({
        [`${PRM}/mcp`]: { status: 404 },
        'https://mcp.example.com/register': { status: 201, json: { client_id: 'x' } },
        'https://mcp.example.com/token': { json: { access_token: 'a', token_type: 'Bearer' } },
      });
      await auth.handleRefusal(refusal('Bearer', { url: server, server }));
      expect(getRequests().get('resource')).toBe(resource);
    },
  );

  it('ignores a response with another state, or none [auth.redirect.state-verified]', async () => {
    for (const change of [(a: URLSearchParams) => a.set('state', 'x'), (a: URLSearchParams) => a.delete('state')]) {
      const { auth, servers } = setUp({}, { redirect: createBrowser(change).redirect });
      await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/foreign-answer'));
      expect(servers.tokenRequests()).toEqual([]);
    }
  });

  it('reports the reason when the user denies', async () => {
    const { redirect } = createBrowser(answer => {
      answer.delete('code');
      answer.set('error', 'access_denied');
    });
    const { auth } = setUp({}, { redirect });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/denied',
      received: 'access_denied',
    });
  });

  it('reports that a user has to sign in when no redirect is available', async () => {
    const servers = createFakeServers();
    await expect(signIn({ fetch: servers.fetch }).handleRefusal(refusal())).rejects.toEqual(failure('auth/needs-user'));
  });

  it('accepts a redirect URI of loopback or HTTPS only [auth.security.redirect-localhost-or-https]', async () => {
    const redirect = { begin: async () => ({ uri: 'http://example.com/cb', authorize: async () => '', close() {} }) };
    await expect(setUp({}, { redirect }).auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/redirect-uri'));
  });

  it('refuses an authorization server without PKCE [auth.pkce.support-verified auth.pkce.refused-when-absent]', async () => {
    for (const methods of [undefined, ['plain'], 'S256']) {
      const { auth, browser } = setUp({
        [AS]: { json: { ...issuerMetadata(), code_challenge_methods_supported: methods } },
      });
      await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/no-pkce'));
      expect(browser.visited).toEqual([]);
    }
  });

  it('shares one sign-in among all requests that need it', async () => {
    const { auth, browser } = setUp();
    expect(await Promise.all([1, 2, 3].map(() => auth.handleRefusal(refusal())))).toEqual([true, true, true]);
    expect(browser.visited).toHaveLength(1);
  });

  it('starts no sign-in for the end of a session, and none after a denial', async () => {
    const { redirect, visited } = createBrowser(answer => answer.set('state', ''));
    const { auth } = setUp({}, { redirect });
    expect(await auth.handleRefusal(refusal('Bearer', { method: 'DELETE' }))).toBe(false);
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/foreign-answer'));
    expect(await auth.handleRefusal(refusal('Bearer', { method: 'GET' }))).toBe(false);
    expect(visited).toHaveLength(1);
  });

  it('rejects when fresh tokens are refused too', async () => {
    const { auth, browser } = setUp();
    await expect(insist(auth, 'Bearer')).rejects.toEqual(failure('auth/rejected'));
    expect(browser.visited).toHaveLength(1);
  });

  it('aborts with the request that needed it', async () => {
    const controller = new AbortController();
    let aborted = false;
    const redirect = {
      begin: async () => ({
        uri: 'http://127.0.0.1:1/cb',
        authorize: (_url: URL, signal: AbortSignal) =>
          new Promise<string>((_, reject) => {
            signal.addEventListener('abort', () => {
              aborted = true;
              reject(signal.reason);
            });
            setImmediate(() => controller.abort(new Error('enough')));
          }),
        close() {},
      }),
    };
    const { auth } = setUp({}, { redirect });
    const wait = auth.handleRefusal(refusal('Bearer', { signal: controller.signal }));
    await expect(wait).rejects.toThrow('enough');
    await expect.poll(() => aborted).toBe(true);
  });

  it('sends no token over plain http to another machine [auth.token.own-server-only]', async () => {
    const { auth } = setUp();
    await expect(headersOf(auth, 'http://mcp.example.com/mcp')).rejects.toEqual(failure('auth/insecure-server'));
  });

  it('separates servers [auth.token.own-server-only auth.multiple-as-no-assumption]', async () => {
    const { auth } = setUp();
    await auth.handleRefusal(refusal());
    expect(await headersOf(auth, 'https://other.example.com/mcp')).toEqual({});
  });
});

describe('signOut', () => {
  it('deletes and revokes the tokens', async () => {
    const metadata = { ...issuerMetadata(), revocation_endpoint: `${ISSUER}/revoke` };
    const tokenStore = memoryTokenStore();
    const { auth, servers } = setUp({ [AS]: { json: metadata }, [`${ISSUER}/revoke`]: { text: '' } }, { tokenStore });
    await auth.handleRefusal(refusal());
    await auth.signOut?.();
    expect(await headersOf(auth)).toEqual({});
    const revoked = servers.seen
      .filter(({ url }) => url.endsWith('/revoke'))
      .map(({ body }) => new URLSearchParams(body).get('token'));
    expect(revoked).toEqual(['refresh-1', 'access-1']);
    expect(await headersOf(signIn({ tokenStore, fetch: servers.fetch }), SERVER)).toEqual({});
  });

  it('rejects when the revocation fails, and still deletes the tokens', async () => {
    const metadata = { ...issuerMetadata(), revocation_endpoint: `${ISSUER}/revoke` };
    const { auth } = setUp({ [AS]: { json: metadata }, [`${ISSUER}/revoke`]: { status: 503, text: '' } });
    await auth.handleRefusal(refusal());
    await expect(auth.signOut?.()).rejects.toEqual(failure('auth/not-revoked'));
    expect(await headersOf(auth)).toEqual({});
  });
});
