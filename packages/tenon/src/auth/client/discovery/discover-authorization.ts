import {
  type AuthFetch,
  checkAbsoluteUrl,
  createGuardedFetch,
  createUrlGuard,
  type GuardOptions,
  type JsonObject,
  requireArgument,
  requireKnownOptions,
} from '@tenon/base';
import { fetchIssuerAtOrigin, fetchIssuerMetadata } from '../../oauth/authorization-server.js';
import type { AuthExceptions } from '../auth-exceptions.js';
import { parseAuthChallenge } from './auth-challenge.js';
import { createMetadataCheck, findFirstIssuer, listCandidates } from './issuer-exceptions.js';
import { fetchProtectedResource, type ProtectedResourceInfo } from './protected-resource.js';

/** Options of `discoverAuthorization`. */
export interface DiscoverAuthorizationOptions extends GuardOptions {
  /**
   * `WWW-Authenticate` header of the refused request.
   * @default the well-known URLs of the server are read
   */
  readonly wwwAuthenticate?: string | undefined;
  /**
   * Sends the requests.
   * @default `fetchWithAddressCheck` on Node, else the global `fetch`
   */
  readonly fetch?: AuthFetch | undefined;
  /**
   * Deviations from the specification that the client accepts of this server.
   * @default none
   */
  readonly exceptions?: AuthExceptions | undefined;
  /** Cancels the requests. */
  readonly signal?: AbortSignal | undefined;
}

/** Metadata of the authorization of a server. */
export interface AuthorizationDiscovery {
  /** Metadata of the server as a protected resource. Undefined if it has none, as in 2025-03-26. */
  readonly resource: ProtectedResourceInfo | undefined;
  /** Authorization server: the first that the resource names, else the origin of the server. */
  readonly issuer: string;
  /** Metadata document of the authorization server. */
  readonly metadata: JsonObject;
}

/**
 * Reads the metadata that a client needs before it signs in, with the checks of `signIn`. It registers no client and
 * requests no token.
 *
 * @throws TenonError `auth/no-resource-metadata`, `auth/resource-mismatch`, `auth/no-issuer`,
 *   `auth/no-issuer-metadata`, `auth/issuer-mismatch`, `auth/unsafe-url`, `auth/unreachable`
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export async function discoverAuthorization(
  server: string,
  options: DiscoverAuthorizationOptions = {},
): Promise<AuthorizationDiscovery> {
  requireArgument('`server` of discoverAuthorization', server, checkAbsoluteUrl);
  requireKnownOptions('discoverAuthorization', options, {
    wwwAuthenticate: true,
    fetch: true,
    exceptions: true,
    signal: true,
    allowInsecure: true,
    allowPrivate: true,
  });
  const { wwwAuthenticate, fetch: fetchLike, signal, exceptions = {}, ...guardOptions } = options;
  const guard = createUrlGuard(server, guardOptions);
  const fetch = createGuardedFetch({ guard, fetch: fetchLike });
  const { metadataUrl } = parseAuthChallenge(wwwAuthenticate);
  const resource = await fetchProtectedResource(server, metadataUrl, fetch, signal, exceptions);
  const acceptMetadata = createMetadataCheck(exceptions, guard);
  const find = (issuer: string) => fetchIssuerMetadata(issuer, fetch, signal, acceptMetadata);
  const candidates = listCandidates(resource?.issuers.slice(0, 1) ?? [], server, exceptions);
  const found =
    candidates.length === 0
      ? await fetchIssuerAtOrigin(server, undefined, fetch, guard, signal)
      : await findFirstIssuer(candidates, find, signal);
  return { resource, issuer: found.id, metadata: { ...found.metadata } };
}
