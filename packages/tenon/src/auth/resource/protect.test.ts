import type { AuthInfo } from '@tenon/base';
import { parseChallenges } from '@tenon/base/oauth';
import { beforeEach, describe, expect, it } from 'vitest';
import { asks, bearer, createIssuer, ISSUER, outcome, RESOURCE, type TestIssuer } from './fixtures/issuer.js';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
let issuer: TestIssuer;
beforeEach(async () => {
  issuer = await createIssuer();
});

describe('a valid token', () => {
  it('identifies the caller and its scopes, and is not passed on [auth.token.validated]', async () => {
    const token = await issuer.token({ scope: 'notes:read notes:write', email: 'ada@example.com' });
    const { auth } = await outcome(issuer.protect(), bearer(token));
    expect(auth).toMatchObject({ principal: `${ISSUER}|ada`, scopes: ['notes:read', 'notes:write'] });
    expect(auth?.claims).toMatchObject({ email: 'ada@example.com' });
    expect(JSON.stringify(auth)).not.toContain(token.slice(-20));
    expect(Object.isFrozen(auth)).toBe(true);
  });

  it.each([
    ['scp as an array', { scope: undefined, scp: ['a', 'b'] }, ['a', 'b']],
    ['scp as a text', { scope: undefined, scp: 'a b' }, ['a', 'b']],
    ['none', { scope: undefined }, []],
  ])('contains its scopes in %s', async (_, claims, scopes) => {
    expect((await outcome(issuer.protect(), bearer(await issuer.token(claims)))).auth?.scopes).toEqual(scopes);
  });

  it('is accepted with several resources and issuers, with typ JWT, and within the clock tolerance', async () => {
    const other = await createIssuer('https://other.example.com/tenant');
    for (const [url, found] of other.site) issuer.site.set(url, found);
    const protection = issuer.protect({ issuers: [ISSUER, 'https://other.example.com/tenant'] });
    const now = issuer.clock.now() / 1000;
    const tokens = [
      await issuer.token({ aud: ['https://x.example', RESOURCE] }),
      await issuer.token({}, { typ: 'JWT' }),
      await issuer.token({}, { typ: undefined }),
      await issuer.token({}, { typ: 'application/at+jwt' }),
      await issuer.token({ exp: now - 29 }),
      await issuer.token({ nbf: now + 29 }),
      await other.token(),
    ];
    for (const token of tokens) expect((await outcome(protection, bearer(token))).status).toBe(200);
    expect((await outcome(protection, bearer(tokens[6] as string))).auth?.principal).toBe(
      'https://other.example.com/tenant|ada',
    );
  });

  it('is accepted until its expiry plus the clock tolerance', async () => {
    const exp = issuer.clock.now() / 1000 + 600;
    const until = async (options: Parameters<typeof issuer.protect>[0]) =>
      (await outcome(issuer.protect(options), bearer(await issuer.token({ exp })))).auth?.expiresAt;
    expect(await until({})).toBe(exp * 1000 + 30_000);
    expect(await until({ clockTolerance: 0 })).toBe(exp * 1000);
    expect(await until({ verify: () => ({ principal: 'ada', claims: { exp } }) })).toBe(exp * 1000);
    expect(await until({ verify: () => ({ principal: 'ada', expiresAt: 5, claims: { exp } }) })).toBe(5);
    expect(await until({ verify: () => ({ principal: 'ada' }) })).toBeUndefined();
  });

  it.each([
    ['no principal', { scopes: ['notes:read'] }],
    ['an empty principal', { principal: '' }],
    ['scopes that are a text', { principal: 'ada', scopes: 'r w' }],
    ['scopes in a set', { principal: 'ada', scopes: new Set(['r']) }],
    ['true', true],
  ])('fails with `auth/caller` if `verify` returns %s', async (_, result) => {
    const protection = issuer.protect({ verify: () => result as unknown as AuthInfo });
    await expect(outcome(protection, bearer('t'))).rejects.toMatchObject({
      code: 'auth/caller',
      message: expect.stringContaining('the result of `verify`'),
    });
  });

  it('is accepted with any case of the scheme', async () => {
    const token = await issuer.token();
    for (const authorization of [`bearer ${token}`, `BEARER  ${token} `]) {
      expect((await outcome(issuer.protect(), asks({ authorization }))).status).toBe(200);
    }
  });

  it('is accepted for another audience of the resource, with the principal of another claim', async () => {
    const protection = issuer.protect({
      issuers: [{ issuer: ISSUER, audience: 'api://notes' }],
      principal: ({ oid }) => oid as string,
    });
    const token = await issuer.token({ aud: 'api://notes', oid: '7' });
    expect((await outcome(protection, bearer(token))).auth?.principal).toBe('7');
    expect((await outcome(protection, bearer(await issuer.token()))).status).toBe(401);
  });
});

describe('protect()', () => {
  it('responds 401 without a token, with metadata URL and scopes, and without an error [auth.token.missing-401 auth.prm.header-on-401 auth.prm.header-or-well-known auth.scope.in-401 auth.status.401]', async () => {
    const protection = issuer.protect({ scopes: ['notes:read', 'offline_access'] });
    for (const headers of [{}, { authorization: 'Basic YTpi' }]) {
      const { status, challenge = '' } = await outcome(protection, asks(headers));
      expect(status).toBe(401);
      expect(parseChallenges(challenge)).toEqual([
        { scheme: 'bearer', params: { scope: 'notes:read', resource_metadata: METADATA } },
      ]);
    }
    // [auth.offline-access-not-by-resource]
    expect([...protection.documents.values()].join()).not.toContain('offline_access');
  });

  it('explains in the body how to get a token when it is missing', async () => {
    const { body = '' } = await outcome(issuer.protect(), asks({}));
    expect(JSON.parse(body).error.message).toBe(
      `${RESOURCE}: the request has no access token. Expected the header "Authorization: Bearer <token>". ` +
        `Sign in at an authorization server that ${METADATA} names, and send its token.`,
    );
    const proven = await outcome(issuer.protect({ dpop: 'required' }), asks({}));
    expect(proven.body).toContain('Authorization: DPoP <token>');
  });

  it.each([
    ['expired', { exp: 1 }, {}, 'expired'],
    ['not valid yet', { nbf: 9_999_999_999 }, {}, 'not valid yet'],
    ['for another', { aud: 'https://mcp.example.com/mcp/' }, {}, 'this resource'],
    ['for nobody', { aud: undefined }, {}, 'this resource'],
    ['of nobody', { sub: undefined }, {}, 'does not name its principal'],
    ['that is an ID token', { token_use: 'id' }, {}, 'not an access token'],
    ['that is a refresh token', { typ: 'Refresh' }, { typ: 'JWT' }, 'not an access token'],
    ['without an end', { exp: undefined }, {}, 'exp'],
    ['of an issuer that is not trusted', { iss: 'https://evil.example.com' }, {}, 'not trusted'],
    ['an ID token of back-channel logout', {}, { typ: 'logout+jwt' }, 'not an access token'],
    ['bound by TLS', { cnf: { 'x5t#S256': 'x' } }, {}, 'unsupported method'],
    ['bound by nonsense', { cnf: 7 }, {}, 'unsupported method'],
  ])(
    'responds 401 invalid_token: %s [auth.token.invalid-401 auth.token.error-form auth.token.audience-validated auth.token.no-other-tokens auth.token.server-own-resources-only security.token.issued-for-server-only]',
    async (_, claims, header, why) => {
      const token = await issuer.token(claims, header);
      const { status, challenge = '', body = '' } = await outcome(issuer.protect(), bearer(token));
      expect(status).toBe(401);
      const [result] = parseChallenges(challenge);
      expect(result).toMatchObject({
        scheme: 'bearer',
        params: { error: 'invalid_token', resource_metadata: METADATA },
      });
      expect(result?.params.error_description).toContain(why);
      expect(challenge + body).not.toContain(token.split('.')[2]);
    },
  );

  it('names no claim for a token with an invalid signature', async () => {
    const [header, , signature] = (await issuer.token()).split('.');
    const [, claims] = (await issuer.token({ sub: 'another' })).split('.');
    const { challenge = '' } = await outcome(issuer.protect(), bearer([header, claims, signature].join('.')));
    expect(parseChallenges(challenge)[0]?.params).toMatchObject({
      error: 'invalid_token',
      error_description: 'The token is not valid',
    });
  });

  it('names the reason for a token with an unaccepted algorithm', async () => {
    const protection = issuer.protect({ algorithms: ['RS256'] });
    const { status, challenge = '' } = await outcome(protection, bearer(await issuer.token()));
    expect(status).toBe(401);
    expect(parseChallenges(challenge)[0]?.params.error_description).toBe(
      'The signature algorithm of the token is not accepted',
    );
  });

  it("refuses typ JWT with `tokenType: 'required'`", async () => {
    const protection = issuer.protect({ tokenType: 'required' });
    expect((await outcome(protection, bearer(await issuer.token({}, { typ: 'JWT' })))).status).toBe(401);
    expect((await outcome(protection, bearer(await issuer.token({}, { typ: undefined })))).status).toBe(401);
    expect((await outcome(protection, bearer(await issuer.token()))).status).toBe(200);
  });

  it.each(['Bearer', 'Bearer a b', 'Bearer a,b', 'DPoP', 'Bearer ä', `Bearer ${'a'.repeat(20_000)}`])(
    'responds 400 invalid_request to malformed requests (%#) [auth.status.400]',
    async authorization => {
      const { status, challenge = '' } = await outcome(issuer.protect(), asks({ authorization }));
      expect(status).toBe(400);
      expect(parseChallenges(challenge)[0]?.params.error).toBe('invalid_request');
    },
  );

  it('responds 403 to a token without a required scope, with all of these [auth.status.403 auth.scope.insufficient-403]', async () => {
    const protection = issuer.protect({ scopes: ['notes:read', 'notes:list'] });
    const { status, challenge = '' } = await outcome(protection, bearer(await issuer.token()));
    expect(status).toBe(403);
    expect(parseChallenges(challenge)[0]?.params).toMatchObject({
      error: 'insufficient_scope',
      scope: 'notes:read notes:list',
      resource_metadata: METADATA,
    });
  });

  it('accepts a broader scope that includes the required one [auth.scope-hierarchy]', async () => {
    const scopeHierarchy = { admin: ['notes:write'], 'notes:write': ['notes:read', 'admin'] };
    const protection = issuer.protect({ scopes: ['notes:read'], scopeHierarchy });
    const { auth } = await outcome(protection, bearer(await issuer.token({ scope: 'admin' })));
    expect(auth?.scopes).toEqual(['admin', 'notes:write', 'notes:read']);
  });
});

describe('the option `verify`', () => {
  it('runs for each token, and accepts or refuses it', async () => {
    let requestCount = 0;
    const verify = (token: string) => {
      requestCount += 1;
      return token === 'good' ? { principal: 'me', scopes: ['a'] } : undefined;
    };
    const protection = issuer.protect({ verify, scopeHierarchy: { a: ['b'] } });
    expect(await outcome(protection, bearer('good'))).toMatchObject({ auth: { principal: 'me', scopes: ['a', 'b'] } });
    expect((await outcome(protection, bearer('good'))).status).toBe(200);
    expect((await outcome(protection, bearer('bad'))).status).toBe(401);
    expect(requestCount).toBe(3);
  });
});

describe('the metadata of a resource', () => {
  it('are served at the path of the resource and at the root [auth.prm.served auth.prm.authorization-servers auth.prm.well-known-location]', () => {
    const { documents } = issuer.protect({
      name: 'Notes',
      metadata: { resource_documentation: 'https://x.example', resource: 'no' },
    });
    expect([...documents.keys()]).toEqual([
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource',
    ]);
    for (const text of documents.values()) {
      expect(JSON.parse(text)).toEqual({
        resource: RESOURCE,
        resource_name: 'Notes',
        resource_documentation: 'https://x.example',
        authorization_servers: [ISSUER],
        bearer_methods_supported: ['header'],
        dpop_signing_alg_values_supported: expect.arrayContaining(['ES256', 'EdDSA']),
        dpop_bound_access_tokens_required: false,
      });
    }
  });

  it('contain the exact resource, and only the required scopes [security.scope.minimal auth.scope.server-consistent]', () => {
    const resource = 'https://MCP.example.com:443/';
    const { documents } = issuer.protect({ resource, scopes: ['a', 'offline_access'], dpop: false });
    expect([...documents.keys()]).toEqual(['/.well-known/oauth-protected-resource']);
    expect(JSON.parse([...documents.values()][0] as string)).toEqual({
      resource,
      authorization_servers: [ISSUER],
      scopes_supported: ['a'],
      bearer_methods_supported: ['header'],
    });
  });
});

describe('protect() with invalid options', () => {
  it.each([
    ['a resource that is no URL', { resource: 'notes' }],
    ['a resource without TLS', { resource: 'http://mcp.example.com/mcp' }],
    ['a resource with a fragment', { resource: `${RESOURCE}#a` }],
    ['no issuer', { issuers: [] }],
    ['an issuer without TLS', { issuers: ['http://login.example.com'] }],
    ['keys without TLS', { issuers: [{ issuer: ISSUER, jwksUri: 'http://login.example.com/jwks' }] }],
    ['a shared secret', { algorithms: ['HS256'] }],
    ['no signature', { algorithms: ['none'] }],
    ['a window of an hour', { dpop: { maxProofAge: 3_600_000 } }],
    ['introspection with an empty secret', { introspection: { clientId: 'server', clientSecret: '' } }],
    ['introspection with an empty client id', { introspection: { clientId: '', clientSecret: 'secret' } }],
  ])('refuses %s [dpop.iat-window]', (_, options) => {
    expect(() => issuer.protect(options)).toThrow(expect.objectContaining({ code: 'auth/options' }));
  });

  it.each([
    ['clockTolerance', Number.NaN],
    ['clockTolerance', -1],
    ['tokenCacheTtl', Number.NaN],
    ['tokenCacheSize', -1],
    ['tokenType', 'Required'],
    ['dpop', 'require'],
    ['dpop', { required: 'yes' }],
    ['scopes', 'notes:read'],
    ['scopeHierarchy', { admin: 'notes:read' }],
    ['verify', 'verify'],
    ['principal', 'sub'],
    ['onError', 'log'],
    ['fetch', 'fetch'],
    ['name', 5],
    ['metadata', 'text'],
    ['stores', { values: {} }],
    ['clock', {}],
    ['introspection', 'https://login.example.com/introspect'],
    ['introspection', { clientId: 'server', clientSecret: 'secret', endpoint: 5 }],
    ['introspection', { clientId: 'server', clientSecret: 'secret', clientMethod: 'basic' }],
    ['algorithms', 'RS256'],
    ['dpop', { algorithms: 'ES256' }],
    ['dpop', { nonces: 'yes' }],
    ['introspection', { clientId: 'server', clientSecret: 'secret', ttl: Number.NaN }],
    ['algorithms', []],
    ['algorithms', ['RS265']],
    ['dpop', { algorithms: [] }],
    ['dpop', { algorithms: ['HS256'] }],
    ['dpop', { nonces: { keys: [] } }],
    ['dpop', { nonces: { keys: [new Uint8Array(31)] } }],
    ['dpop', { nonces: { ttl: 0 } }],
  ])('refuses %s: %j, and names the option', (name, value) => {
    const options = Object.fromEntries([[name, value]]);
    expect(() => issuer.protect(options)).toThrow(
      expect.objectContaining({ code: 'auth/options', message: expect.stringContaining(name) }),
    );
  });

  it.each([
    ['scopes', ['notes:read notes:write']],
    ['scopes', ['']],
    ['scopeHierarchy', { 'admin all': ['notes:read'] }],
    ['scopeHierarchy', { admin: ['notes:read "a"'] }],
  ])('refuses an invalid scope in %s: %j', (name, value) => {
    expect(() => issuer.protect(Object.fromEntries([[name, value]]))).toThrow(
      expect.objectContaining({ code: 'auth/scope', summary: `invalid scope of \`${name}\` of protect` }),
    );
  });

  it('accepts a window of five minutes, and no more', () => {
    expect(() => issuer.protect({ dpop: { maxProofAge: 300_000 } })).not.toThrow();
    expect(() => issuer.protect({ dpop: { maxProofAge: 300_001 } })).toThrow('maxProofAge');
  });

  it('needs no TLS on this machine', () => {
    expect(() =>
      issuer.protect({ resource: 'http://127.0.0.1:3000/mcp', issuers: ['http://localhost:4000'] }),
    ).not.toThrow();
  });
});
