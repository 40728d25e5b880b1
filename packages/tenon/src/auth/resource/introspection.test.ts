import { inspect } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { bearer, createHolder, createIssuer, ISSUER, outcome, RESOURCE, type TestIssuer } from './fixtures/issuer.js';
import type { IntrospectionOptions } from './introspection.js';

let issuer: TestIssuer;
let sent: { url: string; authorization: string | undefined; body: string }[];
let says: object;
beforeEach(async () => {
  issuer = await createIssuer();
  sent = [];
  says = { active: true, sub: 'ada', aud: RESOURCE, scope: 'a b', exp: issuer.clock.now() / 1000 + 600 };
});

function protect(options: Partial<IntrospectionOptions> = {}, endpoint: string | null = `${ISSUER}/introspect`) {
  const introspection = {
    clientId: 'rs',
    clientSecret: 's&cret',
    ...(endpoint === null ? {} : { endpoint }),
    ...options,
  };
  return issuer.protect({
    introspection,
    fetch: async (url, init, guard) => {
      if (init.method === 'GET') return issuer.fetch(url, init, guard);
      if (issuer.down) throw new TypeError('fetch failed');
      sent.push({ url, authorization: init.headers.authorization, body: String(init.body) });
      return new Response(JSON.stringify(says), { headers: { 'content-type': 'application/json' } }) as never;
    },
  });
}

describe('introspection', () => {
  it('calls the issuer with client credentials, and caches its response for a while', async () => {
    const protection = protect();
    expect(await outcome(protection, bearer('opaque'))).toMatchObject({
      auth: { principal: `${ISSUER}|ada`, scopes: ['a', 'b'] },
    });
    expect(sent).toEqual([
      {
        url: `${ISSUER}/introspect`,
        authorization: `Basic ${btoa('rs:s%26cret')}`,
        body: 'token_type_hint=access_token&token=opaque',
      },
    ]);
    issuer.clock.advance(29_999);
    await outcome(protection, bearer('opaque'));
    expect(sent.length).toBe(1);
    says = { active: false };
    issuer.clock.advance(1);
    expect((await outcome(protection, bearer('opaque'))).status).toBe(401);
    expect(sent.length).toBe(2);
  });

  it('escapes only reserved characters in its credentials', async () => {
    await outcome(protect({ clientId: 'notes-server', clientSecret: 'a_b.c+d' }), bearer('opaque'));
    expect(sent[0]?.authorization).toBe(`Basic ${btoa('notes-server:a_b.c%2Bd')}`);
  });

  it('returns the expiry of the token, not of the cached response', async () => {
    const { auth } = await outcome(protect(), bearer('opaque'));
    expect(auth?.expiresAt).toBe(issuer.clock.now() + 600_000 + 30_000);
    says = { ...says, exp: undefined };
    expect((await outcome(protect(), bearer('opaque'))).auth?.expiresAt).toBeUndefined();
  });

  it('calls the issuer for each request with the option', async () => {
    const protection = protect({ ttl: 0 });
    await outcome(protection, bearer('opaque'));
    await outcome(protection, bearer('opaque'));
    expect(sent.length).toBe(2);
  });

  it('discovers the endpoint, and can send its credentials in the body', async () => {
    issuer.site.set(`${ISSUER}/.well-known/oauth-authorization-server`, {
      issuer: ISSUER,
      introspection_endpoint: `${ISSUER}/i`,
    });
    const introspection = protect({ clientMethod: 'client_secret_post' }, null);
    expect((await outcome(introspection, bearer('opaque'))).status).toBe(200);
    expect(sent[0]).toMatchObject({ url: `${ISSUER}/i`, body: expect.stringContaining('client_secret=s%26cret') });
  });

  it('reads `null` members as absent, and JSON with another content type, as clients do', async () => {
    const body = JSON.stringify({ ...says, exp: null, nbf: null, client_id: null });
    const introspection = { clientId: 'rs', clientSecret: 's', endpoint: `${ISSUER}/introspect` };
    const protection = issuer.protect({
      introspection,
      fetch: async () => new Response(body, { headers: { 'content-type': 'text/plain' } }) as never,
    });
    expect(await outcome(protection, bearer('opaque'))).toMatchObject({ auth: { principal: `${ISSUER}|ada` } });
  });

  it.each(['http://login.example.com/introspect', 'http://127.0.0.1/introspect'])(
    'sends no token to %s',
    async endpoint => {
      expect((await outcome(protect({}, endpoint), bearer('opaque'))).status).toBe(503);
      expect(sent).toEqual([]);
    },
  );

  it.each([
    ['is not active', { active: false }],
    ['has ended', { exp: 1 }],
    ['is not valid yet', { nbf: 9_999_999_999 }],
    ['is for another resource', { aud: 'https://other.example.com' }],
    ['is for this resource with a slash more', { aud: [`${RESOURCE}/`] }],
    ['is for several in one text', { aud: `${RESOURCE} https://b.example` }],
    ['is for nobody in particular', { aud: undefined }],
    ['is of another issuer', { iss: 'https://evil.example.com' }],
    ['is of nobody', { sub: undefined }],
    ['is a refresh token', { token_type: 'refresh_token' }],
    ['is a refresh token of Keycloak', { token_type: 'Bearer', typ: 'Refresh' }],
    ['is a refresh token of Hydra', { token_type: 'Bearer', token_use: 'refresh_token' }],
    ['is an ID token', { token_type: 'id_token' }],
    ['is an ID token of Keycloak', { typ: 'ID' }],
    ['is an ID token of Cognito', { token_use: 'id' }],
    ['is an ID token by its hashes', { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' }],
    ['is of a type that is no text', { token_type: ['Bearer'] }],
  ])('refuses a token that %s [auth.token.invalid-401 auth.token.audience-validated]', async (_, more) => {
    says = { ...says, ...more };
    expect((await outcome(protect(), bearer('opaque'))).status).toBe(401);
  });

  it.each([
    { token_type: 'Bearer' },
    { token_type: 'access_token' },
    { token_type: 'urn:ietf:params:oauth:token-type:access_token' },
    { token_type: 'bearer', typ: 'Bearer', token_use: 'access' },
    { typ: 'at+jwt', nonce: 'of an authentication' },
  ])('accepts an access token with %o', async more => {
    says = { ...says, ...more };
    expect((await outcome(protect(), bearer('opaque'))).status).toBe(200);
  });

  it('distinguishes a client that acts for itself from users', async () => {
    says = { ...says, sub: undefined, client_id: 'ada' };
    expect((await outcome(protect(), bearer('opaque'))).auth?.principal).toBe(`${ISSUER}#ada`);
  });

  it('requires DPoP for a bound token', async () => {
    const { jkt } = await createHolder(issuer.clock);
    says = { ...says, token_type: 'DPoP', cnf: { jkt } };
    expect((await outcome(protect(), bearer('opaque'))).status).toBe(401);
  });

  it('responds 503 when the issuer fails or sends nonsense, without naming the token', async () => {
    const notifications: string[] = [];
    const protection = issuer.protect({
      introspection: { clientId: 'rs', clientSecret: 'secret-of-rs', endpoint: `${ISSUER}/introspect` },
      onError: error => void notifications.push(inspect(error, { depth: 9, showHidden: true })),
    });
    issuer.site.set(`${ISSUER}/introspect`, { echoed: 'opaque-secret' });
    expect((await outcome(protection, bearer('opaque-secret'))).status).toBe(503);
    issuer.down = true;
    expect((await outcome(protection, bearer('opaque-secret'))).status).toBe(503);
    expect(notifications.length).toBe(2);
    expect(notifications.join()).not.toMatch(/opaque-secret|secret-of-rs/);
  });

  it('requires exactly one issuer', () => {
    const introspection = { clientId: 'rs', clientSecret: 's' };
    expect(() => issuer.protect({ introspection, issuers: [ISSUER, 'https://b.example'] })).toThrow(/introspection/);
  });
});
