import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  jwtVerify,
  SignJWT,
} from 'jose';
import { describe, expect, it } from 'vitest';
import {
  BACK,
  createFormRequest,
  ISSUER,
  type IssuerVisitor,
  RESOURCE,
  readPage,
  type Tokens,
  verifier,
  visitTestIssuer,
} from './fixtures/visitor.js';
import { createIssuer } from './index.js';

const SECRET = 'a secret that is long enough';
const machine = { id: 'machine', secret: SECRET, machine: true };
const basic = { authorization: `Basic ${btoa(`machine:${encodeURIComponent(SECRET)}`)}` };
const bySelf = { grant_type: 'client_credentials', resource: RESOURCE };

const keysOf = async (place: IssuerVisitor) =>
  createLocalJWKSet((await (await place.send('/jwks')).json()) as JSONWebKeySet);
const located = (response: Response) => new URL(response.headers.get('location') ?? 'about:blank');

describe('createIssuer', () => {
  it('serves its metadata at the three URLs [auth.as-metadata.rfc8414-or-oidc-provided auth.iss-advertised]', async () => {
    const url = 'https://login.example.com/tenant';
    const place = visitTestIssuer({ url });
    for (const path of [
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ]) {
      const response = await place.issuer(new Request(ISSUER + path));
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
    ['a life of no time', { url: 'http://localhost:1', accessTokenTtl: 0 }],
  ])('refuses %s [auth.security.endpoints-https]', (_, options) => {
    expect(() => createIssuer(options)).toThrow(expect.objectContaining({ code: 'auth/issuer-options' }));
  });

  it('issues a token for the resource that a user has allowed [auth.as.oauth-2.1 auth.iss-sent]', async () => {
    const place = visitTestIssuer();
    const response = await place.answer(await readPage(await place.ask()));
    const back = located(response);
    expect(back.origin + back.pathname).toBe(BACK);
    expect(Object.fromEntries(back.searchParams)).toEqual({ code: expect.any(String), state: 'st', iss: ISSUER });
    const { status, headers, body } = await place.redeem(back.searchParams.get('code') ?? '');
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const { payload, protectedHeader } = await jwtVerify(body.access_token ?? '', await keysOf(place), {
      currentDate: new Date(place.clock.now()),
    });
    expect(protectedHeader).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    expect(payload).toMatchObject({ iss: ISSUER, aud: RESOURCE, sub: 'ada', client_id: 'app', scope: 'notes:read' });
    expect(Number(payload.exp) - Number(payload.iat)).toBe(600);
  });

  it('publishes no private part of a key', async () => {
    expect(await (await visitTestIssuer().send('/jwks')).text()).not.toContain('"d"');
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
    const back = located(await visitTestIssuer().ask(fields));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, state: 'st', iss: ISSUER });
  });

  it('redirects with an error when the user denies', async () => {
    const place = visitTestIssuer();
    const back = located(await place.answer(await readPage(await place.ask()), { answer: 'deny' }));
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'st', iss: ISSUER });
  });

  it('locks a password after five wrong attempts', async () => {
    const place = visitTestIssuer();
    let page = await readPage(await place.ask());
    for (let times = 0; times < 4; times += 1) {
      page = await readPage(await place.answer(page, { password: 'wrong' }));
      expect(page.text).toContain('The name or the password is wrong.');
    }
    expect(located(await place.answer(page, { password: 'wrong' })).searchParams.get('error')).toBe('access_denied');
  });

  const refresh = ({ body }: Tokens, place: IssuerVisitor) =>
    place.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: body.refresh_token ?? '' });

  it('refuses a code that its client submits twice, and keeps the tokens of the first request', async () => {
    const place = visitTestIssuer();
    const code = await place.code();
    const first = await place.redeem(code);
    place.clock.advance(10_000);
    expect((await place.redeem(code)).body.error).toBe('invalid_grant');
    expect((await refresh(first, place)).status).toBe(200);
  });

  it('revokes the tokens of a code that is repeated later', async () => {
    const place = visitTestIssuer();
    const code = await place.code();
    const first = await place.redeem(code);
    place.clock.advance(10_001);
    expect((await place.redeem(code)).body.error).toBe('invalid_grant');
    expect((await refresh(first, place)).body.error).toBe('invalid_grant');
  });

  it('revokes the tokens of a code that is repeated without its verifier', async () => {
    const place = visitTestIssuer();
    const code = await place.code();
    const first = await place.redeem(code);
    expect((await place.redeem(code, { code_verifier: 'w'.repeat(43) })).body.error).toBe('invalid_grant');
    expect((await refresh(first, place)).body.error).toBe('invalid_grant');
  });

  it('keeps a code valid that another client has tried without its verifier', async () => {
    const place = visitTestIssuer();
    const code = await place.code();
    expect((await place.redeem(code, { code_verifier: 'w'.repeat(43) })).body.error).toBe('invalid_grant');
    expect((await place.redeem(code)).status).toBe(200);
  });

  it('returns valid tokens to exactly one of twenty concurrent requests with a code', async () => {
    const place = visitTestIssuer();
    const code = await place.code();
    const all = await Promise.all(Array.from({ length: 20 }, () => place.redeem(code)));
    const winners = all.filter(({ status }) => status === 200);
    expect(winners).toHaveLength(1);
    for (const winner of winners) expect((await refresh(winner, place)).status).toBe(200);
  });

  it.each([
    ['another verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another place', { redirect_uri: 'https://app.example.com/back' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['another client', { client_id: 'other' }, 'invalid_grant'],
  ])('refuses a code with %s', async (_, more, error) => {
    const clients = ['app', 'other'].map(id => ({ id, redirects: [BACK, 'https://app.example.com/back'] }));
    const place = visitTestIssuer({ clients });
    expect((await place.redeem(await place.code(), more)).body.error).toBe(error);
  });

  it('refuses a code after a minute', async () => {
    const place = visitTestIssuer();
    const code = await place.code();
    place.clock.advance(60_000);
    expect((await place.redeem(code)).body.error).toBe('invalid_grant');
  });
});

describe('refresh tokens', () => {
  const refreshed = (place: IssuerVisitor, token: string | undefined, more = {}) =>
    place.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: token ?? '', ...more });

  it('are accepted once, and give no more scopes than allowed', async () => {
    const place = visitTestIssuer();
    const first = (await place.redeem(await place.code({ scope: 'notes:read notes:write' }))).body.refresh_token;
    const second = await refreshed(place, first, { scope: 'notes:read' });
    expect(second.body.scope).toBe('notes:read');
    const third = await refreshed(place, second.body.refresh_token);
    expect(third.body.scope).toBe('notes:read notes:write');
  });

  it('are all revoked when one is repeated', async () => {
    const place = visitTestIssuer();
    const first = (await place.redeem(await place.code())).body.refresh_token;
    const second = (await refreshed(place, first)).body.refresh_token;
    expect((await refreshed(place, first)).body.error).toBe('invalid_grant');
    expect((await refreshed(place, second)).body.error).toBe('invalid_grant');
  });

  it('are refused with another scope, client, resource, or after their lifetime', async () => {
    const place = visitTestIssuer({
      refreshTokenTtl: 10_000,
      clients: ['app', 'other'].map(id => ({ id, redirects: [BACK] })),
    });
    const first = (await place.redeem(await place.code())).body.refresh_token;
    expect((await refreshed(place, first, { scope: 'notes:write' })).body.error).toBe('invalid_scope');
    expect((await refreshed(place, first, { client_id: 'other' })).body.error).toBe('invalid_grant');
    expect((await refreshed(place, first, { resource: 'https://x.example.com' })).body.error).toBe('invalid_target');
    place.clock.advance(10_000);
    expect((await refreshed(place, first)).body.error).toBe('invalid_grant');
  });

  it('can be revoked by their client only', async () => {
    const place = visitTestIssuer({ clients: ['app', 'other'].map(id => ({ id, redirects: [BACK] })) });
    const token = (await place.redeem(await place.code())).body.refresh_token ?? '';
    expect((await place.send('/revoke', createFormRequest({ token, client_id: 'other' }))).status).toBe(200);
    const next = (await refreshed(place, token)).body.refresh_token ?? '';
    expect((await place.send('/revoke', createFormRequest({ token: next, client_id: 'app' }))).status).toBe(200);
    expect((await refreshed(place, next)).body.error).toBe('invalid_grant');
  });
});

describe('authenticated clients', () => {
  it('get client credentials tokens by a secret, in the header or in the form', async () => {
    const place = visitTestIssuer({ clients: [machine] });
    for (const [fields, headers] of [
      [{ ...bySelf, scope: 'notes:write' }, basic],
      [{ ...bySelf, scope: 'notes:write', client_id: 'machine', client_secret: SECRET }, {}],
    ] as const) {
      const { body } = await place.token(fields, headers);
      const { payload } = await jwtVerify(body.access_token ?? '', await keysOf(place), {
        currentDate: new Date(place.clock.now()),
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
    const place = visitTestIssuer({ clients: [machine, { id: 'app', redirects: [BACK] }] });
    expect((await place.token({ ...bySelf, ...fields }, headers)).body.error).toBe(error);
  });

  it.each([{ machine: false }, {}])('get no client credentials tokens without `machine`: %o', async options => {
    const place = visitTestIssuer({ clients: [{ id: 'machine', secret: SECRET, redirects: [BACK], ...options }] });
    expect((await place.token(bySelf, basic)).body.error).toBe('unauthorized_client');
  });

  it('may sign an assertion for this issuer, once', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const place = visitTestIssuer({
      clients: [{ id: 'm', machine: true, jwks: { keys: [{ ...(await exportJWK(publicKey)) }] } }],
    });
    const now = place.clock.now() / 1_000;
    const assertion = (aud: string, exp = now + 60) =>
      new SignJWT({ iss: 'm', sub: 'm', aud, jti: crypto.randomUUID(), exp })
        .setProtectedHeader({ alg: 'ES256' })
        .sign(privateKey);
    const send = (client_assertion: string) =>
      place.token({
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
  async function prover(place: IssuerVisitor) {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    const proof = (claims: object = {}) =>
      new SignJWT({
        jti: crypto.randomUUID(),
        htm: 'POST',
        htu: `${ISSUER}/token`,
        iat: place.clock.now() / 1_000,
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .sign(privateKey);
    return { proof, jkt: await calculateJwkThumbprint(jwk) };
  }

  it('name their key, and are refreshed with that key only', async () => {
    const place = visitTestIssuer();
    const [{ proof, jkt }, other] = [await prover(place), await prover(place)];
    const code = await place.code({ dpop_jkt: jkt });
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'app',
      redirect_uri: BACK,
      code,
      code_verifier: verifier,
    };
    const { body } = await place.token(fields, { dpop: await proof() });
    expect(body.token_type).toBe('DPoP');
    const { payload } = await jwtVerify(body.access_token ?? '', await keysOf(place), {
      currentDate: new Date(place.clock.now()),
    });
    expect(payload.cnf).toEqual({ jkt });
    const refresh = { grant_type: 'refresh_token', client_id: 'app', refresh_token: body.refresh_token ?? '' };
    expect((await place.token(refresh)).body.error).toBe('invalid_grant');
    expect((await place.token(refresh, { dpop: await other.proof() })).body.error).toBe('invalid_grant');
    expect((await place.token(refresh, { dpop: await proof() })).body.token_type).toBe('DPoP');
  });

  it('are refused for a code that is bound to another key', async () => {
    const place = visitTestIssuer();
    const [mine, thief] = [await prover(place), await prover(place)];
    const code = await place.code({ dpop_jkt: mine.jkt });
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'app',
      redirect_uri: BACK,
      code,
      code_verifier: verifier,
    };
    expect((await place.token(fields, { dpop: await thief.proof() })).body.error).toBe('invalid_grant');
  });

  it.each([
    ['another method', { htm: 'GET' }],
    ['another URL', { htu: `${ISSUER}/revoke` }],
    ['another time', { iat: 0 }],
    ['an id that is no text', { jti: 7 }],
    ['an empty id', { jti: '' }],
  ])('are refused with a proof for %s', async (_, claims) => {
    const place = visitTestIssuer({ clients: [machine] });
    const { proof } = await prover(place);
    const answer = await place.token(bySelf, { ...basic, dpop: await proof(claims) });
    expect(answer.body.error).toBe('invalid_dpop_proof');
  });

  it('are issued for a proof with an equivalent URL', async () => {
    const place = visitTestIssuer({ clients: [machine] });
    const { proof } = await prover(place);
    const { protocol, host, pathname } = new URL(`${ISSUER}/token`);
    const htu = `${protocol.toUpperCase()}//${host.toUpperCase()}:443${pathname}?a=b#c`;
    const { status, body } = await place.token(bySelf, { ...basic, dpop: await proof({ htu }) });
    expect([status, body.token_type]).toEqual([200, 'DPoP']);
  });

  it('are refused for a repeated proof', async () => {
    const place = visitTestIssuer({ clients: [machine] });
    const dpop = await (await prover(place)).proof();
    expect((await place.token(bySelf, { ...basic, dpop })).status).toBe(200);
    expect((await place.token(bySelf, { ...basic, dpop })).body.error).toBe('invalid_dpop_proof');
  });
});
