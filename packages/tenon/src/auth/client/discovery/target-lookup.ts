import { createGuardedFetch, createUrlGuard, TenonError } from '@tenon/base';
import {
  type AuthorizationServerInfo,
  checkEndpointOrigins,
  doesSendIssuer,
  fetchIssuerAtOrigin,
  fetchIssuerMetadata,
} from '../../oauth/authorization-server.js';
import type { AuthExceptions } from '../auth-exceptions.js';
import type { AuthTarget } from '../auth-target.js';
import type { Grant } from '../grants/grant.js';
import type { AuthorizerSettings } from '../settings.js';
import { getOriginKey, parseTokenOrigin, type TokenOrigin } from '../token-store.js';
import type { AuthChallenge } from './auth-challenge.js';
import { createMetadataCheck, findFirstIssuer, isSameIssuer, listCandidates } from './issuer-exceptions.js';
import { fetchProtectedResource, getCanonicalResource } from './protected-resource.js';

/** Finds the authorization server for one MCP server. */
export interface TargetLookup {
  /** Finds the authorization server in the current metadata. Rejects when there is no usable one. */
  discover(challenge: AuthChallenge, protocolVersion: string | undefined, signal: AbortSignal): Promise<AuthTarget>;
  /** Finds the authorization server that is stored for the MCP server. Resolves with `undefined` if none is stored. */
  restore(signal: AbortSignal): Promise<AuthTarget | undefined>;
}

export function createTargetLookup(server: string, grant: Grant, settings: AuthorizerSettings): TargetLookup {
  const guard = createUrlGuard(server, settings.guard);
  const exceptions = settings.getExceptions(server);
  const acceptMetadata = createMetadataCheck(exceptions, guard, grant.issuer);
  const fetch = createGuardedFetch({ fetch: settings.fetch, clock: settings.clock, guard });
  const readStoredOrigin = async () =>
    parseTokenOrigin(await settings.tokenStore.get(getOriginKey(server, grant.clientKey)));

  const createTarget = async (
    as: AuthorizationServerInfo,
    origin: Pick<TokenOrigin, 'resource' | 'undescribed'>,
    scopes: readonly string[] | undefined,
  ) => {
    const dpopKey = await settings.getDpopKey();
    return {
      ...origin,
      server,
      authorizationServer: as,
      issuer: as.id,
      ...(as.location === undefined ? {} : { location: as.location }),
      scopes,
      fetch,
      guard,
      clock: settings.clock,
      dpopKey,
      exceptions,
    };
  };

  /**
   * Fetches the metadata of an issuer, and checks its endpoints if a response could come from another issuer. That is
   * possible without `iss` in responses, unless the user has configured the issuer.
   */
  const findChecked = async (location: string, signal: AbortSignal | undefined) => {
    const as = await fetchIssuerMetadata(location, fetch, signal, acceptMetadata);
    // The endpoints of the issuer that the user configured for the server were checked when it was accepted.
    if (exceptions.issuer !== undefined || !grant.interactive || doesSendIssuer(as)) return as;
    const isConfigured = grant.issuer !== undefined && isSameIssuer(grant.issuer, as.id, exceptions);
    if (!isConfigured) checkEndpointOrigins(as, guard);
    return as;
  };

  /** Finds the authorization server of an MCP server without metadata. */
  const findAtOrigin = (protocolVersion: string | undefined, signal: AbortSignal) =>
    exceptions.issuer === undefined
      ? fetchIssuerAtOrigin(server, protocolVersion, fetch, guard, signal)
      : findFirstIssuer(listCandidates([], server, exceptions), findChecked, signal);

  return {
    async discover(challenge, protocolVersion, signal) {
      const protectedResource = await fetchProtectedResource(server, challenge.metadataUrl, fetch, signal, exceptions);
      const previous = await readStoredOrigin();
      const requiredIssuer = grant.issuer ?? (grant.preregistered ? previous?.issuer : undefined);
      if (!protectedResource) {
        const as = await findAtOrigin(protocolVersion, signal);
        orderIssuers([as.id], server, requiredIssuer, undefined, exceptions);
        return createTarget(as, { resource: getCanonicalResource(server), undescribed: true }, undefined);
      }
      const as = await findFirstIssuer(
        orderIssuers(protectedResource.issuers, server, requiredIssuer, previous?.issuer, exceptions),
        findChecked,
        signal,
      );
      return createTarget(as, { resource: protectedResource.resource, undescribed: false }, protectedResource.scopes);
    },
    async restore(signal) {
      const origin = await readStoredOrigin();
      if (!origin) return undefined;
      const { resource, undescribed, issuer, location = issuer } = origin;
      const as = undescribed ? await findAtOrigin(undefined, signal) : await findChecked(location, signal);
      return createTarget(as, { resource, undescribed }, undefined);
    },
  };
}

/**
 * Orders the issuers to try. A client with credentials for one issuer tries only that one. Otherwise the issuer of the
 * previous tokens is first, followed by the others in the order of the metadata.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-7.6
 */
function orderIssuers(
  issuers: readonly string[],
  server: string,
  requiredIssuer: string | undefined,
  previous: string | undefined,
  exceptions: AuthExceptions,
): readonly string[] {
  if (requiredIssuer !== undefined && requiredIssuer !== exceptions.issuer) {
    const required = issuers.filter(issuer => isSameIssuer(issuer, requiredIssuer, exceptions));
    if (required.length > 0) return required;
    const isSlash = issuers.some(issuer => isSameIssuer(issuer, requiredIssuer, { ignoreIssuerSlash: true }));
    throw new TenonError('auth/other-issuer', 'the client is registered with another authorization server', {
      expected: requiredIssuer.slice(0, 200),
      received: issuers.join(', ').slice(0, 200),
      hint: isSlash
        ? 'pass the `issuer` of the client as the metadata of the server names it, with or without the slash'
        : 'register a client at the authorization server of this server, and pass it with its `issuer`',
    });
  }
  const candidates = listCandidates(issuers, server, exceptions);
  if (previous === undefined || !candidates.includes(previous)) return candidates;
  return [previous, ...candidates.filter(issuer => issuer !== previous)];
}
