import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { memoryStores } from 'tenon';
import { describe, expect, it } from 'vitest';
import { BACK, ISSUER, type IssuerVisitor, visitTestIssuer } from '../fixtures/visitor.js';

async function register(place: IssuerVisitor, more: object = {}) {
  const response = await place.send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [BACK], token_endpoint_auth_method: 'none', ...more }),
  });
  const body = (await response.json()) as Record<string, string>;
  return { status: response.status, headers: response.headers, error: body.error, id: body.client_id ?? '' };
}

/** An issuer whose store has room for few entries, and what may take them. */
const smallPlace = () =>
  visitTestIssuer({
    stores: memoryStores({ maxEntries: 60 }),
    limits: { maxUnusedRegistrations: 20, maxPendingSignIns: 20 },
  });

async function signIn(place: IssuerVisitor, client_id = 'app') {
  return place.redeem(await place.code({ client_id }), { client_id });
}

describe('the stores of an issuer', () => {
  it('are not filled by registrations', async () => {
    const place = smallPlace();
    for (let times = 0; times < 100; times++) expect((await register(place)).status).toBe(201);
    expect((await signIn(place)).status).toBe(200);
  });

  it('are not filled by sign-ins that no user completes', async () => {
    const place = smallPlace();
    for (let times = 0; times < 100; times++) expect((await place.ask()).status).toBe(200);
    expect((await signIn(place)).status).toBe(200);
  });

  it('are not filled by assertions of a client that has registered itself', async () => {
    const place = smallPlace();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const { id } = await register(place, { token_endpoint_auth_method: 'private_key_jwt', jwks });
    for (let times = 0; times < 100; times++) {
      const client_assertion = await new SignJWT({ jti: String(times) })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(ISSUER)
        .setExpirationTime(Math.floor(place.clock.now() / 1_000) + 500)
        .sign(privateKey);
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const fields = { grant_type: 'authorization_code', code: 'made-up', client_assertion, client_assertion_type };
      expect((await place.token(fields)).body.error).toBe('invalid_grant');
    }
    expect((await signIn(place)).status).toBe(200);
  });

  it('are not filled by DPoP proofs with invented codes', async () => {
    const place = smallPlace();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    for (let times = 0; times < 100; times++) {
      const dpop = await new SignJWT({ jti: String(times), htm: 'POST', htu: `${ISSUER}/token` })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setIssuedAt(Math.floor(place.clock.now() / 1_000))
        .sign(privateKey);
      const fields = { grant_type: 'authorization_code', client_id: 'app', code: 'made-up' };
      expect((await place.token(fields, { dpop })).body.error).toBe('invalid_grant');
    }
    expect((await signIn(place)).status).toBe(200);
  });
});

describe('a registration', () => {
  it('expires after an hour when no user has signed in', async () => {
    const place = visitTestIssuer();
    const { id } = await register(place);
    place.clock.advance(3_599_999);
    expect((await place.ask({ client_id: id })).status).toBe(200);
    place.clock.advance(1);
    expect((await place.ask({ client_id: id })).status).toBe(400);
  });

  it('expires after 90 days when a user has signed in', async () => {
    const place = visitTestIssuer();
    const { id } = await register(place);
    expect((await signIn(place, id)).status).toBe(200);
    place.clock.advance(89 * 24 * 3_600_000);
    expect((await signIn(place, id)).status).toBe(200);
    place.clock.advance(24 * 3_600_000);
    expect((await place.ask({ client_id: id })).status).toBe(400);
  });

  it('is replaced by newer ones while unused, the oldest first; a used one stays', async () => {
    const place = visitTestIssuer({ limits: { maxUnusedRegistrations: 3 } });
    const used = await register(place);
    await signIn(place, used.id);
    const [first, second] = [await register(place), await register(place)];
    await register(place);
    await register(place);
    const statuses = [used, first, second].map(async ({ id }) => (await place.ask({ client_id: id })).status);
    expect(await Promise.all(statuses)).toEqual([200, 400, 200]);
  });

  it('is refused when its metadata is larger than 16 Ki characters', async () => {
    const redirect_uris = Array.from({ length: 10 }, (_, at) => `https://app.example.com/${at}/${'x'.repeat(2_000)}`);
    expect(await register(visitTestIssuer(), { redirect_uris })).toMatchObject({
      status: 400,
      error: 'invalid_client_metadata',
    });
  });

  it.each([0, 1.5, 10_000_000])('refuses %s as the limit of unused registrations', maxUnusedRegistrations => {
    expect(() => visitTestIssuer({ limits: { maxUnusedRegistrations } })).toThrow(
      expect.objectContaining({ code: 'auth/issuer-options' }),
    );
  });
});

describe('allowRequest', () => {
  it('refuses a request with 429 before the request is served', async () => {
    const asked: string[] = [];
    const place = visitTestIssuer({
      allowRequest({ endpoint, header }) {
        asked.push(`${endpoint} ${header('x-real-ip') ?? undefined}`);
        return endpoint === 'register' ? { retryAfter: 1_500 } : endpoint !== 'token';
      },
    });
    const { status, headers } = await register(place);
    expect([status, headers.get('retry-after')]).toEqual([429, '2']);
    expect((await place.token({ client_id: 'app' }, { 'x-real-ip': '192.0.2.1' })).status).toBe(429);
    expect((await place.ask()).status).toBe(200);
    expect((await place.send('/jwks')).status).toBe(200);
    expect(asked).toEqual(['register undefined', 'token 192.0.2.1', 'authorize undefined']);
  });
});
