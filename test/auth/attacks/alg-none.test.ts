import { UnsecuredJWT } from 'jose';
import { expect, it } from 'vitest';
import { ISSUER, RESOURCE } from '../../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { served } from '../served.js';

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A JWT that says itself that it is not signed. RFC 8725, 2.1. */
it.each(['none', 'None', 'NONE', '', 'nOnE'])('refuses a token with alg none, spelled "%s"', async alg => {
  const { alone, issuer, ran } = await served();
  const claims = { iss: ISSUER, sub: 'ada', aud: RESOURCE, exp: issuer.clock.now() / 1000 + 600, scope: 'notes:read' };
  const [, payload = '', signature = ''] = (await issuer.token()).split('.');
  const header = encode({ alg, typ: 'at+jwt', kid: 'k1' });
  for (const token of [
    `${header}.${encode(claims)}.`,
    `${header}.${payload}.${signature}`,
    `${header}.${payload}`,
    new UnsecuredJWT(claims).encode(),
  ]) {
    const answer = await alone('tools/call', { name: 'read', arguments: {} }, { authorization: `Bearer ${token}` });
    expect([answer.status, answer.challenge?.params.error]).toEqual([401, 'invalid_token']);
  }
  expect(ran).toEqual([]);
  // Not even the keys are asked for.
  expect(issuer.requests).toEqual([]);
});
