import { beforeEach, describe, expect, it } from 'vitest';
import {
  asks,
  bearer,
  createHolder,
  createIssuer,
  outcome,
  type TestIssuer,
} from '../../../tenon/src/auth/resource/fixtures/issuer.js';
import type { ProtectOptions } from '../../../tenon/src/auth/resource/options.js';
import { memoryStores } from '../../../tenon/src/stores/memory-stores.js';
import { parseChallenges } from './www-authenticate.js';

let issuer: TestIssuer;
let holder: Awaited<ReturnType<typeof createHolder>>;
let token: string;
beforeEach(async () => {
  issuer = await createIssuer();
  holder = await createHolder(issuer.clock);
  token = await issuer.token({ cnf: { jkt: holder.jkt } });
});

const proven = (proof?: string, more = {}) => asks({ authorization: `DPoP ${token}`, dpop: proof }, more);
const protect = (dpop: ProtectOptions['dpop'] = 'optional') => issuer.protect({ dpop });
const readChallenge = ({ challenge = '' }: { challenge?: string }) => parseChallenges(challenge)[0];

describe('a DPoP token', () => {
  it('is accepted with a proof for each request [dpop.server-validates]', async () => {
    const protection = protect();
    for (let n = 0; n < 3; n += 1) {
      const { status, auth } = await outcome(protection, proven(await holder.proof(token)));
      expect([status, auth?.claims?.cnf]).toEqual([200, { jkt: holder.jkt }]);
    }
  });

  it.each(['ES256', 'EdDSA', 'PS256'])('accepts a proof signed by %s', async alg => {
    holder = await createHolder(issuer.clock, alg);
    token = await issuer.token({ cnf: { jkt: holder.jkt } });
    expect((await outcome(protect(), proven(await holder.proof(token)))).status).toBe(200);
  });

  it('is accepted for an equivalent URL, and for another path of the server', async () => {
    const protection = protect();
    const htu = 'HTTPS://MCP.example.com:443/mcp?a=b#c';
    expect((await outcome(protection, proven(await holder.proof(token, { htu })))).status).toBe(200);
    const sse = await holder.proof(token, { htu: 'https://mcp.example.com/sse', htm: 'GET' });
    expect((await outcome(protection, proven(sse, { method: 'GET', path: '/sse' }))).status).toBe(200);
  });

  it('is refused as a bearer token, and the error names the DPoP scheme', async () => {
    const refused = await outcome(protect(), bearer(token));
    expect(refused.status).toBe(401);
    expect(readChallenge(refused)).toMatchObject({ scheme: 'dpop', params: { error: 'invalid_token' } });
    const { status } = await outcome(protect(false), bearer(token));
    expect(status).toBe(401);
    expect((await outcome(protect(false), proven(await holder.proof(token)))).status).toBe(401);
  });

  it('is refused for another resource [dpop.audience-still-validated]', async () => {
    token = await issuer.token({ cnf: { jkt: holder.jkt }, aud: 'https://other.example.com' });
    const refused = await outcome(protect(), proven(await holder.proof(token)));
    expect(readChallenge(refused)).toMatchObject({ scheme: 'dpop', params: { error: 'invalid_token' } });
  });
});

describe('an invalid DPoP proof', () => {
  const seconds = () => Math.floor(issuer.clock.now() / 1000);
  it.each<[string, () => Promise<string | undefined>]>([
    ['none', async () => undefined],
    ['no JWT', async () => 'abc'],
    ['two', async () => `${await holder.proof(token)}, ${await holder.proof(token)}`],
    ['a long one', () => holder.proof(token, { more: 'a'.repeat(9000) })],
    ['another method', () => holder.proof(token, { htm: 'GET' })],
    ['another URL', () => holder.proof(token, { htu: 'https://other.example.com/mcp' })],
    ['no URL', () => holder.proof(token, { htu: '/mcp' })],
    ['another token', async () => holder.proof(await issuer.token())],
    ['no hash of a token', () => holder.proof(token, { ath: undefined })],
    ['no id', () => holder.proof(token, { jti: undefined })],
    ['an id that is no text', () => holder.proof(token, { jti: 7 })],
    ['too early', () => holder.proof(token, { iat: seconds() - 61 })],
    ['too late', () => holder.proof(token, { iat: seconds() + 61 })],
    ['no time', () => holder.proof(token, { iat: undefined })],
    ['another type', () => holder.proof(token, {}, { typ: 'JWT' })],
    ['another key', async () => (await createHolder(issuer.clock)).proof(token)],
    ['a key that did not sign', async () => holder.proof(token, {}, { jwk: (await createHolder(issuer.clock)).jwk })],
    ['a private key', () => holder.proof(token, {}, { jwk: holder.privateJwk })],
    ['no key', () => holder.proof(token, {}, { jwk: undefined })],
  ])('is refused: %s [dpop.server-validates dpop.failure-401 dpop.iat-window]', async (_, make) => {
    const refused = await outcome(protect(), proven(await make()));
    expect(refused.status).toBe(401);
    expect(readChallenge(refused)).toMatchObject({
      scheme: 'dpop',
      params: { error: 'invalid_dpop_proof', algs: expect.stringContaining('ES256') },
    });
  });

  it('is refused without the hash of the token, which the error names', async () => {
    const refused = await outcome(protect(), proven(await holder.proof(token, { ath: undefined })));
    expect(readChallenge(refused)?.params.error_description).toContain('(ath)');
  });

  it('is refused for a token without a key', async () => {
    token = await issuer.token();
    expect(readChallenge(await outcome(protect(), proven(await holder.proof(token))))?.params.error).toBe(
      'invalid_token',
    );
  });

  it('is refused when it was used before, wherever the store is shared [dpop.jti-tracking-optional]', async () => {
    const stores = memoryStores({ clock: issuer.clock });
    const [one, other] = [issuer.protect({ stores }), issuer.protect({ stores })];
    const early = await holder.proof(token, { jti: 'same', iat: seconds() + 60 });
    expect((await outcome(one, proven(early))).status).toBe(200);
    expect((await outcome(other, proven(early))).status).toBe(401);
    issuer.clock.advance(119_000);
    expect((await outcome(one, proven(early))).status).toBe(401);
    // Somebody else's proofs may have the same ids.
    const third = await createHolder(issuer.clock);
    token = await issuer.token({ cnf: { jkt: third.jkt } });
    expect((await outcome(one, proven(await third.proof(token, { jti: 'same' })))).status).toBe(200);
  });

  it('leaves nothing in memory', async () => {
    const stores = memoryStores({ clock: issuer.clock });
    const protection = issuer.protect({ stores });
    for (let n = 0; n < 5; n += 1) await outcome(protection, proven(await holder.proof(token, { htm: 'GET' })));
    expect(await stores.values.list('')).toEqual([]);
  });
});

describe("the option `dpop: 'required'`", () => {
  it('refuses bearer tokens, and appears in the metadata', async () => {
    const protection = protect('required');
    const plain = await outcome(protection, bearer(await issuer.token()));
    expect(readChallenge(plain)).toMatchObject({ scheme: 'dpop', params: { error: 'invalid_token' } });
    expect(readChallenge(await outcome(protection, asks({})))?.scheme).toBe('dpop');
    const [document = ''] = protection.documents.values();
    expect(JSON.parse(document).dpop_bound_access_tokens_required).toBe(true);
  });
});

describe('DPoP nonces [dpop.nonce-high-security]', () => {
  it('are issued, expire, and are renewed in time', async () => {
    const protection = protect({ nonces: true });
    const first = await outcome(protection, proven(await holder.proof(token)));
    expect(first.status).toBe(401);
    expect(readChallenge(first)).toMatchObject({ scheme: 'dpop', params: { error: 'use_dpop_nonce' } });
    const { nonce } = first;
    expect(await outcome(protection, proven(await holder.proof(token, { nonce })))).toMatchObject({
      status: 200,
      nonce: undefined,
    });
    issuer.clock.advance(160_000);
    const ageing = await outcome(protection, proven(await holder.proof(token, { nonce })));
    expect(ageing.status).toBe(200);
    expect(ageing.nonce).not.toBe(nonce);
    issuer.clock.advance(160_000);
    expect((await outcome(protection, proven(await holder.proof(token, { nonce })))).status).toBe(401);
    expect((await outcome(protection, proven(await holder.proof(token, { nonce: ageing.nonce })))).status).toBe(200);
  });

  it('are accepted by servers with the same key only', async () => {
    const keys = [new Uint8Array(32).fill(1)];
    const next = [new Uint8Array(32).fill(2), ...keys];
    const { nonce } = await outcome(protect({ nonces: { keys } }), proven(await holder.proof(token)));
    const ask = async (dpop: ProtectOptions['dpop']) =>
      outcome(protect(dpop), proven(await holder.proof(token, { nonce })));
    expect((await ask({ nonces: { keys } })).status).toBe(200);
    expect((await ask({ nonces: { keys: next } })).status).toBe(200);
    expect((await ask({ nonces: true })).status).toBe(401);
    for (const forged of ['', 'a.b', `${nonce}.x`, `z${nonce}`, 7, nonce?.replace('.', '.A')]) {
      const proof = await holder.proof(token, { nonce: forged });
      expect((await outcome(protect({ nonces: { keys } }), proven(proof))).status).toBe(401);
    }
  });
});
