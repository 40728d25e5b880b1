/** Attempts to have the code or the tokens of one authorization server sent to another (RFC 9207). */

import { decodeJwt, exportPKCS8, generateKeyPair } from 'jose';
import { clientCredentials, memoryTokenStore, signIn } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { AS, setUp } from '../../../packages/tenon/src/auth/client/fixtures/signing.js';
import {
  createBrowser,
  createFakeServers,
  headersOf,
  ISSUER,
  issuerMetadata,
  refusal,
} from '../../../packages/tenon/src/auth/client/fixtures/world.js';

const EVIL = 'https://evil.example.com';

describe('a server without protected-resource metadata', () => {
  const liar = 'https://liar.example.com';
  const lying = refusal('Bearer', { url: `${liar}/mcp`, server: `${liar}/mcp` });
  /** A server without protected-resource metadata, which is its own authorization server. */
  const undescribed = (document: object) =>
    createFakeServers({
      [`${liar}/.well-known/oauth-authorization-server`]: { json: { ...issuerMetadata(liar), ...document } },
      [`${liar}/register`]: { status: 201, json: { client_id: 'of-liar' } },
      [`${liar}/token`]: { json: { access_token: 'of-liar', token_type: 'Bearer' } },
    });

  it.each([
    ['a foreign issuer', { issuer: ISSUER }],
    [
      'a foreign issuer and its sign-in page',
      {
        ...issuerMetadata(),
        authorization_response_iss_parameter_supported: true,
        token_endpoint: `${liar}/token`,
      },
    ],
    ['no issuer', { issuer: undefined }],
    ['its own issuer with another port', { issuer: `${liar}:444` }],
    ['its own issuer over http', { issuer: liar.replace('https:', 'http:') }],
  ])('refuses %s before the user is sent to a page', async (_, document) => {
    const tokenStore = memoryTokenStore();
    await setUp({}, { tokenStore }).auth.handleRefusal(refusal());
    const { redirect, visited } = createBrowser(answer => answer.set('iss', ISSUER));
    const servers = undescribed(document);
    const auth = signIn({ tokenStore, redirect, fetch: servers.fetch });
    await expect(auth.handleRefusal(lying)).rejects.toMatchObject({ code: 'auth/issuer-mismatch' });
    expect([visited, servers.tokenRequests()]).toEqual([[], []]);
    expect(JSON.stringify(servers.seen)).not.toMatch(/registered-1|access-1|refresh-1|code_verifier/);
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'])(
    'refuses a foreign %s',
    async name => {
      const servers = undescribed({
        [name]: `${ISSUER}/somewhere`,
        authorization_response_iss_parameter_supported: true,
      });
      const { redirect, visited } = createBrowser();
      const wait = signIn({ redirect, fetch: servers.fetch }).handleRefusal(lying);
      await expect(wait).rejects.toMatchObject({ code: 'auth/foreign-endpoint', peer: `${liar}/` });
      expect([visited, servers.tokenRequests()]).toEqual([[], []]);
    },
  );

  it.each(['/', '/oauth'])('accepts an issuer on its own origin with the path %s', async path => {
    const servers = undescribed({ issuer: liar + path });
    const { redirect } = createBrowser(answer => answer.set('iss', liar + path));
    expect(await signIn({ redirect, fetch: servers.fetch }).handleRefusal(lying)).toBe(true);
  });

  it('refuses a foreign issuer before an assertion is made for it', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const servers = undescribed({ issuer: ISSUER });
    const auth = clientCredentials({ id: 'me', key: await exportPKCS8(privateKey), fetch: servers.fetch });
    await expect(auth.handleRefusal(lying)).rejects.toMatchObject({ code: 'auth/issuer-mismatch' });
    expect(servers.tokenRequests()).toEqual([]);
  });

  it('addresses an assertion to the origin of a server without metadata', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const servers = undescribed({});
    const auth = clientCredentials({ id: 'me', key: await exportPKCS8(privateKey), fetch: servers.fetch });
    await auth.handleRefusal(lying);
    expect(decodeJwt(servers.tokenRequests()[0]?.get('client_assertion') ?? '').aud).toBe(liar);
  });
});

describe('endpoints of another origin than the issuer', () => {
  const names = ['authorization_endpoint', 'token_endpoint', 'registration_endpoint', 'revocation_endpoint'];
  const naming = (name: string, more = {}) => ({
    [AS]: { json: { ...issuerMetadata(), [name]: `${EVIL}/endpoint`, ...more } },
    [`${EVIL}/endpoint`]: { json: { client_id: 'c', access_token: 'a', token_type: 'Bearer' }, status: 201 },
  });

  it.each(names)('are refused where responses do not name their issuer: %s', async name => {
    const { auth, browser, servers } = setUp(naming(name));
    await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({
      code: 'auth/foreign-endpoint',
      received: `${EVIL}/endpoint`,
    });
    expect([browser.visited, servers.urls().filter(url => url.startsWith(EVIL))]).toEqual([[], []]);
  });

  it('are accepted where the issuer sends `iss`, and the response must contain it', async () => {
    const iss = { authorization_response_iss_parameter_supported: true };
    const routes = naming('authorization_endpoint', iss);
    expect(
      await setUp(routes, { redirect: createBrowser(answer => answer.set('iss', ISSUER)).redirect }).auth.handleRefusal(
        refusal(),
      ),
    ).toBe(true);
    for (const change of [() => {}, (answer: URLSearchParams) => answer.set('iss', EVIL)]) {
      const { auth, servers } = setUp(routes, { redirect: createBrowser(change).redirect });
      await expect(auth.handleRefusal(refusal())).rejects.toMatchObject({ code: 'auth/foreign-answer' });
      expect(servers.tokenRequests()).toEqual([]);
    }
  });

  it('are accepted where the user has named the issuer', async () => {
    const client = { id: 'me', issuer: ISSUER };
    expect(await setUp(naming('authorization_endpoint'), { client }).auth.handleRefusal(refusal())).toBe(true);
  });

  it('are refused also when tokens of an earlier process are refreshed', async () => {
    const tokenStore = memoryTokenStore();
    await setUp({}, { tokenStore }).auth.handleRefusal(refusal());
    const later = setUp(naming('token_endpoint'), {
      tokenStore,
      clock: { now: () => Date.now() + 3_590_000, elapsed: () => Date.now() + 3_590_000, after: () => () => {} },
    });
    await headersOf(later.auth);
    expect(later.servers.urls()).toEqual([AS]);
  });
});
