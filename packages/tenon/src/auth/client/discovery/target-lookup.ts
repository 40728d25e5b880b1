import { TenonError } from '../../../jsonrpc/error.js';
import { createGuardedFetch } from '../../http/guarded-fetch.js';
import { createUrlGuard } from '../../http/url-guard.js';
import type { AuthTarget } from '../auth-target.js';
import type { Grant } from '../grants/grant.js';
import type { AuthorizerSettings } from '../settings.js';
import { getOriginKey, parseTokenOrigin, type TokenOrigin } from '../token-store.js';
import type { AuthChallenge } from './auth-challenge.js';
import {
  type AuthorizationServerInfo,
  checkEndpointOrigins,
  doesSendIssuer,
  fetchIssuerAtOrigin,
  fetchIssuerMetadata,
} from './authorization-server.js';
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
  const fetch = createGuardedFetch({ ...settings, guard });
  const readStoredOrigin = async () =>
    parseTokenOrigin(await settings.tokenStore.get(getOriginKey(server, grant.clientKey)));

  const createTarget = async (
    as: AuthorizationServerInfo,
    origin: Omit<TokenOrigin, 'issuer'>,
    scopes: readonly string[] | undefined,
  ) => {
    const dpopKey = await settings.getDpopKey();
    return {
      ...origin,
      server,
      authorizationServer: as,
      issuer: as.id,
      scopes,
      fetch,
      guard,
      clock: settings.clock,
      dpopKey,
    };
  };

  /**
   * Fetches the metadata of an issuer, and checks its endpoints if a response could come from another issuer. That is
   * possible without `iss` in responses, unless the user has configured the issuer.
   */
  const findChecked = async (id: string, signal: AbortSignal) => {
    const as = await fetchIssuerMetadata(id, fetch, signal);
    if (grant.interactive && grant.issuer !== id && !doesSendIssuer(as)) checkEndpointOrigins(as, guard);
    return as;
  };

  return {
    async discover(challenge, protocolVersion, signal) {
      const protectedResource = await fetchProtectedResource(server, challenge.metadataUrl, fetch, signal);
      const previous = await readStoredOrigin();
      const requiredIssuer = grant.issuer ?? (grant.preregistered ? previous?.issuer : undefined);
      if (!protectedResource) {
        const as = await fetchIssuerAtOrigin(server, protocolVersion, fetch, guard, signal);
        orderIssuers([as.id], requiredIssuer, undefined);
        return createTarget(as, { resource: getCanonicalResource(server), undescribed: true }, undefined);
      }
      const as = await findFirstIssuer(
        orderIssuers(protectedResource.issuers, requiredIssuer, previous?.issuer),
        findChecked,
        signal,
      );
      return createTarget(as, { resource: protectedResource.resource, undescribed: false }, protectedResource.scopes);
    },
    async restore(signal) {
      const origin = await readStoredOrigin();
      if (!origin) return undefined;
      const { resource, undescribed, issuer } = origin;
      const as = undescribed
        ? await fetchIssuerAtOrigin(server, undefined, fetch, guard, signal)
        : await findChecked(issuer, signal);
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
  requiredIssuer: string | undefined,
  previous: string | undefined,
): readonly string[] {
  if (requiredIssuer !== undefined) {
    if (issuers.includes(requiredIssuer)) return [requiredIssuer];
    throw new TenonError('auth/other-issuer', 'the client is registered with another authorization server', {
      expected: requiredIssuer.slice(0, 200),
      received: issuers.join(', ').slice(0, 200),
      hint: 'register a client at the authorization server of this server, and pass it with its `issuer`',
    });
  }
  if (previous === undefined || !issuers.includes(previous)) return issuers;
  return [previous, ...issuers.filter(issuer => issuer !== previous)];
}

type FindIssuer = (id: string, signal: AbortSignal) => Promise<AuthorizationServerInfo>;

async function findFirstIssuer(
  issuers: readonly string[],
  find: FindIssuer,
  signal: AbortSignal,
): Promise<AuthorizationServerInfo> {
  let firstError: unknown;
  for (const issuer of issuers) {
    try {
      return await find(issuer, signal);
    } catch (error) {
      signal.throwIfAborted();
      firstError ??= error;
    }
  }
  throw firstError;
}
