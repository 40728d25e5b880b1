import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { Provider } from 'oidc-provider';

/** An authorization server of others, on loopback: `oidc-provider`, which issues JWTs for the resources that it is asked for. */
export interface RealIssuer {
  readonly url: string;
  /** A token for a machine, with these scopes. `more` goes along with the request. */
  token(resource: string, scope: string, more?: TokenRequest): Promise<{ token: string; type: string }>;
  /** Signs with another key from now on; the one before is no longer published. */
  rotate(): Promise<void>;
  close(): Promise<void>;
}

export interface TokenRequest {
  readonly headers?: Readonly<Record<string, string>>;
}

const CLIENT = { id: 'machine', secret: 'machine-secret-that-is-long-enough' };
export const RESOURCE_SERVER = { clientId: 'rs', clientSecret: 'rs-secret-that-is-long-enough' };

async function signingKey(kid: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg: 'ES256', use: 'sig' };
}

function providerOf(url: string, key: JWK): Provider {
  const client = { redirect_uris: [], response_types: [], id_token_signed_response_alg: 'ES256' };
  return new Provider(url, {
    jwks: { keys: [key] },
    clients: [
      { ...client, client_id: CLIENT.id, client_secret: CLIENT.secret, grant_types: ['client_credentials'] },
      { ...client, client_id: RESOURCE_SERVER.clientId, client_secret: RESOURCE_SERVER.clientSecret, grant_types: [] },
    ],
    scopes: ['notes:read', 'notes:write'],
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      dPoP: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: 'notes:read notes:write',
          audience: resource,
          accessTokenFormat: resource.endsWith('/opaque') ? 'opaque' : 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
}

export async function startIssuer(): Promise<RealIssuer> {
  let answer: ReturnType<Provider['callback']> | undefined;
  let count = 0;
  const http: Server = createServer((request, response) => answer?.(request, response));
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const rotate = async () => {
    count += 1;
    answer = providerOf(url, await signingKey(`key-${count}`)).callback();
  };
  await rotate();
  return {
    url,
    rotate,
    async token(resource, scope, { headers = {} } = {}) {
      const response = await fetch(`${url}/token`, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${btoa(`${CLIENT.id}:${CLIENT.secret}`)}`,
          ...headers,
        },
        body: String(new URLSearchParams({ grant_type: 'client_credentials', scope, resource })),
      });
      const body = (await response.json()) as { access_token?: string; token_type: string };
      if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`);
      return { token: body.access_token, type: body.token_type };
    },
    close: () => new Promise(resolve => void http.close(() => resolve())),
  };
}
