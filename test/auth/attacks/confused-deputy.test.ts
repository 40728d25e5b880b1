/**
 * An identity provider that knows one client, and a proxy before it for many: a consent that a user gave there long ago is
 * not one to the client of an attacker.
 */

import { type OauthProxyOptions, oauthProxy } from '@tenon/issuer';
import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { createProxyOptions } from '../../../packages/issuer/src/fixtures/test-proxy.js';
import {
  type BrowserPage,
  createFormRequest,
  createTestIssuer,
  ISSUER,
  RESOURCE,
  readPage,
} from '../../../packages/issuer/src/fixtures/visitor.js';

const IDP = 'https://idp.example.com';

function setUp(upstream: Partial<OauthProxyOptions['upstream']> = {}) {
  const sent: { url: string; body: string | undefined }[] = [];
  const errors: string[] = [];
  const testIssuer = createTestIssuer(clock =>
    oauthProxy(
      createProxyOptions({
        clock,
        onError: error => errors.push(String(error)),
        fetch: async (url, { body }) => {
          sent.push({ url, body });
          const json = { access_token: 'upstream-token', token_type: 'bearer', expires_in: 3600 };
          return new Response(JSON.stringify(json), { headers: { 'content-type': 'application/json' } }) as never;
        },
        upstream,
      }),
    ),
  );
  return { testIssuer, sent, errors };
}

/** Agrees, and gives where the browser is sent and the cookie that it has then. */
async function agree({ testIssuer }: ReturnType<typeof setUp>, page?: BrowserPage) {
  const response = await testIssuer.answer(page ?? (await readPage(await testIssuer.ask())));
  const to = new URL(response.headers.get('location') ?? 'about:blank');
  return { to, state: to.searchParams.get('state') ?? '', cookie: (await readPage(response)).cookie };
}

const back = (state: string, cookie: string, more: Record<string, string> = {}) =>
  [`/callback?${new URLSearchParams({ code: 'upstream-code', state, ...more })}`, { headers: { cookie } }] as const;

const codeOf = (response: Response) =>
  new URL(response.headers.get('location') ?? 'about:blank').searchParams.get('code');

describe('a proxy before an identity provider', () => {
  it('signs users in there, and issues tokens of its own [auth.token.own-server-only]', async () => {
    const set = setUp();
    const { to, state, cookie } = await agree(set);
    expect(to.origin).toBe(IDP);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      client_id: 'the-one',
      redirect_uri: `${ISSUER}/callback`,
    });
    const response = await set.testIssuer.send(...back(state, cookie));
    const { body } = await set.testIssuer.redeem(codeOf(response) ?? '');
    expect(decodeJwt(body.access_token ?? '')).toMatchObject({ iss: ISSUER, sub: 'ada', aud: RESOURCE });
    expect(JSON.stringify(body) + JSON.stringify(decodeJwt(body.access_token ?? ''))).not.toContain('upstream');
    const { issuer } = set.testIssuer as unknown as { issuer: ReturnType<typeof oauthProxy> };
    const claims = decodeJwt(body.access_token ?? '');
    expect(await issuer.getUpstreamToken({ principal: 'x', claims })).toBe('upstream-token');
    expect(await issuer.getUpstreamToken({ principal: 'x', claims: { ...claims, sid: 'another' } })).toBeUndefined();
    expect(await issuer.getUpstreamToken({ principal: 'x', claims: { ...claims, iss: 'another' } })).toBeUndefined();
  });
});

describe('a proxy with one client id for all clients', () => {
  it('asks the user about each client before it redirects [auth.proxy.consent-per-client security.proxy.consent-page security.proxy.no-cookie-before-consent security.proxy.consent-registry]', async () => {
    const set = setUp();
    await agree(set);
    const evil = 'https://evil.example.com/';
    const registered = await set.testIssuer.send('/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'The App', redirect_uris: [evil] }),
    });
    const { client_id } = (await registered.json()) as { client_id: string };
    const page = await readPage(await set.testIssuer.ask({ client_id, redirect_uri: evil }));
    expect(page.status).toBe(200);
    expect(page.headers.get('location')).toBeNull();
    for (const text of ['evil.example.com', evil, 'The App', 'idp.example.com', 'profile', 'has not been verified']) {
      expect(page.text).toContain(text);
    }
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('refuses the response in a browser without consent [security.proxy.state-handling]', async () => {
    const set = setUp();
    const [attacker, victim] = [await agree(set), await agree(set)];
    for (const cookie of ['', victim.cookie, `${attacker.cookie.split('=')[0]}=${victim.cookie.split('=')[1]}`]) {
      const response = await set.testIssuer.send(...back(attacker.state, cookie));
      expect([response.status, codeOf(response)]).toEqual([400, null]);
    }
    expect(set.sent).toEqual([]);
    expect(codeOf(await set.testIssuer.send(...back(attacker.state, attacker.cookie)))).not.toBeNull();
  });

  it('refuses the cookie of the consent page at the callback', async () => {
    const set = setUp();
    const page = await readPage(await set.testIssuer.ask());
    const { state, cookie } = await agree(set, page);
    expect(cookie).not.toBe(page.cookie);
    expect((await set.testIssuer.send(...back(state, page.cookie))).status).toBe(400);
  });

  it('accepts its own state once, for ten minutes', async () => {
    const set = setUp();
    const { state, cookie } = await agree(set);
    expect((await set.testIssuer.send(...back('made-up', cookie))).status).toBe(400);
    expect((await set.testIssuer.send(...back(state, cookie))).status).toBe(303);
    expect((await set.testIssuer.send(...back(state, cookie))).status).toBe(400);
    const late = await agree(set);
    set.testIssuer.clock.advance(600_000);
    expect((await set.testIssuer.send(...back(late.state, late.cookie))).status).toBe(400);
  });

  it('uses its own PKCE verifier at the identity provider', async () => {
    const set = setUp();
    const { to, state, cookie } = await agree(set);
    expect(to.searchParams.get('code_challenge_method')).toBe('S256');
    await set.testIssuer.send(...back(state, cookie));
    expect(new URLSearchParams(set.sent[0]?.body).get('code_verifier')).toMatch(/^[\w-]{43}$/);
  });

  it('refuses the response of another issuer', async () => {
    const set = setUp({ issuer: IDP });
    const { state, cookie } = await agree(set);
    const response = await set.testIssuer.send(...back(state, cookie, { iss: 'https://evil.example.com' }));
    expect(codeOf(response)).toBeNull();
    expect(set.sent).toEqual([]);
  });

  it('sets cookies that only this host and no script can read [security.proxy.consent-cookie]', async () => {
    const { testIssuer } = setUp();
    const response = await testIssuer.answer(await readPage(await testIssuer.ask()));
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-.*; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  });

  it('hides the error and the secrets of the identity provider', async () => {
    const set = setUp({
      identifyUser: () => {
        throw new Error('upstream-token is bad');
      },
    });
    const { state, cookie } = await agree(set);
    const response = await set.testIssuer.send(...back(state, cookie));
    const to = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(to.searchParams)).toEqual({ error: 'server_error', state: 'st', iss: ISSUER });
    expect(set.errors).toHaveLength(1);
    expect(set.errors.join()).not.toMatch(/upstream-(token|secret|code)/);
  });

  it('accepts no token of the identity provider', async () => {
    const set = setUp();
    const answer = await set.testIssuer.send(
      '/token',
      createFormRequest({ grant_type: 'refresh_token', client_id: 'app', refresh_token: 'upstream-token' }),
    );
    expect(answer.status).toBe(400);
  });
});
