/** What an attacker may try on a client that signs in, one test for each cause. */

import { type SignInOptions, signIn } from 'tenon/auth';
import { openBrowser } from 'tenon/auth/node';
import { describe, expect, it } from 'vitest';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  issuerMetadata,
  RESOURCE,
  refusal,
} from '../../../packages/tenon/src/auth/client/fixtures/world.js';
import { getBrowserCommand } from '../../../packages/tenon/src/runtimes/node/auth/browser.js';

const AS = `${ISSUER}/.well-known/oauth-authorization-server`;
const PRM = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp';
const EVIL = 'https://evil.example.com';

type Change = Parameters<typeof createBrowser>[0];

function setUp(routes: Parameters<typeof createFakeServers>[0] = {}, change?: Change, options: SignInOptions = {}) {
  const servers = createFakeServers(routes);
  const browser = createBrowser(change);
  return { servers, browser, auth: signIn({ redirect: browser.redirect, fetch: servers.fetch, ...options }) };
}

const advertising = { [AS]: { json: { ...issuerMetadata(), authorization_response_iss_parameter_supported: true } } };

describe('an authorization response of another issuer', () => {
  it.each([
    ['another issuer', EVIL],
    ['a slash at the end', `${ISSUER}/`],
    ['other letters', ISSUER.toUpperCase()],
    ['the default port', `${ISSUER}:443`],
    ['escapes', 'https://as.example.co%6D'],
    ['nothing', ''],
  ])(
    'is refused with iss of %s [auth.iss-present-compared auth.iss-mismatch-rejected auth.iss-simple-string-comparison auth.iss-no-normalization]',
    async (_, iss) => {
      for (const routes of [{}, advertising]) {
        const { auth, servers } = setUp(routes, answer => answer.set('iss', iss));
        await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/foreign-answer' });
        expect(servers.tokenRequests()).toEqual([]);
      }
    },
  );

  it('is refused without `iss` where the issuer advertises it [auth.iss-advertised-missing-rejected]', async () => {
    const { auth, servers } = setUp(advertising);
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/foreign-answer' });
    expect(servers.tokenRequests()).toEqual([]);
  });

  it('is refused with two `iss`', async () => {
    const { auth } = setUp({}, answer => {
      answer.append('iss', ISSUER);
      answer.append('iss', EVIL);
    });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/foreign-answer' });
  });

  it('is refused with an error, whose text is not shown [auth.iss-error-response-validated]', async () => {
    const { auth } = setUp({}, answer => {
      answer.set('iss', EVIL);
      answer.set('error', 'server_error');
      answer.set('error_description', 'call 555-0100');
    });
    const error = await auth.handleRefusal(refusal()).catch(thrown => thrown);
    expect(error.code).toBe('auth/foreign-answer');
    expect(`${error.message}${JSON.stringify(error)}`).not.toMatch(/server_error|555/);
  });

  it('is accepted with the right `iss`, or without one where none is advertised [auth.iss-not-advertised-missing-proceeds]', async () => {
    expect(await setUp(advertising, answer => answer.set('iss', ISSUER)).auth.handleRefusal(refusal())).toBe(true);
    expect(await setUp().auth.handleRefusal(refusal())).toBe(true);
  });
});

describe('metadata of another issuer', () => {
  it('are refused in the document of the issuer', async () => {
    const { auth, servers, browser } = setUp({ [AS]: { json: { ...issuerMetadata(), issuer: EVIL } } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/issuer-mismatch' });
    expect([browser.visited, servers.urls()]).toEqual([[], [PRM, AS]]);
  });
});

describe('the redirect URI of a sign-in', () => {
  it.each([
    'https://evil.example.com/callback',
    'http://127.0.0.1:8123/other',
    'http://127.0.0.1:8123.evil.example.com/callback',
  ])('refuses a response at %s', async elsewhere => {
    const { auth, servers } = setUp({}, undefined, {
      redirect: {
        begin: async () => ({
          uri: 'http://127.0.0.1:8123/callback',
          authorize: async url => `${elsewhere}?code=c&state=${url.searchParams.get('state')}`,
          close() {},
        }),
      },
    });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/callback' });
    expect(servers.tokenRequests()).toEqual([]);
  });

  it('cannot be changed by parameters of the endpoint', async () => {
    const endpoint = `${ISSUER}/authorize?redirect_uri=${EVIL}&state=fixed&code_challenge_method=plain&tenant=1#frag`;
    const { auth, browser } = setUp({ [AS]: { json: { ...issuerMetadata(), authorization_endpoint: endpoint } } });
    await auth.handleRefusal(refusal());
    const { searchParams, hash } = browser.visited[0] as URL;
    expect(searchParams.getAll('redirect_uri')).toEqual([browser.uri]);
    expect(searchParams.getAll('code_challenge_method')).toEqual(['S256']);
    expect(searchParams.getAll('state')).not.toContain('fixed');
    expect([searchParams.get('tenant'), hash]).toEqual(['1', '']);
  });
});

describe('the state of a sign-in', () => {
  it('refuses a response with the state of an earlier sign-in', async () => {
    let earlier = '';
    const { auth, servers } = setUp({}, (answer, request) => {
      const own = request.searchParams.get('state') ?? '';
      if (earlier) answer.set('state', earlier);
      earlier = own;
    });
    await auth.handleRefusal(refusal());
    await expect(
      auth.handleRefusal(refusal('Bearer', { sentHeaders: await headersOf(auth), url: 'https://mcp.example.com/mcp' })),
    ).resolves.toBe(true);
    await auth.signOut?.();
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/foreign-answer' });
    expect(servers.tokenRequests().filter(each => each.get('grant_type') === 'authorization_code')).toHaveLength(1);
  });
});

describe('PKCE', () => {
  it('is required of an authorization server', async () => {
    const { code_challenge_methods_supported: _, ...metadata } = issuerMetadata();
    const { auth, browser } = setUp({ [AS]: { json: metadata } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/no-pkce' });
    expect(browser.visited).toEqual([]);
  });

  it('uses a new verifier for each sign-in', async () => {
    const { auth, servers } = setUp();
    await auth.handleRefusal(refusal());
    await auth.signOut?.();
    await auth.handleRefusal(refusal());
    const verifiers = servers.tokenRequests().map(each => each.get('code_verifier'));
    expect(new Set(verifiers).size).toBe(2);
  });
});

describe('metadata that lead to private addresses', () => {
  const inside = 'http://169.254.169.254/latest/meta-data';

  it.each([
    ['the challenge', {}, `Bearer resource_metadata="${inside}"`],
    ['the challenge, by a private address', {}, 'Bearer resource_metadata="https://10.0.0.1/x"'],
    [
      'the metadata of the resource',
      { [PRM]: { json: { resource: RESOURCE, authorization_servers: ['https://192.168.0.1'] } } },
      'Bearer',
    ],
    ['a redirect', { [PRM]: { status: 302, headers: { location: inside } } }, 'Bearer'],
    [
      'the registration endpoint',
      { [AS]: { json: { ...issuerMetadata(), registration_endpoint: 'https://[::1]/register' } } },
      'Bearer',
    ],
    [
      'the token endpoint',
      { [AS]: { json: { ...issuerMetadata(), token_endpoint: 'https://localhost/token' } } },
      'Bearer',
    ],
  ])(
    'are refused by %s [security.ssrf.mitigated security.ssrf.private-ranges-blocked security.ssrf.redirects-checked]',
    async (_, routes, challenge) => {
      const { auth, servers } = setUp(routes);
      await expect(auth.handleRefusal(refusal(challenge))).rejects.toMatchObject({ code: 'auth/unsafe-url' });
      expect(servers.urls().filter(url => !/^https:\/\/(mcp|as)\.example\.com/.test(url))).toEqual([]);
    },
  );

  it('can be fetched through a proxy of the user [security.ssrf.egress-proxy]', async () => {
    const servers = createFakeServers();
    const passed: string[] = [];
    const auth = signIn({
      redirect: createBrowser().redirect,
      fetch: (url, init, guard) => {
        passed.push(url);
        return servers.fetch(url, init, guard);
      },
    });
    await auth.handleRefusal(refusal());
    expect(passed).toEqual(servers.urls());
  });
});

describe('the authorization URL (CVE-2025-6514)', () => {
  const endpoint = 'https://as.example.com/authorize?x=$(calc)&y=`id`;"|calc&%20z';

  it.each(['linux', 'darwin', 'win32'])(
    'is on %s one argument of a program, without a shell [security.auth-url.no-shell security.auth-url.native-opener security.auth-url.sanitized]',
    platform => {
      const { file, args } = getBrowserCommand(endpoint, platform);
      expect(['xdg-open', 'open', 'rundll32']).toContain(file);
      expect(args.at(-1)).not.toMatch(/["'\s|<>`$();!\\]/);
      expect([...new URL(args.at(-1) ?? '').searchParams]).toEqual([...new URL(endpoint).searchParams]);
    },
  );

  it.each([
    'file:///c:/windows/system32/calc.exe',
    'a:$(calc)?response_type=code',
    'javascript:alert(1)',
    'http:$(calc)',
  ])('is not opened: %s [security.auth-url.schemes]', async authorization_endpoint => {
    const { auth, browser } = setUp({ [AS]: { json: { ...issuerMetadata(), authorization_endpoint } } });
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/unsafe-url' });
    expect(browser.visited).toEqual([]);
    expect(() => openBrowser(authorization_endpoint)).toThrow(expect.objectContaining({ code: 'auth/unsafe-url' }));
  });
});

describe('a redirect of the token endpoint', () => {
  it('is not followed with secrets', async () => {
    const { auth, servers } = setUp(
      { [`${ISSUER}/token`]: { status: 307, headers: { location: `${EVIL}/token` } } },
      undefined,
      { client: { id: 'me', secret: 'word' } },
    );
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/redirected' });
    expect(servers.urls().some(url => url.startsWith(EVIL))).toBe(false);
  });
});

describe('errors of a sign-in', () => {
  it('contain no code, verifier, secret or token', async () => {
    const result = {
      error: 'invalid_request',
      error_description: 'bad code code-1-which-is-long-enough-to-be-one of secret',
    };
    for (const token of [
      { status: 400, json: result },
      { json: { access_token: 'access-token-in-an-answer', token_type: 'mac' } },
      { status: 500, text: 'access-token-in-an-answer' },
    ]) {
      const { auth, servers } = setUp(
        { [`${ISSUER}/token`]: token },
        answer => answer.set('code', 'code-1-which-is-long-enough-to-be-one'),
        {
          client: { id: 'me', secret: 'the-secret-word' },
        },
      );
      const error = await auth.handleRefusal(refusal()).catch(thrown => thrown);
      expect(error.code).toMatch(/^auth\//);
      const all = `${error.stack}${JSON.stringify(error)}${String(error.cause)}`;
      const verifier = servers.tokenRequests()[0]?.get('code_verifier') ?? 'none';
      for (const secret of ['code-1-which', 'the-secret-word', 'access-token-in', verifier])
        expect(all).not.toContain(secret);
    }
  });
});
