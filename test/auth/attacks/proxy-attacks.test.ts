/** Attacks that have succeeded against OAuth proxies of other projects. Each is tried on `oauthProxy`. */

import { type OauthProxyOptions, oauthProxy } from '@tenon/issuer';
import { memoryStores } from 'tenon';
import { describe, expect, it } from 'vitest';
import { createProxyOptions } from '../../../packages/issuer/src/fixtures/test-proxy.js';
import {
  BACK,
  createTestIssuer,
  ISSUER,
  RESOURCE,
  readPage,
  type TestIssuer,
} from '../../../packages/issuer/src/fixtures/visitor.js';

const EVIL = 'https://evil.example.com/back';
const HOSTED = 'https://app.example.com/back';

function setUp(more: Partial<OauthProxyOptions> = {}): TestIssuer {
  return createTestIssuer(clock =>
    oauthProxy(
      createProxyOptions({
        clock,
        onError: () => {},
        fetch: async () =>
          new Response('{"access_token":"upstream-token","token_type":"bearer","expires_in":3600}', {
            headers: { 'content-type': 'application/json' },
          }) as never,
        ...more,
      }),
    ),
  );
}

interface Registration {
  readonly client_id: string;
  readonly redirect_uris: readonly string[];
  readonly error?: string;
}

async function register(testIssuer: TestIssuer, redirect_uris: string[]) {
  const response = await testIssuer.send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris, token_endpoint_auth_method: 'none' }),
  });
  const text = await response.text();
  return { status: response.status, text, body: JSON.parse(text) as Registration };
}

const locate = (response: Response) => new URL(response.headers.get('location') ?? 'about:blank');

async function agree(testIssuer: TestIssuer, fields: Record<string, string> = {}) {
  const response = await testIssuer.answer(await readPage(await testIssuer.ask(fields)));
  const { cookie } = await readPage(response);
  return { state: locate(response).searchParams.get('state') ?? '', cookie };
}

const comeBack = (testIssuer: TestIssuer, { state, cookie }: { state: string; cookie: string }, more = {}) =>
  testIssuer.send(`/callback?${new URLSearchParams({ state, code: 'c', ...more })}`, { headers: { cookie } });

describe('a user who has allowed a client before', () => {
  it.each(['cross-site', 'same-origin', 'none'])('is asked again for a navigation that is %s', async site => {
    const testIssuer = setUp();
    const first = await agree(testIssuer);
    await comeBack(testIssuer, first);
    const path = `/authorize?${new URLSearchParams({ client_id: 'app', redirect_uri: BACK, response_type: 'code', resource: RESOURCE, code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' })}`;
    const again = await testIssuer.send(path, { headers: { cookie: first.cookie, 'sec-fetch-site': site } });
    expect([again.status, again.headers.get('location')]).toEqual([200, null]);
    expect(await again.text()).toContain('Allow access?');
  });
});

describe('a client that registers itself', () => {
  it('gets credentials of its own, and cannot use those of the proxy', async () => {
    const testIssuer = setUp();
    const { text, body } = await register(testIssuer, [HOSTED]);
    expect(text).not.toMatch(/the-one|secret-of-the-proxy/);
    expect((await register(testIssuer, [HOSTED])).body.client_id).not.toBe(body.client_id);
    expect((await testIssuer.ask({ client_id: 'the-one' })).status).toBe(400);
    const fields = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'the-one' };
    expect((await testIssuer.token({ ...fields, client_secret: 'secret-of-the-proxy' })).status).toBe(401);
  });

  it('cannot use the redirect URI of another client', async () => {
    const testIssuer = setUp();
    const { body } = await register(testIssuer, [EVIL]);
    for (const fields of [{ client_id: body.client_id }, { redirect_uri: EVIL }])
      expect((await testIssuer.ask(fields)).status).toBe(400);
  });
});

describe('rules for redirect URIs', () => {
  const redirectRules = [HOSTED, 'loopback'];

  it.each([
    ['another host', EVIL],
    ['a host that begins alike', 'https://app.example.com.evil.example/back'],
    ['a user in front of the host', 'https://app.example.com@evil.example/back'],
    ['another path', `${HOSTED}/../other`],
    ['an app', 'com.example.app:/back'],
  ])('refuse the registration of %s', async (_, uri) => {
    const { status, body } = await register(setUp({ redirectRules }), [uri]);
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it('leave out the URIs of a registration that are not allowed', async () => {
    const testIssuer = setUp({ redirectRules });
    const { status, body } = await register(testIssuer, [EVIL, HOSTED, 'http://localhost:1/any']);
    expect([status, body.redirect_uris]).toEqual([201, [HOSTED, 'http://localhost:1/any']]);
    const { client_id } = body;
    expect((await testIssuer.ask({ client_id, redirect_uri: EVIL })).status).toBe(400);
    expect((await testIssuer.ask({ client_id, redirect_uri: HOSTED })).status).toBe(200);
    expect((await testIssuer.ask({ client_id, redirect_uri: 'http://localhost:7/any' })).status).toBe(200);
  });

  it('do not apply to clients of the configuration', async () => {
    expect((await setUp({ redirectRules: [] }).ask()).status).toBe(200);
  });

  it('apply to the document of a client', async () => {
    const client_id = 'https://app.example.com/client.json';
    const document = { client_id, client_name: 'The App', redirect_uris: [HOSTED, EVIL] };
    const fetch: OauthProxyOptions['fetch'] = async () => new Response(JSON.stringify(document)) as never;
    const testIssuer = setUp({ redirectRules: ['same-origin'], fetch });
    expect((await testIssuer.ask({ client_id, redirect_uri: HOSTED })).status).toBe(200);
    const refused = await testIssuer.ask({ client_id, redirect_uri: EVIL });
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
  });

  it('apply to clients and pages that are older than the rules', async () => {
    const stores = memoryStores();
    const before = setUp({ stores });
    const { body } = await register(before, [EVIL]);
    const fields = { client_id: body.client_id, redirect_uri: EVIL };
    const page = await readPage(await before.ask(fields));
    const denied = await readPage(await before.ask(fields));
    const begun = await agree(before, fields);
    const after = setUp({ stores, redirectRules });
    for (const response of [
      await after.ask(fields),
      await after.answer(page),
      await after.answer(denied, { answer: 'deny' }),
      await comeBack(after, begun, { error: 'access_denied' }),
    ])
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });
});

describe('a token of the proxy', () => {
  it.each(['https://other.example.com/mcp', `${RESOURCE}/`, 'https://mcp.example.com', 'https://mcp.example.com/MCP'])(
    'is not issued for the resource %s',
    async resource => {
      const testIssuer = setUp();
      expect(locate(await testIssuer.ask({ resource })).searchParams.get('error')).toBe('invalid_target');
      const code = locate(await comeBack(testIssuer, await agree(testIssuer))).searchParams.get('code') ?? '';
      expect((await testIssuer.redeem(code, { resource })).body.error).toBe('invalid_target');
    },
  );
});

describe('the response of the identity provider', () => {
  it('reaches neither the page nor the client with its texts', async () => {
    const testIssuer = setUp();
    const texts = { error: '<script>alert(1)</script>', error_description: '<img src=x onerror=alert(1)>' };
    const lost = await comeBack(testIssuer, { state: '<script>', cookie: '' }, texts);
    expect([lost.status, await lost.text()]).toEqual([400, expect.not.stringMatching(/<script|<img/)]);
    const response = await comeBack(testIssuer, await agree(testIssuer), texts);
    expect(Object.fromEntries(locate(response).searchParams)).toEqual({
      error: 'server_error',
      state: 'st',
      iss: ISSUER,
    });
  });
});
