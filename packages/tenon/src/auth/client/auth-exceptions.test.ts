import { describe, expect, it } from 'vitest';
import type { AuthExceptions } from './auth-exceptions.js';
import { AS, failure, PRM, setUp } from './fixtures/signing.js';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  issuerMetadata,
  type Route,
  refusal,
  SERVER,
} from './fixtures/world.js';
import { clientCredentials } from './grants/client-credentials.js';
import { type SignInOptions, signIn } from './sign-in/sign-in.js';
import { memoryTokenStore } from './token-store.js';

const OTHER = 'https://login.example.org';
const withExceptions = (exceptions: AuthExceptions, more: SignInOptions = {}): SignInOptions => ({
  exceptions: { [SERVER]: exceptions },
  ...more,
});
const run = (routes: Record<string, Route>, exceptions: AuthExceptions, more: SignInOptions = {}) => {
  const setup = setUp(routes, withExceptions(exceptions, more));
  return { ...setup, done: setup.auth.handleRefusal(refusal()).catch((error: unknown) => error) };
};

describe('the option `exceptions`', () => {
  it.each([
    [{ [SERVER]: { ignoreIsuerSlash: true } }, 'unknown exception `ignoreIsuerSlash`'],
    [{ [SERVER]: { constructor: true } }, 'unknown exception'],
    [{ [SERVER]: { assumePkce: 'yes' } }, 'invalid exception `assumePkce`'],
    [{ [SERVER]: { issuer: 'atlassian' } }, 'invalid exception `issuer`'],
    [{ notes: {} }, 'invalid key of `exceptions`'],
  ])('refuses %j', (exceptions, text) => {
    expect(() => signIn({ exceptions: exceptions as never })).toThrow(text);
    expect(() => signIn({ exceptions: exceptions as never })).toThrow(failure('auth/options'));
  });

  it('applies to no other server', async () => {
    const { auth } = setUp(
      { [AS]: { json: { ...issuerMetadata(), issuer: `${ISSUER}/` } } },
      { exceptions: { 'https://other.example.com/mcp': { ignoreIssuerSlash: true } } },
    );
    await expect(auth.handleRefusal(refusal())).rejects.toEqual(failure('auth/issuer-mismatch'));
  });
});

describe('an issuer that differs by the slash of its root', () => {
  const slash = { [AS]: { json: { ...issuerMetadata(), issuer: `${ISSUER}/` } } };

  it('causes an error that names the exception and the attack', async () => {
    const { done } = run(slash, {});
    expect(await done).toMatchObject({
      code: 'auth/issuer-mismatch',
      hint: expect.stringMatching(/impersonate.*`exceptions\.ignoreIssuerSlash`/),
    });
  });

  it('is accepted as the metadata spell it, for credentials and for `iss`', async () => {
    const tokenStore = memoryTokenStore();
    const { done } = run(slash, { ignoreIssuerSlash: true }, { tokenStore });
    expect(await done).toBe(true);
    expect(await tokenStore.get(['client', `${ISSUER}/`])).toMatchObject({ id: 'registered-1' });
    expect(await tokenStore.get(['client', ISSUER])).toBeUndefined();
    expect(await tokenStore.get(['server', SERVER, 'registered'])).toMatchObject({ issuer: `${ISSUER}/` });
    for (const [iss, outcome] of [
      [`${ISSUER}/`, true],
      [ISSUER, 'auth/foreign-answer'],
    ] as const) {
      const { redirect } = createBrowser(answer => answer.set('iss', iss));
      const next = run(slash, { ignoreIssuerSlash: true }, { redirect });
      expect(await next.done.then(result => (result === true ? true : (result as { code: string }).code))).toBe(
        outcome,
      );
    }
  });

  it('is accepted with a client of either spelling, and restored by the next process', async () => {
    for (const issuer of [ISSUER, `${ISSUER}/`])
      expect(await run(slash, { ignoreIssuerSlash: true }, { client: { id: 'by-hand', issuer } }).done).toBe(true);
    const tokenStore = memoryTokenStore();
    await run(slash, { ignoreIssuerSlash: true }, { tokenStore }).done;
    const clock = { now: () => Date.now() + 3_590_000, elapsed: () => Date.now() + 3_590_000, after: () => () => {} };
    const later = setUp(slash, withExceptions({ ignoreIssuerSlash: true }, { tokenStore, clock }));
    expect(await headersOf(later.auth)).toEqual({ authorization: 'Bearer access-1' });
    expect(later.servers.tokenRequests()[0]?.get('grant_type')).toBe('refresh_token');
  });

  it.each([
    ['https://AS.example.com'],
    ['https://as.example.com:443/'],
    ['https://as.example.com//'],
    ['https://as.example.com/?'],
    ['https://as.example.com/x'],
    ['http://as.example.com/'],
  ])('does not cover %s', async issuer => {
    const { done, browser } = run({ [AS]: { json: { ...issuerMetadata(), issuer } } }, { ignoreIssuerSlash: true });
    expect(await done).toMatchObject({ code: 'auth/issuer-mismatch' });
    expect(browser.visited).toEqual([]);
  });

  it('does not cover an issuer with a path', async () => {
    const tenant = `${ISSUER}/tenant`;
    const routes = {
      [`${PRM}/mcp`]: { json: { resource: SERVER, authorization_servers: [tenant] } },
      [`${AS}/tenant`]: { json: { ...issuerMetadata(), issuer: `${tenant}/` } },
    };
    expect(await run(routes, { ignoreIssuerSlash: true }).done).toMatchObject({ code: 'auth/issuer-mismatch' });
  });
});

describe('an issuer that the resource does not name', () => {
  const document = (issuer: string, endpoints: string, more: object = {}) => ({
    json: { ...issuerMetadata(endpoints), issuer, ...more },
  });
  const tokens = (origin: string): Record<string, Route> => ({
    [`${origin}/register`]: { status: 201, json: { client_id: 'of-other' } },
    [`${origin}/token`]: { json: { access_token: 'other', token_type: 'Bearer', expires_in: 60, refresh_token: 'r' } },
  });

  it('causes an error that names the exception', async () => {
    const { done } = run({ [AS]: document(OTHER, OTHER) }, {});
    expect(await done).toMatchObject({
      code: 'auth/issuer-mismatch',
      hint: expect.stringMatching(/impersonate.*`exceptions\.issuer`/),
    });
  });

  it('is accepted where the metadata of the named issuer contain exactly it', async () => {
    const tokenStore = memoryTokenStore();
    const routes = { [AS]: document(OTHER, OTHER, { authorization_endpoint: `${ISSUER}/go` }), ...tokens(OTHER) };
    const { redirect } = createBrowser(answer => answer.set('iss', OTHER));
    const { done, auth } = run(routes, { issuer: OTHER }, { tokenStore, redirect });
    expect(await done).toBe(true);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer other' });
    const clock = { now: () => Date.now() + 59_000, elapsed: () => Date.now() + 59_000, after: () => () => {} };
    const later = setUp(routes, withExceptions({ issuer: OTHER }, { tokenStore, clock }));
    await headersOf(later.auth);
    expect(later.servers.urls()).toEqual([AS, `${OTHER}/token`]);
    expect(await run({ [AS]: document(`${OTHER}/`, OTHER) }, { issuer: OTHER }).done).toMatchObject({
      code: 'auth/issuer-mismatch',
    });
  });

  it('is accepted with its own metadata where the named issuer has others', async () => {
    const routes = { [`${OTHER}/.well-known/oauth-authorization-server`]: document(OTHER, OTHER), ...tokens(OTHER) };
    const { done, getRequests } = run(routes, { issuer: OTHER });
    expect(await done).toBe(true);
    expect(getRequests().get('client_id')).toBe('of-other');
  });

  it.each([
    ['at the origin of the server', 'https://mcp.example.com'],
    ['at its own origin', OTHER],
  ])('is accepted if the metadata of the resource name no issuer, with metadata %s', async (_, origin) => {
    const routes: Record<string, Route> = {
      [`${PRM}/mcp`]: { json: { resource: SERVER } },
      [`${origin}/.well-known/oauth-authorization-server`]: document(OTHER, OTHER),
      ...tokens(OTHER),
    };
    expect(await run(routes, { issuer: OTHER }).done).toBe(true);
    expect(await run(routes, {}).done).toMatchObject({
      code: 'auth/no-issuer',
      hint: expect.stringContaining('`exceptions.issuer`'),
    });
  });

  it('is accepted for a server without metadata, also with a client registered by hand', async () => {
    const routes: Record<string, Route> = {
      [`${PRM}/mcp`]: { status: 404 },
      'https://mcp.example.com/.well-known/oauth-authorization-server': document(OTHER, OTHER),
      ...tokens(OTHER),
    };
    expect(await run(routes, { issuer: OTHER }).done).toBe(true);
    const client = { id: 'by-hand', issuer: OTHER };
    expect(await run(routes, { issuer: OTHER }, { client }).done).toBe(true);
    expect(await run(routes, {}).done).toMatchObject({ code: 'auth/issuer-mismatch' });
  });

  it('shares no credentials with endpoints of another origin', async () => {
    const tokenStore = memoryTokenStore();
    await tokenStore.update(['client', OTHER], async () => ({
      next: { id: 'secret-client', secret: 'secret-of-other', redirects: ['http://127.0.0.1:8123/callback'] },
      result: undefined,
    }));
    const own = run({ [AS]: document(OTHER, ISSUER) }, { issuer: OTHER }, { tokenStore });
    expect(await own.done).toBe(true);
    expect(JSON.stringify(own.servers.seen)).not.toMatch(/secret-/);
    const client = { id: 'by-hand', secret: 'secret-of-other', issuer: OTHER };
    const byHand = run({ [AS]: document(OTHER, ISSUER) }, { issuer: OTHER }, { client });
    expect(await byHand.done).toMatchObject({ code: 'auth/issuer-mismatch' });
    expect(byHand.servers.tokenRequests()).toEqual([]);
  });

  it.each(['token_endpoint', 'registration_endpoint', 'revocation_endpoint'])(
    'is refused with a %s of another origin',
    async name => {
      const { done, browser } = run({ [AS]: document(OTHER, OTHER, { [name]: `${ISSUER}/x` }) }, { issuer: OTHER });
      expect(await done).toMatchObject({ code: 'auth/foreign-endpoint' });
      expect(browser.visited).toEqual([]);
    },
  );
});

describe('other exceptions', () => {
  const expiring = (): Record<string, Route> => {
    let count = 0;
    return {
      [`${ISSUER}/token`]: () => {
        count += 1;
        return { json: { access_token: `a-${count}`, token_type: 'Bearer', expires_in: 10, refresh_token: 'r' } };
      },
    };
  };
  const refreshed = async (exceptions: AuthExceptions) => {
    let now = 0;
    const clock = { now: () => now, elapsed: () => now, after: () => () => {} };
    const { done, auth, servers, getRequests } = run(expiring(), exceptions, {
      clock,
      scopes: ['notes:read', 'notes:write'],
    });
    expect(await done).toBe(true);
    now = 9_500;
    await headersOf(auth);
    return { request: getRequests(), tokenRequests: servers.tokenRequests() };
  };

  it('omits `resource` from every request', async () => {
    const sent = await refreshed({ omitResource: true });
    expect([sent.request, ...sent.tokenRequests].map(params => params.get('resource'))).toEqual([null, null, null]);
    const usual = await refreshed({});
    expect([usual.request, ...usual.tokenRequests].map(params => params.get('resource'))).toEqual([
      SERVER,
      SERVER,
      SERVER,
    ]);
    const servers = createFakeServers();
    const auth = clientCredentials({
      id: 'me',
      secret: 's',
      fetch: servers.fetch,
      exceptions: { [SERVER]: { omitResource: true } },
    });
    await auth.handleRefusal(refusal());
    expect(servers.tokenRequests()[0]?.has('resource')).toBe(false);
  });

  it('sends the scopes when it refreshes tokens', async () => {
    expect((await refreshed({ sendScopeOnRefresh: true })).tokenRequests[1]?.get('scope')).toBe(
      'notes:read notes:write',
    );
    expect((await refreshed({})).tokenRequests[1]?.has('scope')).toBe(false);
  });

  it('sends PKCE with S256 where the metadata do not name it', async () => {
    const without = (methods: unknown) => ({
      [AS]: { json: { ...issuerMetadata(), code_challenge_methods_supported: methods } },
    });
    for (const methods of [undefined, null]) {
      const { done, getRequests, servers } = run(without(methods), { assumePkce: true });
      expect(await done).toBe(true);
      expect(getRequests().get('code_challenge_method')).toBe('S256');
      expect(servers.tokenRequests()[0]?.has('code_verifier')).toBe(true);
    }
    for (const methods of [[], ['plain'], 'S256'])
      expect(await run(without(methods), { assumePkce: true }).done).toMatchObject({ code: 'auth/no-pkce' });
    expect(await run(without(undefined), {}).done).toMatchObject({
      code: 'auth/no-pkce',
      hint: expect.stringMatching(/intercepted.*`exceptions\.assumePkce`/),
    });
  });
});
