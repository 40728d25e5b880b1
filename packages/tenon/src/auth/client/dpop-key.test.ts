import { createHash } from 'node:crypto';
import { decodeJwt, EmbeddedJWK, jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { createDpopKey } from './dpop-key.js';
import { createBrowser, createFakeServers, headersOf, ISSUER, refusal, SERVER } from './fixtures/world.js';
import { signIn } from './sign-in/sign-in.js';
import { memoryTokenStore } from './token-store.js';

const TOKEN = `${ISSUER}/token`;
const bound = { json: { access_token: 'bound', token_type: 'DPoP', expires_in: 3600, refresh_token: 'r' } };

function setUp(token: Parameters<typeof createFakeServers>[0] = { [TOKEN]: bound }) {
  const servers = createFakeServers(token);
  const tokenStore = memoryTokenStore();
  return {
    servers,
    store: tokenStore,
    auth: signIn({ dpop: true, redirect: createBrowser().redirect, fetch: servers.fetch, tokenStore }),
  };
}

describe('DPoP tokens', () => {
  it('are requested only with the option [dpop.optional]', async () => {
    const servers = createFakeServers();
    const auth = signIn({ redirect: createBrowser().redirect, fetch: servers.fetch });
    await auth.handleRefusal(refusal());
    expect(servers.seen.some(({ headers }) => 'dpop' in headers)).toBe(false);
    expect(await headersOf(auth)).toEqual({ authorization: 'Bearer access-1' });
  });

  it('are sent with a new proof each time [dpop.token-scheme dpop.fresh-proof dpop.proof-claims dpop.no-content-digest dpop.asymmetric-only]', async () => {
    const { auth } = setUp();
    await auth.handleRefusal(refusal());
    const [first, second] = [await headersOf(auth), await headersOf(auth)];
    expect(first.authorization).toBe('DPoP bound');
    const { payload, protectedHeader } = await jwtVerify(first.dpop ?? '', EmbeddedJWK);
    expect(protectedHeader).toMatchObject({ typ: 'dpop+jwt', alg: 'ES256', jwk: { kty: 'EC' } });
    expect(protectedHeader.jwk).not.toHaveProperty('d');
    const ath = createHash('sha256').update('bound').digest('base64url');
    expect(payload).toEqual({ htm: 'POST', htu: SERVER, ath, jti: expect.any(String), iat: expect.any(Number) });
    expect(decodeJwt(second.dpop ?? '').jti).not.toBe(payload.jti);
  });

  it('are requested with a proof [dpop.token-request-proof]', async () => {
    const { auth, servers } = setUp();
    await auth.handleRefusal(refusal());
    const proof = servers.seen.find(({ url }) => url === TOKEN)?.headers.dpop ?? '';
    expect(decodeJwt(proof)).toMatchObject({ htm: 'POST', htu: TOKEN });
  });

  it('use the nonces of both servers separately, with new ids [dpop.nonce-retry]', async () => {
    const nonce = { status: 400, json: { error: 'use_dpop_nonce' }, headers: { 'dpop-nonce': 'of-issuer' } };
    const { auth, servers } = setUp({
      [TOKEN]: ({ headers }) => (decodeJwt(headers.dpop ?? '').nonce === 'of-issuer' ? bound : nonce),
    });
    await auth.handleRefusal(refusal());
    const [before, after] = servers.seen
      .filter(({ url }) => url === TOKEN)
      .map(({ headers }) => decodeJwt(headers.dpop ?? ''));
    expect(after?.jti).not.toBe(before?.jti);
    const sentHeaders = await headersOf(auth);
    expect(decodeJwt(sentHeaders.dpop ?? '').nonce).toBeUndefined();
    const header = (name: string) =>
      ({ 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'of-server' })[name];
    const request = {};
    for (const again of [true, true, false])
      expect(await auth.handleRefusal(refusal('', { header, sentHeaders, request }))).toBe(again);
    expect(decodeJwt((await headersOf(auth)).dpop ?? '').nonce).toBe('of-server');
    auth.onResponse?.({ url: SERVER, header: name => (name === 'dpop-nonce' ? 'next' : undefined) });
    await expect.poll(async () => decodeJwt((await headersOf(auth)).dpop ?? '').nonce).toBe('next');
  });

  it('are not replaced by bearer tokens', async () => {
    const { auth } = setUp({ [TOKEN]: { json: { access_token: 'a', token_type: 'Bearer' } } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/not-bound' });
  });

  it('are not stored where the key cannot be stored [dpop.key-protected]', async () => {
    const { auth, store } = setUp();
    await auth.handleRefusal(refusal());
    expect(await store.get(['tokens', SERVER, ISSUER, SERVER, 'registered'])).toBeUndefined();
    const possession = await createDpopKey();
    expect(JSON.stringify(possession)).not.toContain('"d"');
  });
});
