/** The official client v1 as clients of 2025-03-26 were: it knows no protected-resource metadata. */
import { auth, type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationFull, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { afterEach, describe, expect, it } from 'vitest';
import { startProtectedNotes, textOf } from './protected-notes.js';
import { scriptedRedirect } from './scripted-browser.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Hides what clients of that time did not look at. */
async function fetchAsThen(url: string | URL, init?: RequestInit): Promise<Response> {
  if (String(url).includes('oauth-protected-resource')) return new Response('not found', { status: 404 });
  const response = await fetch(url, init);
  const headers = new Headers(response.headers);
  headers.delete('www-authenticate');
  const { status } = response;
  return new Response(status === 204 || status === 202 ? null : response.body, { status, headers });
}

async function startUser() {
  const { redirect } = scriptedRedirect();
  const { signal } = new AbortController();
  const attempt = await redirect.begin([], signal);
  closing.push(() => attempt.close());
  let client: OAuthClientInformationFull | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = '';
  let back: Promise<URL | string> | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: attempt.uri,
    clientMetadata: {
      redirect_uris: [attempt.uri],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'notes:read',
    },
    state: () => crypto.randomUUID(),
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information as OAuthClientInformationFull;
    },
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved;
    },
    redirectToAuthorization(url) {
      back = attempt.authorize(url, signal);
    },
    saveCodeVerifier(text) {
      verifier = text;
    },
    codeVerifier: () => verifier,
  };
  const code = async () => new URL(String(await back)).searchParams.get('code') ?? '';
  return { provider, code };
}

describe('the official client v1 without protected-resource metadata', () => {
  it('finds the authorization server at the origin of the server, signs in and calls [auth.base-url.path-discarded auth.fallback.metadata-first]', async () => {
    const notes = await startProtectedNotes();
    closing.push(notes.close);
    const { provider, code } = await startUser();
    const open = () =>
      new StreamableHTTPClientTransport(new URL(notes.url), { authProvider: provider, fetch: fetchAsThen });
    const client = new Client({ name: 'official', version: '1' });
    closing.push(() => client.close());
    await expect(client.connect(open())).rejects.toBeInstanceOf(UnauthorizedError);
    expect(notes.issuer.count('/reg')).toBe(1);
    const authorizationCode = await code();
    await auth(provider, { serverUrl: notes.url, authorizationCode, fetchFn: fetchAsThen });
    await client.connect(open());
    expect(await textOf(client.callTool({ name: 'who' }))).toBe(`${notes.issuer.url}|ada`);
    expect([notes.issuer.count('/auth'), notes.issuer.count('/token')]).toEqual([1, 1]);
  }, 60_000);
});

describe('the metadata of the issuer at the origin of the server', () => {
  const PATH = '/.well-known/oauth-authorization-server';

  it('are readable for any page, and fetched once', async () => {
    const notes = await startProtectedNotes();
    closing.push(notes.close);
    const { origin } = new URL(notes.url);
    const documents = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const response = await fetch(origin + PATH, { headers: { 'mcp-protocol-version': '2025-03-26' } });
        expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
        return response.json();
      }),
    );
    const own = (await (await fetch(notes.issuer.url + PATH)).json()) as object;
    expect(documents).toEqual(Array(5).fill(own));
    expect(own).toMatchObject({ issuer: notes.issuer.url, token_endpoint: `${notes.issuer.url}/token` });
    expect(notes.issuer.count(PATH)).toBe(2);
    expect((await fetch(origin + PATH, { method: 'POST' })).status).toBe(405);
    expect((await fetch(origin + PATH, { method: 'OPTIONS' })).status).toBe(204);
  });

  it('are 503 while the issuer is unreachable, and available later', async () => {
    const notes = await startProtectedNotes();
    closing.push(notes.close);
    notes.issuer.close();
    const { origin } = new URL(notes.url);
    const response = await fetch(origin + PATH);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '10']);
  });
});
