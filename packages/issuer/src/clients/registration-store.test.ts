import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { memoryStores } from 'tenon';
import { describe, expect, it } from 'vitest';
import { BACK, ISSUER, openTestIssuer, type TestIssuer } from '../fixtures/visitor.js';

async function register(testIssuer: TestIssuer, more: object = {}) {
  const response = await testIssuer.send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [BACK], token_endpoint_auth_method: 'none', ...more }),
  });
  const body = (await response.json()) as Record<string, string>;
  return { status: response.status, headers: response.headers, error: body.error, id: body.client_id ?? '' };
}

/** An issuer whose store has room for few entries, and what may take them. */
const createSmallIssuer = () =>
  openTestIssuer({
    stores: memoryStores({ maxEntries: 60 }),
    limits: { maxUnusedRegistrations: 20, maxPendingSignIns: 20 },
  });

async function signIn(testIssuer: TestIssuer, client_id = 'app') {
  return testIssuer.redeem(await testIssuer.code({ client_id }), { client_id });
}

describe('the stores of an issuer', () => {
  it('are not filled by registrations', async () => {
    const testIssuer = createSmallIssuer();
    for (let times = 0; times < 100; times++) expect((await register(testIssuer)).status).toBe(201);
    expect((await signIn(testIssuer)).status).toBe(200);
  });

  it('are not filled by sign-ins that no user completes', async () => {
    const testIssuer = createSmallIssuer();
    for (let times = 0; times < 100; times++) expect((await testIssuer.ask()).status).toBe(200);
    expect((await signIn(testIssuer)).status).toBe(200);
  });

  it('are not filled by assertions of a client that has registered itself', async () => {
    const testIssuer = createSmallIssuer();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwks = { keys: [await exportJWK(publicKey)] };
    const { id } = await register(testIssuer, { token_endpoint_auth_method: 'private_key_jwt', jwks });
    for (let times = 0; times < 100; times++) {
      const client_assertion = await new SignJWT({ jti: String(times) })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer(id)
        .setSubject(id)
        .setAudience(ISSUER)
        .setExpirationTime(Math.floor(testIssuer.clock.now() / 1_000) + 500)
        .sign(privateKey);
      const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      const fields = { grant_type: 'authorization_code', code: 'made-up', client_assertion, client_assertion_type };
      expect((await testIssuer.token(fields)).body.error).toBe('invalid_grant');
    }
    expect((await signIn(testIssuer)).status).toBe(200);
  });

  it('are not filled by DPoP proofs with invented codes', async () => {
    const testIssuer = createSmallIssuer();
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = await exportJWK(publicKey);
    for (let times = 0; times < 100; times++) {
      const dpop = await new SignJWT({ jti: String(times), htm: 'POST', htu: `${ISSUER}/token` })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setIssuedAt(Math.floor(testIssuer.clock.now() / 1_000))
        .sign(privateKey);
      const fields = { grant_type: 'authorization_code', client_id: 'app', code: 'made-up' };
      expect((await testIssuer.token(fields, { dpop })).body.error).toBe('invalid_grant');
    }
    expect((await signIn(testIssuer)).status).toBe(200);
  });
});

describe('a registration', () => {
  it('expires after an hour when no user has signed in', async () => {
    const testIssuer = openTestIssuer();
    const { id } = await register(testIssuer);
    testIssuer.clock.advance(3_599_999);
    expect((await testIssuer.ask({ client_id: id })).status).toBe(200);
    testIssuer.clock.advance(1);
    expect((await testIssuer.ask({ client_id: id })).status).toBe(400);
  });

  it('expires after 90 days when a user has signed in', async () => {
    const testIssuer = openTestIssuer();
    const { id } = await register(testIssuer);
    expect((await signIn(testIssuer, id)).status).toBe(200);
    testIssuer.clock.advance(89 * 24 * 3_600_000);
    expect((await signIn(testIssuer, id)).status).toBe(200);
    testIssuer.clock.advance(24 * 3_600_000);
    expect((await testIssuer.ask({ client_id: id })).status).toBe(400);
  });

  it('is replaced by newer ones while unused, the oldest first; a used one stays', async () => {
    const testIssuer = openTestIssuer({ limits: { maxUnusedRegistrations: 3 } });
    const used = await register(testIssuer);
    await signIn(testIssuer, used.id);
    const [first, second] = [await register(testIssuer), await register(testIssuer)];
    await register(testIssuer);
    await register(testIssuer);
    const statuses = [used, first, second].map(async ({ id }) => (await testIssuer.ask({ client_id: id })).status);
    expect(await Promise.all(statuses)).toEqual([200, 400, 200]);
  });

  it('is refused when its metadata is larger than 16 Ki characters', async () => {
    const redirect_uris = Array.from({ length: 10 }, (_, at) => `https://app.example.com/${at}/${'x'.repeat(2_000)}`);
    expect(await register(openTestIssuer(), { redirect_uris })).toMatchObject({
      status: 400,
      error: 'invalid_client_metadata',
    });
  });

  it.each([0, 1.5, 10_000_000])('refuses %s as the limit of unused registrations', maxUnusedRegistrations => {
    expect(() => openTestIssuer({ limits: { maxUnusedRegistrations } })).toThrow(
      expect.objectContaining({ code: 'auth/issuer-options' }),
    );
  });
});

describe('allowRequest', () => {
  it('refuses a request with 429 before the request is served', async () => {
    const requests: string[] = [];
    const testIssuer = openTestIssuer({
      allowRequest({ endpoint, header }) {
        requests.push(`${endpoint} ${header('x-real-ip') ?? undefined}`);
        return endpoint === 'register' ? { retryAfter: 1_500 } : endpoint !== 'token';
      },
    });
    const { status, headers } = await register(testIssuer);
    expect([status, headers.get('retry-after')]).toEqual([429, '2']);
    expect((await testIssuer.token({ client_id: 'app' }, { 'x-real-ip': '192.0.2.1' })).status).toBe(429);
    expect((await testIssuer.ask()).status).toBe(200);
    expect((await testIssuer.send('/jwks')).status).toBe(200);
    expect(requests).toEqual(['register undefined', 'token 192.0.2.1', 'authorize undefined']);
  });

  it.each([{ retryAfter: Number.NaN }, { retryAfter: Number.POSITIVE_INFINITY }, {}, 'no', undefined])(
    'causes a reported error when it returns %j',
    async result => {
      const reported: string[] = [];
      const testIssuer = openTestIssuer({
        allowRequest: () => result as unknown as boolean,
        onError: ({ message }) => reported.push(message),
      });
      const { status, headers } = await register(testIssuer);
      expect([status, headers.get('retry-after')]).toEqual([500, null]);
      expect(reported).toEqual([expect.stringContaining('the result of `allowRequest` is invalid')]);
    },
  );

  it('causes a response also when `onError` throws', async () => {
    const fail = () => {
      throw new Error('broken');
    };
    const { status } = await register(openTestIssuer({ allowRequest: fail, onError: fail }));
    expect(status).toBe(500);
  });
});
