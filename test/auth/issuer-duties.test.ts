/** What the specification asks of authorization servers, where ours is one. */

import { createIssuer, type OauthProxyOptions, oauthProxy } from '@tenon/issuer';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { createProxyOptions } from '../../packages/issuer/src/fixtures/test-proxy.js';
import {
  BACK,
  createTestIssuer,
  ISSUER,
  openTestIssuer,
  RESOURCE,
  readPage,
  type TestIssuer,
} from '../../packages/issuer/src/fixtures/visitor.js';

const located = (response: Response) => new URL(response.headers.get('location') ?? 'about:blank');

describe('metadata of an issuer', () => {
  const documents = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;
  const described = async (testIssuer: TestIssuer, path: string = documents[0]) =>
    (await (await testIssuer.send(path)).json()) as Record<string, unknown>;

  it.each(documents)(
    'contain at %s everything that a sign-in needs [auth.as-metadata.rfc8414-provided, auth.pkce.oidc-server-advertises, ext-client-credentials.as-auth-methods, ext-client-credentials.as-signing-algs, dpop.as-algs-advertised]',
    async path => {
      const document = await described(openTestIssuer(), path);
      expect(document).toMatchObject({ issuer: ISSUER, code_challenge_methods_supported: ['S256'] });
      expect(document.token_endpoint_auth_methods_supported).toEqual(
        expect.arrayContaining(['private_key_jwt', 'client_secret_basic']),
      );
      for (const field of ['token_endpoint_auth_signing_alg_values_supported', 'dpop_signing_alg_values_supported']) {
        const algorithms = document[field] as string[];
        expect(algorithms).toContain('ES256');
        expect(algorithms.filter(alg => !/^(ES|PS|RS)\d{3}$|^Ed(DSA|25519)$/.test(alg))).toEqual([]);
      }
    },
  );

  it('contain the default paths of the specification [auth.fallback.server-default-paths]', async () => {
    const document = await described(openTestIssuer());
    const { authorization_endpoint, token_endpoint, registration_endpoint } = document;
    expect([authorization_endpoint, token_endpoint, registration_endpoint]).toEqual(
      ['/authorize', '/token', '/register'].map(path => ISSUER + path),
    );
  });

  it('contain the exact `iss`, which is a URL without query and fragment [auth.iss-https-no-query]', async () => {
    const testIssuer = openTestIssuer();
    const { issuer } = await described(testIssuer);
    expect(located(await testIssuer.answer(await readPage(await testIssuer.ask()))).searchParams.get('iss')).toBe(
      issuer,
    );
    for (const url of [`${ISSUER}?a=b`, `${ISSUER}#a`, `${ISSUER}/?`, 'http://login.example.com'])
      expect(() => createIssuer({ url })).toThrow(expect.objectContaining({ code: 'auth/issuer-options' }));
  });
});

it('rotates the refresh token of a public client, and refuses a used one [auth.security.refresh-rotation]', async () => {
  const testIssuer = openTestIssuer();
  const use = (token = '') => testIssuer.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token: token });
  const first = (await testIssuer.redeem(await testIssuer.code())).body.refresh_token;
  const second = await use(first);
  expect([second.status, second.body.refresh_token === first]).toEqual([200, false]);
  expect((await use(first)).body.error).toBe('invalid_grant');
});

/** A proxy, and the provider behind it. */
function proxied(more: Partial<OauthProxyOptions['upstream']> = {}, provider = { status: 200, lasts: 60 }) {
  const testIssuer = createTestIssuer(clock =>
    oauthProxy(
      createProxyOptions({
        clock,
        fetch: async () => {
          const good = { access_token: 'of-the-provider', token_type: 'bearer', expires_in: provider.lasts };
          const body =
            provider.status === 200 ? good : { error: 'invalid_grant', error_description: 'of-the-provider' };
          const headers = { 'content-type': 'application/json' };
          return new Response(JSON.stringify(body), { status: provider.status, headers }) as never;
        },
        upstream: more,
      }),
    ),
  );
  return { testIssuer };
}

/** Agrees at the proxy, waits, and comes back from the provider. */
async function through({ testIssuer }: ReturnType<typeof proxied>, wait = 0) {
  const agreed = await testIssuer.answer(await readPage(await testIssuer.ask()));
  testIssuer.clock.advance(wait);
  const query = new URLSearchParams({ code: 'c', state: located(agreed).searchParams.get('state') ?? '' });
  const { cookie } = await readPage(agreed);
  return testIssuer.send(`/callback?${query}`, { headers: { cookie } });
}

describe('a proxy before an identity provider', () => {
  it('redirects only to registered URIs, exactly, and so does the provider [security.proxy.redirect-exact, auth.third-party.redirects-validated]', async () => {
    const { testIssuer } = proxied();
    const local = [
      `${BACK}/`,
      `${BACK}?a=b`,
      `${BACK}/../callback`,
      BACK.toUpperCase(),
      BACK.replace('callback', '%63allback'),
    ];
    for (const redirect_uri of [...local, 'https://evil.example.com/callback']) {
      const { status, headers } = await testIssuer.ask({ redirect_uri });
      expect([redirect_uri, status, headers.get('location')]).toEqual([redirect_uri, 400, null]);
    }
    const to = located(await testIssuer.answer(await readPage(await testIssuer.ask())));
    expect(to.searchParams.get('redirect_uri')).toBe(`${ISSUER}/callback`);
  });

  it('issues tokens of its own, and only the server can read those of the provider [auth.third-party.token-mapping, auth.third-party.chaining-considered]', async () => {
    const proxy = proxied();
    const { testIssuer } = proxy;
    const answer = await through(proxy);
    expect(located(answer).href.startsWith(BACK)).toBe(true);
    const { body } = await testIssuer.redeem(located(answer).searchParams.get('code') ?? '');
    expect(JSON.stringify(body)).not.toContain('of-the-provider');
    const claims = decodeJwt(body.access_token ?? '');
    expect(claims).toMatchObject({ iss: ISSUER, aud: RESOURCE, sub: 'ada' });
    expect(JSON.stringify(claims)).not.toContain('of-the-provider');
    const { getUpstreamToken } = testIssuer.issuer as ReturnType<typeof oauthProxy>;
    const of = (more: object) => getUpstreamToken({ principal: 'ada', claims: { ...claims, ...more } });
    expect(await of({})).toBe('of-the-provider');
    expect(await of({ sid: 'made-up' })).toBeUndefined();
    expect(await of({ iss: 'https://other.example.com' })).toBeUndefined();
  });

  it('waits ten minutes for a sign-in at the provider, and keeps its token until it expires [auth.third-party.session-timeout]', async () => {
    expect((await through(proxied(), 599_000)).headers.get('location')).toContain('code=');
    const late = await through(proxied(), 600_000);
    expect([late.status, late.headers.get('location')]).toEqual([400, null]);
    const proxy = proxied();
    const code = located(await through(proxy)).searchParams.get('code') ?? '';
    const claims = decodeJwt((await proxy.testIssuer.redeem(code)).body.access_token ?? '');
    proxy.testIssuer.clock.advance(60_000);
    const { getUpstreamToken } = proxy.testIssuer.issuer as ReturnType<typeof oauthProxy>;
    expect(await getUpstreamToken({ principal: 'ada', claims })).toBeUndefined();
  });

  it.each([
    ['refuses', proxied({}, { status: 400, lasts: 60 }), 'server_error'],
    ['fails', proxied({}, { status: 500, lasts: 60 }), 'server_error'],
    ['names nobody', proxied({ identifyUser: () => '' }), 'access_denied'],
  ])('reports to the client alone that the provider %s [auth.third-party.errors-handled]', async (_, proxy, error) => {
    const answer = located(await through(proxy));
    expect(Object.fromEntries(answer.searchParams)).toEqual({ error, state: 'st', iss: ISSUER });
  });
});
