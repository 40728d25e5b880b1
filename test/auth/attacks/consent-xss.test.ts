/** What a client says of itself is shown to the user. It must not become a part of the page. */
import { describe, expect, it } from 'vitest';
import { BACK, openTestIssuer, readPage } from '../../../packages/issuer/src/fixtures/visitor.js';

const EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u0000&amp;';

async function pageFor(metadata: object, fields: Record<string, string> = {}) {
  const testIssuer = openTestIssuer();
  const registered = await testIssuer.send('/register', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [BACK], token_endpoint_auth_method: 'none', ...metadata }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  return readPage(await testIssuer.ask({ client_id, ...fields }));
}

describe('the consent page with hostile values', () => {
  it('shows the name of a client as text', async () => {
    const { status, text } = await pageFor({ client_name: EVIL });
    expect(status).toBe(200);
    expect(text).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).not.toMatch(/<script|<img|\u202e|\u0000/);
  });

  it('shows the redirect URL as text', async () => {
    const redirect = `${BACK}?a=1&b=2`;
    const { text } = await pageFor({ redirect_uris: [redirect] }, { redirect_uri: redirect });
    expect(text).toContain('callback?a=1&amp;b=2');
  });

  it('shows state, scope and client id as text on an error page', async () => {
    const testIssuer = openTestIssuer();
    for (const fields of [{ client_id: EVIL }, { redirect_uri: EVIL }, { scope: EVIL, state: EVIL }]) {
      const { text } = await readPage(await testIssuer.ask(fields));
      expect(text).not.toMatch(/<script|<img/);
    }
  });

  it('refuses redirect URIs that would change the content security policy', async () => {
    const testIssuer = openTestIssuer();
    for (const uri of [
      "https://a;script-src *'unsafe-inline'.example.com/",
      'https://a;x.example.com/',
      "x.y:'none';",
    ]) {
      const registered = await testIssuer.send('/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [uri], application_type: 'native' }),
      });
      expect([uri, registered.status]).toEqual([uri, 400]);
    }
  });

  it('forbids scripts and frames [auth.cimd.as-security-considered]', async () => {
    const { headers, text } = await pageFor({ client_name: 'x' });
    const policy = headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/script-src|unsafe|\*/);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(text).not.toMatch(/\son\w+=|<style|javascript:/i);
  });
});
