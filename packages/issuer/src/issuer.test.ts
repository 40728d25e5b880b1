import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { memoryStores, TenonError, type Values } from 'tenon';
import { describe, expect, it } from 'vitest';
import {
  BACK,
  createFormRequest,
  ISSUER,
  openTestIssuer,
  RESOURCE,
  readPage,
  type TestIssuer,
  type Tokens,
  verifier,
} from './fixtures/visitor.js';
import { createIssuer } from './index.js';

const SECRET = 'a secret that is long enough';
const machine = { id: 'machine', secret: SECRET, machine: true };
const basic = { authorization: `Basic ${btoa(`machine:${encodeURIComponent(SECRET)}`)}` };
const bySelf = { grant_type: 'client_credentials', resource: RESOURCE };

const keysOf = async (testIssuer: TestIssuer) =>
  createLocalJWKSet((await (await testIssuer.send('/jwks')).json()) as JSONWebKeySet);
const located = (response: Response) => new URL(response.headers.get('location') ?? 'about:blank');

describe('createIssuer', () => {
  it('serves its metadata at the three URLs [auth.as-metadata.rfc8414-or-oidc-provided auth.iss-advertised]', async () => {
    const url = 'https://login.example.com/tenant';
    const testIssuer = openTestIssuer({ url });
    for (const path of [
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ]) {
      const response = await testIssuer.issuer(new Request(ISSUER + path));
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toMatchObject({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        client_id_metadata_document_supported: true,
      });
    }
  });

  it('answers HEAD for its documents without a body, and refuses it for other paths', async () => {
    const testIssuer = openTestIssuer();
    const answers = ['/.well-known/oauth-authorization-server', '/jwks', '/authorize'].map(async path => {
      const response = await testIssuer.send(path, { method: 'HEAD' });
      return [response.status, response.headers.get('allow'), await response.text()];
    });
    expect(await Promise.all(answers)).toEqual([
      [200, null, ''],
      [200, null, ''],
      [405, 'GET', ''],
    ]);
  });

  it('shows pages to browsers, and sends JSON to programs, while its store does not respond or `allowRequest` refuses', async () => {
    const stores = memoryStores();
    let down = false;
    const values: Values = {
      ...stores.values,
      get: key => (down ? Promise.reject(new TenonError('store/unavailable', 'down')) : stores.values.get(key)),
      put: (...args) =>
        down ? Promise.reject(new TenonError('store/unavailable', 'down')) : stores.values.put(...args),
    };
    const errors: string[] = [];
    const onError = ({ code }: TenonError) => void errors.push(code);
    const testIssuer = openTestIssuer({ stores: { ...stores, values }, onError });
    const page = await readPage(await testIssuer.ask());
    down = true;
    const limited = openTestIssuer({ allowRequest: () => ({ retryAfter: 7_000 }) });
    const responses = [
      await testIssuer.ask(),
      await testIssuer.answer(page),
      await limited.ask(),
      await testIssuer.send('/token', createFormRequest({ grant_type: 'refresh_token', client_id: 'x' })),
      await limited.send('/token', createFormRequest({ grant_type: 'refresh_token', client_id: 'x' })),
    ];
    expect(
      responses.map(({ status, headers }) => [status, headers.get('content-type'), headers.get('retry-after')]),
    ).toEqual([
      [500, 'text/html; charset=utf-8', null],
      [500, 'text/html; charset=utf-8', null],
      [429, 'text/html; charset=utf-8', '7'],
      [500, 'application/json', null],
      [429, 'application/json', '7'],
    ]);
    expect(await responses[0]?.text()).toContain('go back to the program and start again');
    expect(errors).toEqual(['store/unavailable', 'store/unavailable', 'store/unavailable']);
  });

  it.each([
    ['http: beyond this machine', { url: 'http://login.example.com' }],
    ['a query', { url: 'https://login.example.com?a=b' }],
    ['no URL', { url: 'login' }],
    ['nobody to sign in beyond this machine', { url: ISSUER }],
    [
      'a redirect URI of a script',
      { url: 'http://localhost:1', clients: [{ id: 'a', redirects: ['javascript:alert(1)'] }] },
    ],
    ['a machine without a secret', { url: 'http://localhost:1', clients: [{ id: 'a', machine: true }] }],
    ['a client without an ID', { url: 'http://localhost:1', clients: JSON.parse('[{}]') }],
    [
      'a misspelt member of a client',
      { url: 'http://localhost:1', clients: JSON.parse('[{ "id": "a", "redirectUris": ["https://a.example/cb"] }]') },
    ],
    [
      'a redirect URI in place of a list',
      { url: 'http://localhost:1', clients: JSON.parse('[{ "id": "a", "redirects": "https://a.example/cb" }]') },
    ],
    ['a limit that does not exist', { url: 'http://localhost:1', limits: JSON.parse('{ "maxSignIns": 1 }') }],
    ['a resource that is no URL', { url: 'http://localhost:1', resources: ['notes'] }],
    ['a password that is missing', { url: 'http://localhost:1', users: JSON.parse('{ "ada": null }') }],
    ['a text as users', { url: 'http://localhost:1', users: JSON.parse('""') }],
    ['a life of no time', { url: 'http://localhost:1', accessTokenTtl: 0 }],
    ['the scheme of a script', { url: 'http://localhost:1', redirectSchemes: ['javascript'] }],
    ['a scheme with a colon', { url: 'http://localhost:1', redirectSchemes: ['vscode:'] }],
    ['a text for documents', { url: 'http://localhost:1', clientMetadataDocuments: JSON.parse('"no"') }],
    ['a scope without a description', { url: 'http://localhost:1', scopes: JSON.parse('{ "notes:read": true }') }],
    ['stores without values', { url: 'http://localhost:1', stores: JSON.parse('{}') }],
    [
      'two clients with one ID',
      {
        url: 'http://localhost:1',
        clients: [
          { id: 'a', redirects: ['https://a.example/cb'] },
          { id: 'a', redirects: ['https://b.example/cb'] },
        ],
      },
    ],
  ])('refuses %s [auth.security.endpoints-https]', (_, options) => {
    expect(() => createIssuer(options)).toThrow(expect.objectContaining({ code: 'auth/issuer-options' }));
  });

  it('issues a token for the resource that a user has allowed [auth.as.oauth-2.1 auth.iss-sent]', async () => {
    const testIssuer = openTestIssuer();
    const response = await testIssuer.answer(await readPage(await testIssuer.ask()));
    const back = located(response);
    expect(back.origin + back.pathname).toBe(BACK);
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: 'st', iss: ISSUER });
    const { status, headers, body } = await testIssuer.redeem(back.searchParams.get('code') ?? '');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const { payload, protectedHeader } = await jwtVerify(body.access_token ?? '', await keysOf(testIssuer), {
      currentDate: new Date(testIssuer.clock.now()),
    });
    expect(protectedHeader).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(payload).toMatchObject({ iss: ISSUER, aud: RESOURCE, sub: 'ada', client_id: 'app', scope: 'notes:read' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(600);
  });

  it('publishes no private part of a key', async () => {
    expect(await (await openTestIssuer().send('/jwks')).text()).not.toContain('"d"');
  });

  it.each([
    ['without PKCE', { code_challenge: undefined }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without a resource', { resource: undefined }, 'invalid_target'],
    ['for a resource that is not served', { resource: `${RESOURCE}/` }, 'invalid_target'],
    ['for a scope that there is not', { scope: 'root' }, 'invalid_scope'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['unseen', { prompt: 'none' }, 'interaction_required'],
  ])('refuses a request %s, and names the issuer', async (_, fields, error) => {
    const back = located(await openTestIssuer().ask(fields));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'st', iss: ISSUER });
  });

  it('redirects with an error when the user denies', async () => {
    const testIssuer = openTestIssuer();
    const back = located(await testIssuer.answer(await readPage(await testIssuer.ask()), { answer: 'deny' }));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'st', iss: ISSUER });
  });

  it('locks a password after five wrong attempts', async () => {
    const testIssuer = openTestIssuer();
    let page = await readPage(await testIssuer.ask());
    for (let times = 0; times < 4; times += 1) {
      page = await readPage(await testIssuer.answer(page, { password: 'wrong' }));
      expect(page.text).toContain('The name or the password is wrong.');
    }
    expect(located(await testIssuer.answer(page, { password: 'wrong' })).searchParams.get('error')).toBe(
      'access_denied',
    );
  });

  const refresh = ({ body }: Tokens, testIssuer: TestIssuer) =>
    testIssuer.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: body.refresh_token ?? '' });

  it('refuses a code that its client submits twice, and keeps the tokens of the first request', async () => {
    const testIssuer = openTestIssuer();
    const code = await testIssuer.code();
    const first = await testIssuer.redeem(code);
    testIssuer.clock.advance(10_000);
    expect((await testIssuer.redeem(code)).body.error).toBe('invalid_grant');
    expect((await refresh(first, testIssuer)).status).toBe(200);
  });

  it('revokes the tokens of a code that is repeated later', async () => {
    const testIssuer = openTestIssuer();
    const code = await testIssuer.code();
    const first = await testIssuer.redeem(code);
    testIssuer.clock.advance(10_001);
    expect((await testIssuer.redeem(code)).body.error).toBe('invalid_grant');
    expect((await refresh(first, testIssuer)).body.error).toBe('invalid_grant');
  });

  it('revokes the tokens of a code that is repeated without its verifier', async () => {
    const testIssuer = openTestIssuer();
    const code = await testIssuer.code();
    const first = await testIssuer.redeem(code);
    expect((await testIssuer.redeem(code, { code_verifier: 'w'.repeat(43) })).body.error).toBe('invalid_grant');
    expect((await refresh(first, testIssuer)).body.error).toBe('invalid_grant');
  });

  it('keeps a code valid that another client has tried without its verifier', async () => {
    const testIssuer = openTestIssuer();
    const code = await testIssuer.code();
    expect((await testIssuer.redeem(code, { code_verifier: 'w'.repeat(43) })).body.error).toBe('invalid_grant');
    expect((await testIssuer.redeem(code)).status).toBe(200);
  });

  it('returns valid tokens to exactly one of twenty concurrent requests with a code', async () => {
    const testIssuer = openTestIssuer();
    const code = await testIssuer.code();
    const all = await Promise.all(Array.from({ length: 20 }, () => testIssuer.redeem(code)));
    const winners = all.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const winner of winners) expect((await refresh(winner, testIssuer)).status).toBe(200);
  });

  it.each([
    ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another place', { redirect_uri: 'https://app.example.com/back' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['another client', { client_id: 'other' }, 'invalid_grant'],
  ])('refuses a code with %s', async (_, more, error) => {
    const clients = ['app', 'other'].map(id => ({ id, redirects: [BACK, 'https://app.example.com/back'] }));
    const testIssuer = openTestIssuer({ clients });
    expect((await testIssuer.redeem(await testIssuer.code(), more)).body.error).toBe(error);
  });

  it('refuses a code after a minute', async () => {
    const testIssuer = openTestIssuer();
    const code = await testIssuer.code();
    testIssuer.clock.advance(60_000);
    expect((await testIssuer.redeem(code)).body.error).toBe('invalid_grant');
  });
});

describe('refresh tokens', () => {
  const refreshed = (testIssuer: TestIssuer, token: string | undefined, more = {}) =>
    testIssuer.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: token ?? '', ...more });

  it('are accepted once, and give no more scopes than allowed', async () => {
    const testIssuer = openTestIssuer();
    const first = (await testIssuer.redeem(await testIssuer.code({ scope: 'notes:read notes:write' }))).body
      .refresh_token;
    const second = await refreshed(testIssuer, first, { scope: 'notes:read' });
    expect(second.body.scope).toBe('notes:read');
    const third = await refreshed(testIssuer, second.body.refresh_token);
    expect(third.body.scope).toBe('notes:read notes:write');
  });

  it('are all revoked when one is repeated', async () => {
    const testIssuer = openTestIssuer();
    const first = (await testIssuer.redeem(await testIssuer.code())).body.refresh_token;
    const second = (await refreshed(testIssuer, first)).body.refresh_token;
    expect((await refreshed(testIssuer, first)).body.error).toBe('invalid_grant');
    expect((await refreshed(testIssuer, second)).body.error).toBe('invalid_grant');
  });

  it('are refused with another scope, client, resource, or after their lifetime', async () => {
    const testIssuer = openTestIssuer({
      refreshTokenTtl: 10_000,
      clients: ['app', 'other'].map(id => ({ id, redirects: [BACK] })),
    });
    const first = (await testIssuer.redeem(await testIssuer.code())).body.refresh_token;
    expect((await refreshed(testIssuer, first, { scope: 'notes:write' })).body.error).toBe('invalid_scope');
    expect((await refreshed(testIssuer, first, { client_id: 'other' })).body.error).toBe('invalid_grant');
    expect((await refreshed(testIssuer, first, { resource: 'https://x.example.com' })).body.error).toBe(
      'invalid_target',
    );
    testIssuer.clock.advance(10_000);
    expect((await refreshed(testIssuer, first)).body.error).toBe('invalid_grant');
  });

  it('can be revoked by their client only', async () => {
    const testIssuer = openTestIssuer({ clients: ['app', 'other'].map(id => ({ id, redirects: [BACK] })) });
    const token = (await testIssuer.redeem(await testIssuer.code())).body.refresh_token ?? '';
    expect((await testIssuer.send('/revoke', createFormRequest({ token, client_id: 'other' }))).status).toBe(200);
    const next = (await refreshed(testIssuer, token)).body.refresh_token ?? '';
    expect((await testIssuer.send('/revoke', createFormRequest({ token: next, client_id: 'app' }))).status).toBe(200);
    expect((await refreshed(testIssuer, next)).body.error).toBe('invalid_grant');
  });
});

describe('authenticated clients', () => {
  it('get client credentials tokens by a secret, in the header or in the form', async () => {
    const testIssuer = openTestIssuer({ clients: [machine] });
    for (const [fields, headers] of [
      [{ ...bySelf, scope: 'notes:write' }, basic],
      [{ ...bySelf, scope: 'notes:write', client_id: 'machine', client_secret: SECRET }, {}],
    ] as const) {
      const { body } = await testIssuer.token(fields, headers);
      const { payload } = await jwtVerify(body.access_token ?? '', await keysOf(testIssuer), {
        currentDate: new Date(testIssuer.clock.now()),
      });
      expect(payload).toMatchObject({ sub: 'client:machine', client_id: 'machine', scope: 'notes:write' });
      expect(body.refresh_token).toBeUndefined();
    }
  });

  it.each([
    ['a wrong secret', { client_id: 'machine', client_secret: 'wrong' }, {}, 'invalid_client'],
    ['no secret', { client_id: 'machine' }, {}, 'invalid_client'],
    ['a wrong header', {}, { authorization: `Basic ${btoa('machine:wrong')}` }, 'invalid_client'],
    ['two ways at once', { client_id: 'machine', client_secret: SECRET }, basic, 'invalid_request'],
    ['the id of another', { client_id: 'app' }, basic, 'invalid_client'],
    ['the id of nobody', { client_id: 'nobody' }, {}, 'invalid_client'],
  ])('get no tokens by %s', async (_, fields, headers, error) => {
    const testIssuer = openTestIssuer({ clients: [machine, { id: 'app', redirects: [BACK] }] });
    expect((await testIssuer.token({ ...bySelf, ...fields }, headers)).body.error).toBe(error);
  });

  it.each(['application/json', 'multipart/form-data; boundary=x', undefined])(
    'are told the type of the body when it is %s',
    async type => {
      const headers = { ...basic, ...(type === undefined ? {} : { 'content-type': type }) };
      for (const path of ['/token', '/revoke']) {
        const response = await openTestIssuer({ clients: [machine] }).send(path, {
          method: 'POST',
          headers,
          body: JSON.stringify(bySelf),
        });
        expect([response.status, await response.json()]).toEqual([
          400,
          {
            error: 'invalid_request',
            error_description: 'The body must be a form: application/x-www-form-urlencoded',
          },
        ]);
      }
    },
  );

  it('are refused at the start when they can get no tokens: no redirect URI, and no `machine`', () => {
    expect(() => openTestIssuer({ clients: [{ id: 'app' }] })).toThrow(
      expect.objectContaining({ code: 'auth/issuer-options', received: 'app' }),
    );
  });

  it.each([{ machine: false }, {}])('get no client credentials tokens without `machine`: %o', async options => {
    const testIssuer = openTestIssuer({ clients: [{ id: 'machine', secret: SECRET, redirects: [BACK], ...options }] });
    expect((await testIssuer.token(bySelf, basic)).body.error).toBe('unauthorized_client');
  });

  it('may sign an assertion for this issuer, once', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const testIssuer = openTestIssuer({
      clients: [{ id: 'm', machine: true, jwks: { keys: [{ ...(await exportJWK(publicKey)) }] } }],
    });
    const now = testIssuer.clock.now() / 1_000;
    const assertion = (aud: string, exp = now + 60) =>
      new SignJWT({ iss: 'm', sub: 'm', aud, jti: crypto.randomUUID(), exp })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey);
    const send = (client_assertion: string) =>
      testIssuer.token({
        ...{ ...bySelf, client_assertion },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      });
    const good = await assertion(ISSUER);
    expect((await send(good)).status).toBe(200);
    expect((await send(good)).body.error).toBe('invalid_client');
    expect((await send(await assertion('https://evil.example.com'))).body.error).toBe('invalid_client');
    expect((await send(await assertion(ISSUER, now - 1))).body.error).toBe('invalid_client');
    expect((await send(await assertion(ISSUER, now + 86_400))).body.error).toBe('invalid_client');
  });
});

describe('DPoP tokens', () => {
  async function prover(testIssuer: TestIssuer) {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const proof = (claims: object = {}) =>
      new SignJWT({
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: `${ISSUER}/token`,
        iat: testIssuer.clock.now() / 1_000,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey);
    return { proof, jkt: await calculateJwkThumbprint(jwk) };
  }

  it('name their key, and are refreshed with that key only', async () => {
    const testIssuer = openTestIssuer();
    const [{ proof, jkt }, other] = [await prover(testIssuer), await prover(testIssuer)];
    const code = await testIssuer.code({ dpop_jkt: jkt });
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'app',
      redirect_uri: BACK,
      code,
      code_verifier: verifier,
    };
    const { body } = await testIssuer.token(fields, { dpop: await proof() });
    expect(body.token_type).toBe('DPoP');
    const { payload } = await jwtVerify(body.access_token ?? '', await keysOf(testIssuer), {
      currentDate: new Date(testIssuer.clock.now()),
    });
    expect(payload.cnf).toEqual({ jkt });
    const refresh = { grant_type: 'refresh_token', client_id: 'app', refresh_token: body.refresh_token ?? '' };
    expect((await testIssuer.token(refresh)).body.error).toBe('invalid_grant');
    expect((await testIssuer.token(refresh, { dpop: await other.proof() })).body.error).toBe('invalid_grant');
    expect((await testIssuer.token(refresh, { dpop: await proof() })).body.token_type).toBe('DPoP');
  });

  it('are refused for a code that is bound to another key', async () => {
    const testIssuer = openTestIssuer();
    const [own, thief] = [await prover(testIssuer), await prover(testIssuer)];
    const code = await testIssuer.code({ dpop_jkt: own.jkt });
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'app',
      redirect_uri: BACK,
      code,
      code_verifier: verifier,
    };
    expect((await testIssuer.token(fields, { dpop: await thief.proof() })).body.error).toBe('invalid_grant');
  });

  it.each([
    ['another method', { htm: 'GET' }],
    ['another URL', { htu: `${ISSUER}/revoke` }],
    ['another time', { iat: 0 }],
    ['an id that is no text', { jti: 7 }],
    ['an empty id', { jti: '' }],
  ])('are refused with a proof for %s', async (_, claims) => {
    const testIssuer = openTestIssuer({ clients: [machine] });
    const { proof } = await prover(testIssuer);
    const answer = await testIssuer.token(bySelf, { ...basic, dpop: await proof(claims) });
    expect(answer.body.error).toBe('invalid_dpop_proof');
  });

  it('are issued for a proof with an equivalent URL', async () => {
    const testIssuer = openTestIssuer({ clients: [machine] });
    const { proof } = await prover(testIssuer);
    const { protocol, host, pathname } = new URL(`${ISSUER}/token`);
    const htu = `${protocol.toUpperCase()}//${host.toUpperCase()}:443${pathname}?a=b#c`;
    const { status, body } = await testIssuer.token(bySelf, { ...basic, dpop: await proof({ htu }) });
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
  });

  it('are refused for a repeated proof', async () => {
    const testIssuer = openTestIssuer({ clients: [machine] });
    const dpop = await (await prover(testIssuer)).proof();
    expect((await testIssuer.token(bySelf, { ...basic, dpop })).status).toBe(200);
    expect((await testIssuer.token(bySelf, { ...basic, dpop })).body.error).toBe('invalid_dpop_proof');
  });
});
