/** An authorization server of others, `oidc-provider`, and a server of ours that it protects. */
import { createServer as createHttp } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';

/** Lifetime of access tokens, in seconds. */
export const TTL = 3_600;
/** A client of the provider that is a program. */
export const MACHINE = { id: 'machine', secret: 'machine-secret-that-is-long-enough' };

export interface ProtectedNotes {
  readonly issuer: string;
  readonly url: string;
  /** Method and path of each request to the provider. */
  readonly requests: readonly string[];
  close(): Promise<void>;
}

async function startProvider(resource: () => string, requests: string[]) {
  const http = createHttp((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response);
  });
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const provider = new Provider(url, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k', alg: 'ES256', use: 'sig' }] },
    clients: [
      {
        client_id: MACHINE.id,
        client_secret: MACHINE.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
    cookies: { keys: ['only-for-tests'] },
    issueRefreshToken: () => true,
    ttl: { AccessToken: TTL, RefreshToken: 86_400, Session: 600, Grant: 86_400, Interaction: 600 },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'notes:read notes:write',
          audience: resource(),
          accessTokenFormat: 'jwt',
          accessTokenTTL: TTL,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  const answer = provider.callback();
  const close = () => {
    http.close();
    http.closeAllConnections();
  };
  return { url, close };
}

/** A server of notes that its provider protects. */
export async function startProtectedNotes(): Promise<ProtectedNotes> {
  let resource = '';
  const requests: string[] = [];
  const provider = await startProvider(() => resource, requests);
  const notes = createServer({
    name: 'notes',
    version: '1',
    tools: {
      who: tool({ scopes: ['notes:read'], run: (_, { auth }) => auth?.principal ?? 'nobody' }),
      write: tool({ scopes: ['notes:write'], run: () => 'written' }),
    },
  });
  const port = await findFreePort();
  resource = `http://127.0.0.1:${port}/mcp`;
  const auth = protect({ resource, issuers: [provider.url], scopes: ['notes:read'] });
  const { close } = await serveHttp(notes, { port, auth });
  return {
    issuer: provider.url,
    url: resource,
    requests,
    close: async () => {
      await close();
      provider.close();
    },
  };
}
