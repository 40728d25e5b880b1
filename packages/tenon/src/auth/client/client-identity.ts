import { TenonError } from '@tenon/base';
import { createBasicAuth } from '@tenon/base/oauth';
import { importJWK, importPKCS8, type JWK } from 'jose';
import * as oauth from 'oauth4webapi';
import type { AuthorizationServerInfo } from '../oauth/authorization-server.js';

/** Client credentials for a token endpoint. A client with neither a secret nor a key is public. */
export interface ClientCredentials {
  /** Client ID. */
  readonly id: string;
  /** Client secret. Absent for clients that sign with a key. */
  readonly secret?: string | undefined;
  /** Private key that signs assertions: PKCS #8 in PEM, or a JWK. It is never sent. */
  readonly key?: string | PrivateJwk | undefined;
  /**
   * Signature algorithm of the key.
   * @default `alg` of the JWK, else `ES256`
   */
  readonly alg?: string | undefined;
  /**
   * Audience of assertions.
   * @default the issuer
   */
  readonly audience?: string | undefined;
  /** Client authentication method that the registration set. */
  readonly method?: string;
}

/**
 * Private key as a JWK.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7517
 */
export type PrivateJwk = {
  /** Key type. */
  readonly kty: string;
  readonly [member: string]: unknown;
};

/** Client in the form that `oauth4webapi` needs. */
export interface ClientIdentity {
  readonly client: oauth.Client;
  readonly auth: oauth.ClientAuth;
}

/**
 * Creates the client identity. Chooses an authentication method that the authorization server supports.
 *
 * @throws TenonError `auth/client-method`, `auth/bad-key`
 */
export async function createClientIdentity(
  issuer: AuthorizationServerInfo,
  credentials: ClientCredentials,
): Promise<ClientIdentity> {
  const client = { client_id: credentials.id };
  const supportedMethods = issuer.metadata.token_endpoint_auth_methods_supported;
  const { key, audience: aud = issuer.id } = credentials;
  if (key !== undefined) {
    const alg = credentials.alg ?? (typeof key === 'object' && typeof key.alg === 'string' ? key.alg : 'ES256');
    const assertionOptions: oauth.ModifyAssertionOptions = {
      [oauth.modifyAssertion](header, payload) {
        // `oauth4webapi` writes `Ed25519` for EdDSA, which authorization servers refuse that know the older name only.
        header.alg = alg;
        payload.aud = aud;
      },
    };
    return { client, auth: oauth.PrivateKeyJwt(await importPrivateKey(key, alg), assertionOptions) };
  }
  return { client, auth: authenticateBySecret(credentials, supportedMethods, issuer.id) };
}

/** Methods of a client with a secret. A server without a list supports the first one. [RFC 8414, section 2] */
const SECRET_METHODS: readonly string[] = ['client_secret_basic', 'client_secret_post'];

/**
 * Returns the method for a client with a secret: the first known one in the list of the server. Servers of the SDK for
 * Python list HTTP Basic second, and refuse it if the body does not repeat `client_id`.
 */
export function chooseSecretMethod(supported: unknown): string | undefined {
  const methods: readonly string[] = Array.isArray(supported) ? supported : SECRET_METHODS;
  return methods.find(each => SECRET_METHODS.includes(each));
}

function authenticateBySecret(
  { secret, method }: ClientCredentials,
  supportedMethods: readonly string[] | undefined,
  peer: string,
) {
  if (secret === undefined || method === 'none') return oauth.None();
  const chosenMethod = method ?? chooseSecretMethod(supportedMethods);
  if (chosenMethod === 'client_secret_basic') return createBasicAuth(secret);
  if (chosenMethod === 'client_secret_post') return oauth.ClientSecretPost(secret);
  throw new TenonError('auth/client-method', 'the authorization server does not accept client secrets', {
    peer: peer.slice(0, 200),
    expected: 'client_secret_basic or client_secret_post',
    received: (chosenMethod ?? supportedMethods?.join(', '))?.slice(0, 200),
    hint: 'configure a private key, or register the client with a method that the server lists',
  });
}

async function importPrivateKey(key: string | PrivateJwk, alg: string): Promise<oauth.PrivateKey> {
  try {
    if (typeof key === 'string') return { key: (await importPKCS8(key, alg)) as oauth.CryptoKey };
    const imported = (await importJWK({ ...key, ext: false } as JWK, alg)) as oauth.CryptoKey;
    return { key: imported, ...(typeof key.kid === 'string' ? { kid: key.kid } : {}) };
  } catch {
    // The caught error may contain parts of the key.
    throw new TenonError('auth/bad-key', 'invalid private key', {
      expected: `a PKCS #8 PEM key or a JWK for ${alg}`,
    });
  }
}
