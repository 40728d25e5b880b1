/** What stands behind the tokens of a proxy: those of the identity provider. */

import { type OauthProxyOptions, oauthProxy } from '@tenon/issuer';
import { decodeJwt } from 'jose';
import { memoryStores, type Stores } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createProxyOptions } from '../../packages/issuer/src/fixtures/test-proxy.js';
import {
  createFormRequest,
  createTestIssuer,
  ISSUER,
  RESOURCE,
  readPage,
} from '../../packages/issuer/src/fixtures/visitor.js';

interface Provider {
  status: number;
  refresh?: string;
  lasts: number;
  readonly requests: string[];
  /** Members of its token responses. */
  readonly more?: object;
}

const located = (response: Response) => new URL(response.headers.get('location') ?? 'about:blank');

/** A proxy through which somebody has signed in, and the provider behind it. */
async function signedIn(of: Partial<Provider> = {}, more: Partial<OauthProxyOptions> = {}) {
  const provider: Provider = { status: 200, lasts: 120, requests: [], ...of };
  const testIssuer = createTestIssuer(clock =>
    oauthProxy(
      createProxyOptions({
        clock,
        fetch: async (_, init) => {
          const request = new URLSearchParams(String((init as { body?: unknown }).body));
          provider.requests.push(`${request.get('grant_type')} ${request.get('refresh_token') ?? ''}`.trim());
          const good = {
            access_token: `upstream-${provider.requests.length}`,
            token_type: 'bearer',
            expires_in: provider.lasts,
            ...(provider.refresh === undefined ? {} : { refresh_token: provider.refresh }),
            ...provider.more,
          };
          const body = provider.status === 200 ? good : { error: 'invalid_grant' };
          const headers = { 'content-type': 'application/json' };
          return new Response(JSON.stringify(body), { status: provider.status, headers }) as never;
        },
        ...more,
      }),
    ),
  );
  const agreed = await testIssuer.answer(await readPage(await testIssuer.ask()));
  const query = new URLSearchParams({ code: 'c', state: located(agreed).searchParams.get('state') ?? '' });
  const back = await testIssuer.send(`/callback?${query}`, { headers: { cookie: (await readPage(agreed)).cookie } });
  const { body } = await testIssuer.redeem(located(back).searchParams.get('code') ?? '');
  const claims = decodeJwt(body.access_token ?? '');
  const { getUpstreamToken } = testIssuer.issuer as ReturnType<typeof oauthProxy>;
  return {
    testIssuer,
    provider,
    body,
    renew: (refresh_token = body.refresh_token ?? '') =>
      testIssuer.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token }),
    upstream: () => getUpstreamToken({ principal: 'ada', claims }),
    claims,
  };
}

const lifeOf = (token = '') => {
  const { exp = 0, iat = 0 } = decodeJwt(token);
  return exp - iat;
};

describe('the client of the proxy at the provider', () => {
  it.each(['clientId', 'clientSecret'])('rejects an empty %s', name => {
    const upstream = {
      authorizeUrl: 'https://idp.example.com/authorize',
      tokenUrl: 'https://idp.example.com/token',
      ...{ clientId: 'the-one', clientSecret: 'secret-of-the-proxy', scopes: [] },
      identifyUser: () => 'ada',
    };
    expect(() => oauthProxy({ url: ISSUER, resources: [RESOURCE], upstream: { ...upstream, [name]: '' } })).toThrow(
      expect.objectContaining({ code: 'auth/issuer-options' }),
    );
  });
});

describe('a token of the proxy', () => {
  it('expires no later than the token of the provider [auth.third-party.token-status]', async () => {
    expect(lifeOf((await signedIn({ lasts: 120 })).body.access_token)).toBe(120);
    expect(lifeOf((await signedIn({ lasts: 86_400 })).body.access_token)).toBeLessThan(86_400);
  });

  it.each<[string, object]>([
    ['a lifetime as text', { expires_in: '120' }],
    ['`null` members and no token type', { refresh_token: null, scope: null, id_token: null, token_type: null }],
  ])('is issued for a response of the provider with %s', async (_, more) => {
    expect(lifeOf((await signedIn({ more })).body.access_token)).toBe(120);
  });

  it('is not refreshed after the token of the provider has expired [auth.third-party.token-status auth.third-party.lifecycle]', async () => {
    const { testIssuer, renew, upstream } = await signedIn();
    testIssuer.clock.advance(119_000);
    expect(await upstream()).toBe('upstream-1');
    testIssuer.clock.advance(1_000);
    expect((await renew()).body.error).toBe('invalid_grant');
    expect(await upstream()).toBeUndefined();
  });

  it('is refreshed by refreshing the token of the provider, once for concurrent requests [auth.third-party.lifecycle]', async () => {
    const { testIssuer, provider, renew, upstream } = await signedIn({ refresh: 'first' });
    provider.refresh = 'second';
    testIssuer.clock.advance(100_000);
    const [renewed, one, other] = await Promise.all([renew(), upstream(), upstream()]);
    expect(provider.requests).toEqual(['authorization_code', 'refresh_token first']);
    expect([one, other]).toEqual(['upstream-2', 'upstream-2']);
    expect(lifeOf(renewed.body.access_token)).toBe(120);
    testIssuer.clock.advance(100_000);
    expect((await renew(renewed.body.refresh_token)).status).toBe(200);
    expect(provider.requests.at(-1)).toBe('refresh_token second');
  });

  it('ends when the provider revokes its token [auth.third-party.token-status auth.third-party.lifecycle]', async () => {
    const { testIssuer, provider, renew, upstream } = await signedIn({ refresh: 'first' });
    provider.status = 400;
    testIssuer.clock.advance(100_000);
    expect((await renew()).body.error).toBe('invalid_grant');
    expect(await upstream()).toBeUndefined();
  });

  it('ends with the token of the provider when its client revokes it', async () => {
    const { testIssuer, renew, upstream, body } = await signedIn({ refresh: 'first' });
    const revoke = (client_id: string) =>
      testIssuer.send('/revoke', createFormRequest({ client_id, token: body.refresh_token ?? '' }));
    await revoke('another');
    expect(await upstream()).toBe('upstream-1');
    expect((await revoke('app')).status).toBe(200);
    expect(await upstream()).toBeUndefined();
    expect((await renew()).body.error).toBe('invalid_grant');
  });

  it('survives an outage of the provider', async () => {
    const { testIssuer, provider, renew } = await signedIn({ refresh: 'first' });
    provider.status = 503;
    testIssuer.clock.advance(100_000);
    const away = await renew();
    expect(away.status).toBeGreaterThanOrEqual(500);
    expect(JSON.stringify(away.body)).not.toContain('upstream');
    provider.status = 200;
    expect((await renew()).status).toBe(200);
  });
});

describe('the tokens of the provider in the store', () => {
  const entries = (stores: Stores) => stores.values.list('issuer/upstream/');
  const key = (id: string, fill: number) => ({ id, key: new Uint8Array(32).fill(fill) });

  /** The same proxy in another process, or after a restart, with other keys. */
  function again(stores: Stores, claims: Record<string, unknown>, more: Partial<OauthProxyOptions> = {}) {
    const errors: string[] = [];
    const { getUpstreamToken } = oauthProxy({
      url: ISSUER,
      stores,
      onError: ({ code }) => errors.push(code),
      upstream: {
        authorizeUrl: 'https://idp.example.com/authorize',
        tokenUrl: 'https://idp.example.com/token',
        clientId: 'the-one',
        clientSecret: 'secret-of-the-proxy',
        scopes: ['profile'],
        identifyUser: () => 'ada',
      },
      ...more,
    });
    return { errors, upstream: () => getUpstreamToken({ principal: 'ada', claims }) };
  }

  it('are encrypted, also after a refresh', async () => {
    const stores = memoryStores();
    const { testIssuer, provider, upstream } = await signedIn({ refresh: 'first' }, { stores });
    const before = JSON.stringify(await entries(stores));
    provider.refresh = 'second';
    testIssuer.clock.advance(100_000);
    expect(await upstream()).toBe('upstream-2');
    const after = JSON.stringify(await entries(stores));
    expect(after).not.toBe(before);
    for (const secret of ['upstream-1', 'upstream-2', 'first', 'second']) expect(before + after).not.toContain(secret);
  });

  it('are readable for every process with the same client secret', async () => {
    const stores = memoryStores();
    const { claims } = await signedIn({ lasts: 10_000_000_000 }, { stores });
    expect(await again(stores, claims).upstream()).toBe('upstream-1');
  });

  it('are readable with a former key until it is removed, and then the user signs in again', async () => {
    const stores = memoryStores();
    const encryptionKeys = [key('a', 1)];
    const { claims } = await signedIn({ lasts: 10_000_000_000 }, { stores, encryptionKeys });
    const rotated = again(stores, claims, { encryptionKeys: [key('b', 2), key('a', 1)] });
    expect([await rotated.upstream(), rotated.errors]).toEqual(['upstream-1', []]);
    const without = again(stores, claims, { encryptionKeys: [key('b', 2)] });
    expect([await without.upstream(), without.errors]).toEqual([undefined, ['auth/upstream']]);
  });

  it('are useless in the entry of another user', async () => {
    const stores = memoryStores();
    const [ada, eve] = [await signedIn({}, { stores }), await signedIn({}, { stores })];
    expect([await ada.upstream(), await eve.upstream()]).toEqual(['upstream-1', 'upstream-1']);
    const [first, second] = await entries(stores);
    await stores.values.put(first?.key ?? '', second?.value ?? {});
    await stores.values.put(second?.key ?? '', first?.value ?? {});
    expect([await ada.upstream(), await eve.upstream()]).toEqual([undefined, undefined]);
  });

  it.each([
    ['none', []],
    ['one that is too short', [{ id: 'a', key: new Uint8Array(16) }]],
    ['two of one id', [key('a', 1), key('a', 2)]],
  ])('are not encrypted with %s', async (_, encryptionKeys) => {
    await expect(signedIn({}, { encryptionKeys })).rejects.toMatchObject({ code: 'auth/issuer-options' });
  });
});
