import { classifyHost, TenonError } from '@tenon/base';
import { getEndpointFailure, normalizeRegistrationResponse, requestEndpoint, toAuthError } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { type AuthTarget, createRequestOptions } from '../auth-target.js';
import { chooseSecretMethod } from '../client-identity.js';
import { DEVICE_GRANT } from '../grants/device-code.js';
import {
  parseTokenClient,
  type StoredSecret,
  type TokenClient,
  type TokenStore,
  type TokenStoreKey,
  toStoredSecret,
} from '../token-store.js';

/** Client metadata for dynamic registration. */
export interface ClientInfo {
  readonly name: string;
  readonly uri?: string | undefined;
}

/** Stored result of a dynamic registration. */
export interface StoredClient extends TokenClient {
  readonly redirects: readonly string[];
}

const SECOND = 1_000;

/**
 * Returns the storage key of a registration. It contains the issuer, because the credentials must not reach another
 * issuer.
 */
export const getRegistrationKey = (issuer: string): TokenStoreKey => ['client', issuer];

/** Parses a stored registration. Returns `undefined` when it is missing, malformed or expired. */
export function parseStoredClient(secret: StoredSecret | undefined, now: number): StoredClient | undefined {
  if (!secret || !Array.isArray(secret.redirects)) return undefined;
  const client = parseTokenClient(secret);
  if (!client || (typeof secret.expires === 'number' && secret.expires <= now)) return undefined;
  return { ...client, redirects: secret.redirects.filter(each => typeof each === 'string') };
}

/**
 * Returns the stored registration for a redirect URI or the device grant, or registers the client.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7591
 */
export async function ensureRegistered(
  target: AuthTarget,
  tokenStore: TokenStore,
  clientInfo: ClientInfo,
  redirectUri: string,
  signal: AbortSignal,
): Promise<Registration> {
  return tokenStore.update<Registration>(getRegistrationKey(target.issuer), async previous => {
    const registration = parseStoredClient(previous, target.clock.now());
    if (registration?.redirects.includes(redirectUri)) return { result: { client: registration, isStored: true } };
    const next = await registerClient(target, clientInfo, redirectUri, signal);
    return { next, result: { client: parseStoredClient(next, 0) as StoredClient, isStored: false } };
  });
}

/** Registration of a client. `isStored` is false if this call has made it. */
export interface Registration {
  readonly client: StoredClient;
  readonly isStored: boolean;
}

/**
 * Deletes a stored registration. With `id`, only that of this client, because another process may have registered again
 * meanwhile. Resolves with true if it has deleted one.
 */
export async function forgetRegistration(tokenStore: TokenStore, issuer: string, id?: string): Promise<boolean> {
  return tokenStore.update(getRegistrationKey(issuer), async stored => {
    const isOther = stored === undefined || (id !== undefined && stored.id !== id);
    return isOther ? { result: false } : { next: null, result: true };
  });
}

async function registerClient(
  target: AuthTarget,
  clientInfo: ClientInfo,
  redirectUri: string,
  signal: AbortSignal,
): Promise<StoredSecret> {
  const { metadata } = target.authorizationServer;
  // A public client is preferred, because it has no secret to store.
  const supported = metadata.token_endpoint_auth_methods_supported;
  const isPublic = supported?.includes('none') ?? true;
  const clientMetadata = {
    client_name: clientInfo.name,
    ...(clientInfo.uri === undefined ? {} : { client_uri: clientInfo.uri }),
    ...describeFlow(redirectUri),
    token_endpoint_auth_method: isPublic ? 'none' : (chooseSecretMethod(supported) ?? 'none'),
  };
  try {
    const client = await requestEndpoint(
      () => oauth.dynamicClientRegistrationRequest(metadata, clientMetadata, createRequestOptions(target, signal)),
      {
        statuses: [201, 200],
        normalize: normalizeRegistrationResponse,
        validate: response => oauth.processDynamicClientRegistrationResponse(response),
      },
    );
    const { client_id: id, client_secret: secret, client_secret_expires_at: secretExpiresAt } = client;
    const method = client.token_endpoint_auth_method ?? clientMetadata.token_endpoint_auth_method;
    return toStoredSecret({
      id,
      redirects: [redirectUri],
      ...(secret === undefined ? {} : { secret }),
      ...(typeof secretExpiresAt === 'number' && secretExpiresAt > 0 ? { expires: secretExpiresAt * SECOND } : {}),
      ...(typeof method === 'string' ? { method } : {}),
    });
  } catch (thrown) {
    const error = toAuthError(thrown, target.issuer, 'the client registration');
    if (error.code !== 'auth/refused' && error.code !== 'auth/bad-answer') throw error;
    // Many servers that accept only fixed tokens have no metadata. Their origin is then a guess of the client.
    if (target.undescribed && getEndpointFailure(thrown)?.status !== 400)
      throw new TenonError(
        'auth/no-issuer',
        'the server names no authorization server, and its origin registers no client',
        {
          peer: error.peer,
          received: error.received,
          hint: 'pass a token of this server as `auth`, or ask its operator to name the authorization server',
        },
      );
    const hint = error.received?.startsWith('invalid_redirect_uri')
      ? `register a client there manually and pass it with its redirect URI, because ${redirectUri} is not allowed`
      : 'register a client there manually, and pass `client: { id }`';
    throw new TenonError('auth/registration', 'the authorization server rejected the client registration', {
      peer: error.peer,
      received: error.received,
      hint,
    });
  }
}

/**
 * Describes how the client gets tokens: at a redirect URI, or with the device grant.
 *
 * @see https://openid.net/specs/openid-connect-registration-1_0.html#ClientMetadata
 */
function describeFlow(redirectUri: string): Partial<oauth.Client> {
  if (redirectUri === DEVICE_GRANT)
    return {
      application_type: 'native',
      redirect_uris: [],
      grant_types: [DEVICE_GRANT, 'refresh_token'],
      response_types: [],
    };
  const { protocol, hostname } = new URL(redirectUri);
  const isNative = protocol !== 'https:' || classifyHost(hostname) === 'loopback';
  return {
    redirect_uris: [redirectUri],
    application_type: isNative ? 'native' : 'web',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
}
