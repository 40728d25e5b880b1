import { describe, expect, it } from 'vitest';
import { failure } from '../fixtures/signing.js';
import { createFakeServers, headersOf, ISSUER, issuerMetadata, refusal } from '../fixtures/world.js';
import { memoryTokenStore, type TokenStore } from '../token-store.js';
import { getIssuerPath, type IssuerConfirmation } from './issuer-redirect.js';
import { manualRedirect, type Redirect } from './redirect.js';
import { type SignInOptions, signIn } from './sign-in.js';

const EVIL = 'https://evil.example.com';
const DOCUMENT = 'https://me.example/client.json';
const FIXED = 'http://127.0.0.1:8123/callback';

/**
 * Creates two servers, each with its authorization server. The page of the second redirects the browser to the first,
 * with its client there and any change of the request.
 */
function createServers(metadata: object = {}, evilMetadata: object = {}) {
  return createFakeServers({
    [`${ISSUER}/.well-known/oauth-authorization-server`]: { json: { ...issuerMetadata(), ...metadata } },
    'https://evil.example.com/.well-known/oauth-protected-resource/mcp': {
      json: { resource: `${EVIL}/mcp`, authorization_servers: [EVIL] },
    },
    [`${EVIL}/.well-known/oauth-authorization-server`]: { json: { ...issuerMetadata(EVIL), ...evilMetadata } },
    [`${EVIL}/register`]: { status: 201, json: { client_id: 'of-evil' } },
    [`${EVIL}/token`]: { json: { access_token: 'evil', token_type: 'Bearer' } },
  });
}

const createFixedRedirect = (visit: (url: URL, uri: string) => string, uri = FIXED): Redirect => ({
  begin: async () => ({ uri, authorize: async url => visit(url, uri), close() {} }),
});
const respond = (url: URL, uri: string, more = '') =>
  `${uri}?code=code-1&state=${url.searchParams.get('state')}${more}`;

function setUp(options: SignInOptions & { tokenStore?: TokenStore } = {}, servers = createServers()) {
  const auth = signIn({ redirect: createFixedRedirect(respond), fetch: servers.fetch, ...options });
  const visit = (server = EVIL) =>
    auth.handleRefusal(refusal('Bearer', { url: `${server}/mcp`, server: `${server}/mcp` }));
  const sentToEvil = () => servers.seen.filter(({ url }) => url === `${EVIL}/token`);
  return { auth, servers, visit, sentToEvil, tokenStore: options.tokenStore };
}

const HONEST = 'https://mcp.example.com';

describe('a client that registers itself', () => {
  it('uses a different redirect URI at each authorization server', async () => {
    const uris: string[] = [];
    const ask = (url: string) => {
      const uri = new URL(url).searchParams.get('redirect_uri') ?? '';
      uris.push(uri);
      return respond(new URL(url), uri);
    };
    const { visit, servers } = setUp({ redirect: manualRedirect({ ask }) });
    expect([await visit(HONEST), await visit()]).toEqual([true, true]);
    expect(uris.map(uri => new URL(uri).pathname)).toEqual([
      `/callback/${getIssuerPath(ISSUER)}`,
      `/callback/${getIssuerPath(EVIL)}`,
    ]);
    const registered = servers.seen.filter(({ url }) => url.endsWith('/register')).map(({ body }) => JSON.parse(body));
    expect(registered.map(({ redirect_uris: [uri] }) => uri)).toEqual(uris);
  });

  it('refuses a response at the redirect URI of another authorization server', async () => {
    const ask = (url: string) => respond(new URL(url), `${FIXED.replace('8123', '8765')}/${getIssuerPath(ISSUER)}`);
    const { visit, sentToEvil } = setUp({ redirect: manualRedirect({ ask }) });
    await expect(visit()).rejects.toEqual(failure('auth/callback'));
    expect(sentToEvil()).toEqual([]);
  });

  it('refuses a query without the URL that it was pasted from', async () => {
    const ask = (url: string) => respond(new URL(url), '').slice(1);
    const { visit, sentToEvil } = setUp({ redirect: manualRedirect({ ask }) });
    await expect(visit()).rejects.toMatchObject({ code: 'auth/callback', hint: expect.stringContaining('whole URL') });
    expect(sentToEvil()).toEqual([]);
    const withIssuer = (url: string) => `${respond(new URL(url), '').slice(1)}&iss=${encodeURIComponent(ISSUER)}`;
    expect(await setUp({ redirect: manualRedirect({ ask: withIssuer }) }).visit(HONEST)).toBe(true);
  });

  it('registers again if its stored redirect URI is not that of the authorization server alone', async () => {
    const tokenStore = memoryTokenStore();
    const stored = { id: 'of-0.1.0', redirects: ['http://127.0.0.1:8765/callback'], method: 'none' };
    await tokenStore.update(['client', ISSUER], async () => ({ next: stored, result: undefined }));
    const ask = (url: string) => respond(new URL(url), new URL(url).searchParams.get('redirect_uri') ?? '');
    const { visit, servers } = setUp({ redirect: manualRedirect({ ask }), tokenStore });
    await visit(HONEST);
    expect(new URLSearchParams(servers.tokenRequests()[0]).get('client_id')).toBe('registered-1');
  });
});

describe('a redirect URI that two authorization servers share', () => {
  it('refuses a response without `iss` if the user confirms nothing', async () => {
    const { visit, sentToEvil } = setUp();
    expect(await visit(HONEST)).toBe(true);
    await expect(visit()).rejects.toEqual(failure('auth/shared-redirect'));
    expect(sentToEvil()).toEqual([]);
  });

  it('is recognized on another port of loopback, and in another process', async () => {
    const tokenStore = memoryTokenStore();
    await setUp({ tokenStore }).visit(HONEST);
    const redirect = createFixedRedirect(respond, FIXED.replace('8123', '9'));
    await expect(setUp({ tokenStore, redirect }).visit()).rejects.toEqual(failure('auth/shared-redirect'));
    const other = createFixedRedirect(respond, 'https://me.example/callback');
    expect(await setUp({ tokenStore, redirect: other }).visit()).toBe(true);
  });

  it.each([
    [true, true],
    [false, 'auth/issuer-not-confirmed'],
  ])('asks the user for the host, who responds %s', async (answer, outcome) => {
    const requests: IssuerConfirmation[] = [];
    const { visit, sentToEvil } = setUp({
      confirmIssuer(confirmation) {
        requests.push(confirmation);
        return answer;
      },
    });
    expect(await visit().catch(error => error.code)).toBe(outcome);
    expect(requests).toEqual([{ server: `${EVIL}/mcp`, issuer: EVIL, host: 'evil.example.com' }]);
    expect(sentToEvil()).toHaveLength(answer ? 1 : 0);
  });

  it('asks the user for host and path of an issuer that has a path, because another issuer may have the same host', async () => {
    const issuer = `${EVIL}/tenant-a`;
    const servers = createFakeServers({
      [`${EVIL}/.well-known/oauth-protected-resource/mcp`]: {
        json: { resource: `${EVIL}/mcp`, authorization_servers: [issuer] },
      },
      [`${EVIL}/.well-known/oauth-authorization-server/tenant-a`]: { json: issuerMetadata(issuer) },
      [`${issuer}/register`]: { status: 201, json: { client_id: 'of-tenant-a' } },
    });
    const hosts: string[] = [];
    const confirmIssuer = ({ host }: IssuerConfirmation) => hosts.push(host) === 0;
    await expect(setUp({ confirmIssuer }, servers).visit()).rejects.toEqual(failure('auth/issuer-not-confirmed'));
    expect(hosts).toEqual(['evil.example.com/tenant-a']);
  });

  it('accepts a response with `iss`, and compares it', async () => {
    const answer = (iss: string) =>
      createFixedRedirect((url, uri) => respond(url, uri, `&iss=${encodeURIComponent(iss)}`));
    const tokenStore = memoryTokenStore();
    await setUp({ tokenStore }).visit(HONEST);
    const foreign = setUp({ tokenStore, redirect: answer(ISSUER) });
    await expect(foreign.visit()).rejects.toEqual(failure('auth/foreign-answer'));
    expect(foreign.sentToEvil()).toEqual([]);
    expect(await setUp({ tokenStore, redirect: answer(EVIL) }).visit()).toBe(true);
  });

  it('accepts every response of an issuer that the user named', async () => {
    const tokenStore = memoryTokenStore();
    await setUp({ tokenStore, clientMetadataUrl: DOCUMENT }).visit();
    const { visit, auth } = setUp({ tokenStore, client: { id: 'by-hand', issuer: ISSUER } });
    expect(await visit(HONEST)).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
  });

  it('includes that of a metadata document, also before a second authorization server used it', async () => {
    const document = { client_id_metadata_document_supported: true };
    const world = () => createServers(document, document);
    const options = { clientMetadataUrl: DOCUMENT };
    expect(
      await setUp({ ...options, confirmIssuer: () => false }, world())
        .visit()
        .catch(error => error.code),
    ).toBe('auth/issuer-not-confirmed');
    // A response without `iss` is no reason to refuse a sign-in if nothing else is.
    expect(await setUp(options, world()).visit()).toBe(true);
  });
});
