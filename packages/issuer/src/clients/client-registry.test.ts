import type { TenonError } from '@tenon/base';
import type { AuthFetch } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { BACK, openTestIssuer, readPage, type TestIssuer } from '../fixtures/visitor.js';
import { isRedirectUri, isRegisteredRedirect } from './redirect-uri.js';

const ID = 'https://app.example.com/client.json';
const document = { client_id: ID, client_name: 'The Published App', redirect_uris: [BACK] };

async function register(
  testIssuer: TestIssuer,
  metadata: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await testIssuer.send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

describe('a client that registers itself', () => {
  it('can sign users in [auth.dcr.optional]', async () => {
    const testIssuer = openTestIssuer();
    const { status, body } = await register(testIssuer, {
      client_name: 'Mine',
      redirect_uris: [BACK],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      redirect_uris: [BACK],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    });
    expect(body.client_secret).toBeUndefined();
    const client_id = String(body.client_id);
    const tokens = await testIssuer.redeem(await testIssuer.code({ client_id }), { client_id });
    expect(tokens.body.refresh_token).toBeDefined();
  });

  it.each([
    ['of control and direction', 'My\u0007\u202e\u2028 App'],
    ['that are blank letters', 'My\u3164\u115f\u034f App'],
    ['of an escape sequence', 'My\u001b[31m App'],
  ])('gets a name without characters %s', async (_, client_name) => {
    const testIssuer = openTestIssuer();
    const { body } = await register(testIssuer, { redirect_uris: [BACK], client_name });
    const page = await testIssuer.ask({ client_id: String(body.client_id) });
    expect(await page.text()).toContain('<strong>My App</strong>');
  });

  it('gets a secret unless it declines one, and then needs it', async () => {
    const testIssuer = openTestIssuer();
    const { body } = await register(testIssuer, { redirect_uris: [BACK] });
    const [client_id, client_secret] = [String(body.client_id), String(body.client_secret)];
    expect(body).toMatchObject({
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret_expires_at: expect.any(Number),
    });
    const code = await testIssuer.code({ client_id });
    expect((await testIssuer.redeem(code, { client_id })).body.error).toBe('invalid_client');
    const authorization = `Basic ${btoa(`${client_id}:${client_secret}`)}`;
    const fields = { grant_type: 'authorization_code', code, redirect_uri: BACK, code_verifier: 'v'.repeat(43) };
    expect((await testIssuer.token(fields, { authorization })).status).toBe(200);
  });

  it.each([
    ['tokens of its own', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [
      'a way to show who it is that there is not',
      { token_endpoint_auth_method: 'tls_client_auth' },
      'invalid_client_metadata',
    ],
    ['tokens without a code', { response_types: ['token'] }, 'invalid_client_metadata'],
    ['another type', { application_type: 'desktop' }, 'invalid_client_metadata'],
    ['keys that are not there', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
    ['no place to come back to', { redirect_uris: undefined }, 'invalid_redirect_uri'],
  ])('does not get %s', async (_, metadata, error) => {
    const { status, body } = await register(openTestIssuer(), { redirect_uris: [BACK], ...metadata });
    expect([status, body.error]).toEqual([400, error]);
  });

  it('gets 404 with `registration: false`', async () => {
    expect((await register(openTestIssuer({ registration: false }), { redirect_uris: [BACK] })).status).toBe(404);
  });
});

describe('a client whose id is the URL of a document', () => {
  function published(answer: object | string = document, headers: Record<string, string> = {}, status = 200) {
    const requests: string[] = [];
    const fetch: AuthFetch = async url => {
      requests.push(url);
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return new Response(text, { status, headers }) as never;
    };
    return { requests, testIssuer: openTestIssuer({ fetch }) };
  }

  it('appears on the page with its name and its host [auth.cimd.supported auth.cimd.as-fetches auth.cimd.as-shows-redirect-host auth.cimd.as-localhost-warning]', async () => {
    const { testIssuer } = published();
    const page = await readPage(await testIssuer.ask({ client_id: ID }));
    for (const text of [
      'The Published App',
      'published at <strong>app.example.com',
      '127.0.0.1:8123',
      'on the computer',
    ]) {
      expect(page.text).toContain(text);
    }
    const tokens = await testIssuer.redeem(await testIssuer.code({ client_id: ID }), { client_id: ID });
    expect(tokens.status).toBe(200);
  });

  it.each([
    ['another client_id', { ...document, client_id: `${ID}/` }],
    ['no name', { ...document, client_name: undefined }],
    ['no redirect URIs', { ...document, redirect_uris: undefined }],
    ['other redirect URIs', { ...document, redirect_uris: ['https://app.example.com/'] }],
    ['a secret', { ...document, client_secret: 'x' }],
    ['a shared secret for a method', { ...document, token_endpoint_auth_method: 'client_secret_post' }],
    ['no JSON', '<html>'],
    ['no object', '[]'],
    ['no end', { ...document, more: 'x'.repeat(20_000) }],
  ])(
    'is refused with %s [auth.cimd.as-checks-structure auth.cimd.as-checks-client-id auth.cimd.as-checks-redirect]',
    async (_, answer) => {
      const { testIssuer } = published(answer);
      expect((await testIssuer.ask({ client_id: ID })).status).toBe(400);
    },
  );

  it('is refused when its document redirects', async () => {
    const { testIssuer, requests } = published('', { location: 'https://elsewhere.example.com/' }, 302);
    expect((await testIssuer.ask({ client_id: ID })).status).toBe(400);
    expect(requests).toEqual([ID]);
  });

  it.each([
    'http://app.example.com/client.json',
    'https://127.0.0.1/client.json',
    'https://[::ffff:10.0.0.1]/client.json',
    'https://169.254.169.254/latest/meta-data',
    'https://intranet.local/client.json',
    'https://user:pass@app.example.com/client.json',
    'https://app.example.com',
    'https://app.example.com/a/../client.json',
    'https://APP.example.com/client.json',
    `${ID}#x`,
  ])('is refused without a request at %s [auth.cimd.as-ssrf]', async id => {
    const { testIssuer, requests } = published({ ...document, client_id: id });
    expect((await testIssuer.ask({ client_id: id })).status).toBe(400);
    expect(requests).toEqual([]);
  });

  it.each([
    ['nothing', {}, 299_000, 1],
    ['nothing', {}, 300_000, 2],
    ['max-age', { 'cache-control': 'public, max-age=60' }, 59_000, 1],
    ['max-age', { 'cache-control': 'public, max-age=60' }, 60_000, 2],
    ['no-store', { 'cache-control': 'no-store, max-age=60' }, 0, 2],
  ])('is cached as its headers state: %s %o [auth.cimd.as-caches]', async (_, headers, ms, times) => {
    const { testIssuer, requests } = published(document, headers);
    await testIssuer.ask({ client_id: ID });
    testIssuer.clock.advance(ms);
    await testIssuer.ask({ client_id: ID });
    expect(requests).toHaveLength(times);
  });

  it('is refused when its document cannot be reached, which the operator learns with a next step', async () => {
    const errors: TenonError[] = [];
    const fetch: AuthFetch = () => Promise.reject(new Error('getaddrinfo ENOTFOUND app.example.com'));
    const testIssuer = openTestIssuer({ fetch, onError: error => errors.push(error) });
    expect((await testIssuer.ask({ client_id: ID })).status).toBe(400);
    expect(errors).toMatchObject([
      { code: 'auth/unreachable', received: ID, hint: expect.stringContaining('clientMetadataDocuments: false') },
    ]);
  });

  it.each([
    ['other.example.com', 400],
    ['app.example.com', 200],
  ])('is accepted only if the option allows it: %s [auth.cimd.as-trust-policy]', async (host, status) => {
    const fetch: AuthFetch = async () => new Response(JSON.stringify(document)) as never;
    const testIssuer = openTestIssuer({ clientMetadataDocuments: url => url.host === host, fetch });
    expect((await testIssuer.ask({ client_id: ID })).status).toBe(status);
  });

  it('is refused if the option returns another value than true', async () => {
    const fetch: AuthFetch = async () => new Response(JSON.stringify(document)) as never;
    const testIssuer = openTestIssuer({ clientMetadataDocuments: (async () => false) as never, fetch });
    expect((await testIssuer.ask({ client_id: ID })).status).toBe(400);
  });
});

describe('isRedirectUri', () => {
  it.each([
    ['https://app.example.com/back', 'web', true],
    ['https://localhost/back', 'web', false],
    ['https://10.0.0.1/back', 'web', false],
    ['http://localhost:3000', 'native', true],
    ['http://[::1]:3000/back', 'native', true],
    ['http://127.0.0.1.example.com/', 'native', false],
    ['com.example.app:/back', 'native', true],
    ['app://back', 'native', false],
    ['https://user@app.example.com/', 'web', false],
    ['https://app.example.com/ a', 'web', false],
  ] as const)('checks %s of a %s application: %s', (uri, kind, fit) => {
    expect(isRedirectUri(uri, kind)).toBe(fit);
  });

  it('accepts a configured scheme, unless browsers use it', () => {
    expect(isRedirectUri('app://back', 'native', ['app'])).toBe(true);
    expect(isRedirectUri('javascript://back', 'native', ['javascript'])).toBe(false);
  });

  it('rejects another path, also on loopback', () => {
    expect(isRegisteredRedirect('http://localhost:1/a', ['http://localhost:2/a'])).toBe(true);
    expect(isRegisteredRedirect('http://localhost:1/b', ['http://localhost:2/a'])).toBe(false);
    expect(isRegisteredRedirect('http://localhost:1/a#b', ['http://localhost:2/a#b'])).toBe(false);
  });
});
