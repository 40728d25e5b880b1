import type { AuthFetch } from 'tenon/auth';
import { expect, it } from 'vitest';
import { createProxyOptions } from '../fixtures/test-proxy.js';
import { resolveIssuerOptions } from '../resolve-options.js';
import { createUpstreamProvider } from './upstream-provider.js';

function open(respond: () => Response) {
  const fetch: AuthFetch = async () => respond() as never;
  const { upstream, ...options } = createProxyOptions({ fetch });
  return createUpstreamProvider(upstream, resolveIssuerOptions(options));
}

const json = (value: object, status = 200) => new Response(JSON.stringify(value), { status });
const tokens = { access_token: 'secret-token', token_type: 'Bearer' };

it.each([
  ['a status of the provider', () => new Response('secret-token', { status: 502 }), 'HTTP status 502', 'tokenUrl'],
  ['an OAuth error', () => json({ error: 'invalid_grant' }, 400), 'invalid_grant', 'this secret'],
  ['a page', () => new Response('<p>secret-token'), 'a body that is not a JSON object', 'tokenUrl'],
  ['a missing token', () => json({ token_type: 'Bearer' }), 'access_token', 'this secret'],
  ['a token of another type', () => json({ ...tokens, token_type: 'mac' }), 'token_type', 'this secret'],
])('names %s', async (_, respond, received, hint) => {
  const answer = new URLSearchParams({ code: 'c', state: 's' });
  await expect(open(respond).exchangeCode(answer, 's', 'v'.repeat(43))).rejects.toMatchObject({
    code: 'auth/upstream',
    summary: 'the identity provider did not return the user who signed in',
    received: expect.stringContaining(received),
    hint: expect.stringContaining(hint),
    message: expect.not.stringContaining('secret-token'),
  });
});

it.each(['RS256', 'ES256', 'EdDSA', 'HS256'])('reads the claims of an ID token with %s', async alg => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const now = Math.floor(Date.now() / 1_000);
  const { upstream } = createProxyOptions({});
  const claims = { iss: 'https://idp.example.com', aud: upstream.clientId, sub: 'ada', iat: now, exp: now + 60 };
  const idToken = `${encode({ alg })}.${encode(claims)}.c2ln`;
  const answer = new URLSearchParams({ code: 'c', state: 's' });
  const provider = open(() => json({ ...tokens, id_token: idToken }));
  expect(await provider.exchangeCode(answer, 's', 'v'.repeat(43))).toMatchObject({ claims });
});

it('renews tokens with an ID token that it does not read', async () => {
  const provider = open(() => json({ ...tokens, id_token: 'no token of an issuer' }));
  expect(await provider.renewTokens('r')).toEqual({ accessToken: 'secret-token', refreshToken: 'r' });
});

it('names the part of an authorization response that is invalid', async () => {
  const answer = new URLSearchParams({ code: 'c', state: 's', iss: 'https://other.example.com' });
  const exchange = open(() => json(tokens)).exchangeCode(answer, 's', 'v'.repeat(43));
  await expect(exchange).rejects.toMatchObject({ code: 'auth/upstream', received: expect.stringContaining('iss') });
});

it('names a renewal that failed as one', async () => {
  await expect(open(() => new Response('', { status: 503 })).renewTokens('r')).rejects.toMatchObject({
    code: 'auth/upstream',
    summary: 'the identity provider did not renew the tokens of a user',
    received: 'HTTP status 503',
  });
});
