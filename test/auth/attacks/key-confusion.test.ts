import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import { expect, it } from 'vitest';
import { ISSUER, RESOURCE, type TestIssuer } from '../../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { served } from '../served.js';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsFor = ({ clock }: TestIssuer) => ({
  ...{ iss: ISSUER, sub: 'ada', aud: RESOURCE, scope: 'notes:read' },
  exp: Math.floor(clock.now() / 1000) + 600,
});

/** The public key, which everybody has, is taken for a shared secret. RFC 8725, 2.1. */
it('refuses a token signed by HMAC with the public key of the issuer', async () => {
  const { alone, issuer } = await served();
  const [jwk] = issuer.jwks().keys;
  const pem = await exportSPKI((await importJWK(jwk as never, 'ES256')) as never);
  for (const [alg, hash] of [
    ['HS256', 'sha256'],
    ['HS512', 'sha512'],
  ] as const) {
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk), String(jwk?.x)]) {
      const signed = `${encode({ alg, typ: 'at+jwt', kid: 'k1' })}.${encode(claimsFor(issuer))}`;
      const token = `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
      expect((await alone('ping', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
    }
  }
  expect(issuer.requests).toEqual([]);
});

/** The token brings its own key, or says where there is one. RFC 8725, 3.10. */
it('refuses a token with a key of its own, and fetches nothing for it', async () => {
  const { alone, issuer } = await served();
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const url = 'https://evil.example.com/jwks';
  for (const header of [{ jwk }, { jku: url }, { x5u: url }, { jwk, kid: 'k1' }, { kid: '../../../dev/null' }]) {
    const token = await new SignJWT(claimsFor(issuer))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header } as never)
      .sign(privateKey);
    expect((await alone('ping', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
  }
  expect(issuer.requests.join()).not.toContain('evil');
});

/** The key of one issuer signs in the name of another. */
it('refuses a token of a trusted issuer that names another issuer', async () => {
  const other = 'https://other.example.com';
  const { alone, issuer } = await served({ issuers: [ISSUER, other] });
  issuer.site.set(`${other}/.well-known/oauth-authorization-server`, { issuer: other, jwks_uri: `${other}/jwks` });
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  issuer.site.set(`${other}/jwks`, { keys: [{ ...jwk, kid: 'k1' }] });
  const forged = await issuer.token({ iss: other });
  expect((await alone('ping', {}, { authorization: `Bearer ${forged}` })).status).toBe(401);
  expect(issuer.requests).toEqual([`GET ${other}/.well-known/oauth-authorization-server`, `GET ${other}/jwks`]);
});
