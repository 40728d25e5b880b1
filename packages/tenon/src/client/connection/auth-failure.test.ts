import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Authorizer } from '../../auth/client/authorizer.js';
import { createFakeServers, ISSUER, issuerMetadata } from '../../auth/client/fixtures/world.js';
import { signIn } from '../../auth/client/sign-in/sign-in.js';
import { memoryTokenStore } from '../../auth/client/token-store.js';
import { createNodeRequester } from '../../runtimes/node/http/http-requester.js';
import { serve } from '../../transports/http/client/fixtures/scripted-server.js';
import { connectTo } from '../connect.js';
import { createClientEndpoint } from './http-endpoint.js';
import { memoryVersionCache } from './version-cache.js';

const VERSIONS = ['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'];

/** Connects to a server of which an earlier client has learned this version. The server refuses every request. */
async function connectWith(version: string, createAuth: (url: string) => Promise<Authorizer> | Authorizer) {
  const { url, seen } = await serve((_, response) => void response.writeHead(401).end());
  const versionCache = memoryVersionCache();
  await versionCache.set(url, version);
  const endpoint = createClientEndpoint({ url, auth: await createAuth(url) }, createNodeRequester());
  const error = await connectTo(endpoint, { versionCache }).then(
    () => undefined,
    thrown => thrown,
  );
  return { error, seen, url };
}

describe('a connection whose authorization fails', () => {
  it.each(VERSIONS)('rejects at once with %s, without another transport or version', async version => {
    for (const thrown of [
      new TenonError('auth/refused', 'the authorization server rejected the token refresh', { status: 400 }),
      new TenonError('http/status', 'a request of the authorizer failed', { status: 404 }),
      new TenonError('peer/error', 'a request of the authorizer failed', { rpcCode: -32602 }),
      new Error('no'),
    ]) {
      let count = 0;
      const getHeaders = () => {
        count += 1;
        return Promise.reject(thrown);
      };
      const { error, seen } = await connectWith(version, () => ({ getHeaders, handleRefusal: async () => false }));
      expect(error.code).toBe(thrown === error ? 'auth/refused' : 'auth/failed');
      expect([seen.length, count]).toEqual([0, 1]);
    }
  });

  it.each(VERSIONS)('rejects with %s when the sign-in after a refusal fails', async version => {
    let count = 0;
    const handleRefusal = () => {
      count += 1;
      return Promise.reject(new TenonError('auth/refused', 'no', { status: 405 }));
    };
    const { error, seen } = await connectWith(version, () => ({ getHeaders: async () => ({}), handleRefusal }));
    expect(error).toMatchObject({ code: 'auth/refused' });
    expect([seen.length, count]).toEqual([1, 1]);
  });

  const lost = () => {
    throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
  };

  it.each([
    ['400', () => ({ status: 400, json: { error: 'unauthorized_client' } })],
    ['404', () => ({ status: 404, text: '' })],
    ['405', () => ({ status: 405, text: '' })],
    ['503', () => ({ status: 503, text: '' })],
    ['a lost connection', lost],
  ])('sends the refresh token once when the token endpoint answers with %s', async (_, answer) => {
    for (const version of VERSIONS) {
      for (const expires of [1, Date.now() + 5_000]) {
        const servers = createFakeServers({ [`${ISSUER}/token`]: answer });
        const { error, seen } = await connectWith(version, async url => {
          const tokenStore = memoryTokenStore();
          const { origin } = new URL(url);
          servers.routes[`${origin}/.well-known/oauth-protected-resource/mcp`] = {
            json: { resource: url, authorization_servers: [ISSUER] },
          };
          servers.routes[`${ISSUER}/.well-known/oauth-authorization-server`] = { json: issuerMetadata() };
          const store = (key: string[], next: object) =>
            tokenStore.update(key, async () => ({ next: next as never, result: undefined }));
          await store(['server', url, 'me'], { issuer: ISSUER, resource: url, undescribed: false });
          const tokens = { access: 'a', type: 'bearer', refresh: 'r', expires, renew: 0, asked: [] };
          await store(['tokens', url, ISSUER, url, 'me'], tokens);
          return signIn({ tokenStore, fetch: servers.fetch, client: { id: 'me', issuer: ISSUER }, allowPrivate: true });
        });
        expect(error.code).toMatch(/^auth\/(needs-user|unreachable)$/);
        expect(servers.tokenRequests().map(body => body.get('refresh_token'))).toEqual(['r']);
        expect(seen.map(({ method }) => method)).not.toContain('GET');
        expect(seen.length).toBeLessThanOrEqual(1);
      }
    }
  });
});
