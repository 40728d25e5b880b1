import { beforeEach, describe, expect, it } from 'vitest';
import { bearer, createIssuer, ISSUER, outcome, type TestIssuer } from './fixtures/issuer.js';

let issuer: TestIssuer;
beforeEach(async () => {
  issuer = await createIssuer();
});

const status = async (protection: ReturnType<TestIssuer['protect']>, token: string) =>
  (await outcome(protection, bearer(token))).status;

describe('the keys of an issuer', () => {
  it('are fetched once for many tokens', async () => {
    const protection = issuer.protect();
    const tokens = await Promise.all([1, 2, 3].map(n => issuer.token({ n })));
    expect(await Promise.all(tokens.map(token => status(protection, token)))).toEqual([200, 200, 200]);
    expect(await status(protection, await issuer.token({ n: 4 }))).toBe(200);
    expect(issuer.requests).toEqual([`GET ${ISSUER}/.well-known/oauth-authorization-server`, `GET ${ISSUER}/jwks`]);
  });

  it('are discovered by OpenID Connect too, also below a path', async () => {
    const tenant = 'https://login.example.com/tenant';
    issuer = await createIssuer(tenant);
    const metadata = issuer.site.get('https://login.example.com/.well-known/oauth-authorization-server/tenant');
    issuer.site.delete('https://login.example.com/.well-known/oauth-authorization-server/tenant');
    issuer.site.set(`${tenant}/.well-known/openid-configuration`, metadata);
    expect(await status(issuer.protect(), await issuer.token())).toBe(200);
  });

  it('are discovered by metadata at the third URL, with `null` members and another content type', async () => {
    const tenant = 'https://login.example.com/tenant';
    issuer = await createIssuer(tenant);
    issuer.site.clear();
    await issuer.rotate();
    const metadata = {
      issuer: tenant,
      jwks_uri: `${tenant}/jwks`,
      registration_endpoint: null,
      scopes_supported: null,
    };
    const response = new Response(JSON.stringify(metadata), { headers: { 'content-type': 'text/plain' } });
    issuer.site.set('https://login.example.com/.well-known/openid-configuration/tenant', response);
    expect(await status(issuer.protect(), await issuer.token())).toBe(200);
  });

  it('are read from `jwksUri` without discovery', async () => {
    const protection = issuer.protect({ issuers: [{ issuer: ISSUER, jwksUri: `${ISSUER}/jwks` }] });
    expect(await status(protection, await issuer.token())).toBe(200);
    expect(issuer.requests).toEqual([`GET ${ISSUER}/jwks`]);
  });

  it('include keys without an id in the token', async () => {
    const before = issuer.jwks().keys[0];
    await issuer.rotate();
    issuer.site.set(`${ISSUER}/jwks`, { keys: [before, ...issuer.jwks().keys] });
    const protection = issuer.protect();
    expect(await status(protection, await issuer.token({}, { kid: undefined }))).toBe(200);
    const late = await outcome(protection, bearer(await issuer.token({ exp: 1 }, { kid: undefined })));
    expect(late.challenge).toContain('expired');
    const stranger = await createIssuer();
    expect(await status(protection, await stranger.token({}, { kid: undefined }))).toBe(401);
  });

  it('are fetched again at once when a token names an unknown key, also after each rotation', async () => {
    const protection = issuer.protect();
    await status(protection, await issuer.token());
    for (let n = 0; n < 3; n += 1) {
      await issuer.rotate();
      const tokens = await Promise.all([1, 2, 3].map(each => issuer.token({ n: each })));
      expect(await Promise.all(tokens.map(token => status(protection, token)))).toEqual([200, 200, 200]);
    }
    expect(issuer.requests.length).toBe(8);
  });

  it('are fetched again for a key that the issuer publishes a second after its first token', async () => {
    const protection = issuer.protect();
    await status(protection, await issuer.token());
    const before = issuer.site.get(`${ISSUER}/jwks`);
    await issuer.rotate();
    const after = issuer.site.get(`${ISSUER}/jwks`);
    issuer.site.set(`${ISSUER}/jwks`, before);
    const token = await issuer.token();
    expect(await status(protection, token)).toBe(401);
    issuer.site.set(`${ISSUER}/jwks`, after);
    expect(await status(protection, token)).toBe(401);
    issuer.clock.advance(1_000);
    expect(await status(protection, token)).toBe(200);
  });

  it('are fetched for made up keys after delays that double, at most every 30 seconds', async () => {
    const protection = issuer.protect();
    await status(protection, await issuer.token());
    const before = issuer.requests.length;
    const times: number[] = [];
    for (let second = 0; second < 125; second += 1) {
      const count = issuer.requests.length;
      for (let n = 0; n < 3; n += 1)
        expect(await status(protection, await issuer.token({}, { kid: `made up ${second} ${n}` }))).toBe(401);
      if (issuer.requests.length > count) times.push(second);
      expect(await status(protection, await issuer.token())).toBe(200);
      issuer.clock.advance(1_000);
    }
    expect(times).toEqual([0, 1, 3, 7, 15, 31, 61, 91, 121]);
    expect(issuer.requests.length - before).toBe(2 * times.length);
  });

  it('are fetched again when they are stale, and a withdrawn key is refused', async () => {
    const protection = issuer.protect();
    await status(protection, await issuer.token());
    const withdrawn = await issuer.token({ exp: issuer.clock.now() / 1000 + 7200 });
    await issuer.rotate();
    expect(await status(protection, withdrawn)).toBe(200);
    issuer.clock.advance(10 * 60_000);
    expect(await status(protection, withdrawn)).toBe(401);
  });
});

describe('an issuer that does not respond', () => {
  it('causes 503, and is not called again for a while', async () => {
    issuer.down = true;
    const protection = issuer.protect();
    const token = await issuer.token();
    const refused = await outcome(protection, bearer(token));
    expect(refused).toMatchObject({ status: 503, challenge: '' });
    expect(await status(protection, token)).toBe(503);
    expect(issuer.requests.length).toBe(1);
    expect(issuer.errors).toEqual(['auth/issuer']);
    issuer.clock.advance(1_000);
    expect(await status(protection, token)).toBe(503);
    issuer.clock.advance(1_000);
    expect(await status(protection, token)).toBe(503);
    expect(issuer.requests.length).toBe(2);
    issuer.down = false;
    issuer.clock.advance(1_000);
    expect(await status(protection, token)).toBe(200);
  });

  it('is not needed while its keys are known, for an hour', async () => {
    const protection = issuer.protect();
    await status(protection, await issuer.token());
    issuer.down = true;
    issuer.clock.advance(30 * 60_000);
    expect(await status(protection, await issuer.token())).toBe(200);
    expect(await status(protection, await issuer.token({}, { kid: 'another' }))).toBe(503);
    issuer.clock.advance(30 * 60_000);
    expect(await status(protection, await issuer.token())).toBe(503);
  });

  it.each<[string, (site: Map<string, unknown>) => void]>([
    [
      'says another name',
      site =>
        site.set(`${ISSUER}/.well-known/oauth-authorization-server`, {
          issuer: `${ISSUER}/`,
          jwks_uri: `${ISSUER}/jwks`,
        }),
    ],
    ['names no keys', site => site.set(`${ISSUER}/.well-known/oauth-authorization-server`, { issuer: ISSUER })],
    [
      'names keys without TLS',
      site =>
        site.set(`${ISSUER}/.well-known/oauth-authorization-server`, {
          issuer: ISSUER,
          jwks_uri: 'http://login.example.com/jwks',
        }),
    ],
    ['answers with no keys', site => site.set(`${ISSUER}/jwks`, [1])],
    ['answers without end', site => site.set(`${ISSUER}/jwks`, new Response('a'.repeat(2 ** 20)))],
    [
      'sends us elsewhere without TLS',
      site =>
        site.set(
          `${ISSUER}/jwks`,
          new Response('', { status: 302, headers: { location: 'http://evil.example.com/' } }),
        ),
    ],
  ])('causes 503 when it %s', async (_, change) => {
    change(issuer.site);
    expect(await status(issuer.protect(), await issuer.token())).toBe(503);
    expect(issuer.requests.join()).not.toContain('evil');
  });

  it('causes 503 when it exceeds the timeout', async () => {
    const hanging = issuer.protect({
      fetch: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        ) as never,
    });
    let settled = false;
    const refused = status(hanging, await issuer.token()).finally(() => {
      settled = true;
    });
    while (!settled) {
      await new Promise(resolve => setImmediate(resolve));
      issuer.clock.advance(10_000);
    }
    expect(await refused).toBe(503);
  });
});
