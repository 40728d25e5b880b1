/** A browser is sent only to where a client is known to be, and not on the word of just anybody. */
import { describe, expect, it } from 'vitest';
import { BACK, openTestIssuer, readPage, type TestIssuer } from '../../../packages/issuer/src/fixtures/visitor.js';

const EVIL = 'https://evil.example.com/';

async function register(
  testIssuer: TestIssuer,
  metadata: object,
): Promise<{ status: number; body: Record<string, string> }> {
  const response = await testIssuer.send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token_endpoint_auth_method: 'none', ...metadata }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
}

describe('redirects of an issuer', () => {
  it.each([
    ['another host', EVIL],
    ['a host that begins alike', `${BACK.replace('127.0.0.1', '127.0.0.1.evil.example.com')}`],
    ['a user in front of the host', 'http://127.0.0.1:8123@evil.example.com/callback'],
    ['more of the path', `${BACK}/more`],
    ['less of the path', 'http://127.0.0.1:8123/'],
    ['a query', `${BACK}?next=${EVIL}`],
    ['a fragment', `${BACK}#x`],
    ['dots in the path', 'http://127.0.0.1:8123/x/../callback'],
    ['another case', BACK.replace('callback', 'Callback')],
    ['another name of the machine', BACK.replace('127.0.0.1', 'localhost')],
    ['TLS', BACK.replace('http:', 'https:')],
    ['another port of what is no loopback', 'https://app.example.com:8443/back'],
    ['a script', 'javascript:alert(1)//http://127.0.0.1:8123/callback'],
  ])('refuse a redirect URI with %s [auth.redirect.exact-match auth.redirect.untrusted-prevented]', async (_, uri) => {
    for (const fields of [{}, { response_type: 'token' }]) {
      const response = await openTestIssuer().ask({ ...fields, redirect_uri: uri });
      expect(response.status).toBe(400);
      expect(response.headers.get('location')).toBeNull();
      expect(await response.text()).not.toContain('evil');
    }
  });

  it('refuse two redirect URIs, also if one is registered', async () => {
    const testIssuer = openTestIssuer();
    const request = new URLSearchParams({ client_id: 'app', redirect_uri: BACK, response_type: 'code' });
    request.append('redirect_uri', EVIL);
    expect((await testIssuer.send(`/authorize?${request}`)).status).toBe(400);
  });

  it('accept any port of a loopback address [auth.redirect.exact-match]', async () => {
    const testIssuer = openTestIssuer();
    expect((await testIssuer.ask({ redirect_uri: BACK.replace('8123', '50123') })).status).toBe(200);
    const code = await testIssuer.code({ redirect_uri: BACK.replace('8123', '50123') });
    expect((await testIssuer.redeem(code)).body.error).toBe('invalid_grant');
  });

  it('need a click of the user after an invalid request of a registered client [auth.redirect.auto-only-trusted]', async () => {
    const testIssuer = openTestIssuer();
    const { body } = await register(testIssuer, { redirect_uris: [EVIL] });
    const page = await readPage(
      await testIssuer.ask({ client_id: body.client_id, redirect_uri: EVIL, scope: 'nonsense' }),
    );
    expect(page.status).toBe(400);
    expect(page.headers.get('location')).toBeNull();
    expect(page.text).toContain('Go back to evil.example.com');
  });

  it.each([
    ['a script', { redirect_uris: ['javascript:alert(1)'] }],
    ['data', { redirect_uris: ['data:text/html,x'] }],
    ['a file', { redirect_uris: ['file:///etc/passwd'] }],
    ['a scheme without a dot', { redirect_uris: ['evil://x'] }],
    ['http: of another machine', { redirect_uris: ['http://app.example.com/'] }],
    ['a fragment', { redirect_uris: ['https://app.example.com/#x'] }],
    ['none', { redirect_uris: [] }],
    ['loopback, for the web', { redirect_uris: [BACK], application_type: 'web' }],
    ['an app, for the web', { redirect_uris: ['com.example.app:/x'], application_type: 'web' }],
  ])('refuse the registration of %s', async (_, metadata) => {
    const { status, body } = await register(openTestIssuer(), metadata);
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });
});
