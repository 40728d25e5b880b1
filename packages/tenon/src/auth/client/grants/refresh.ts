import * as oauth from 'oauth4webapi';
import { type AuthTarget, createTokenRequestOptions, fetchTokens, getResourceParams } from '../auth-target.js';
import type { AuthorizerRequest } from '../authorizer.js';
import type { ClientIdentity } from '../client-identity.js';
import { getOauthErrorCode, toAuthError } from '../to-auth-error.js';
import { getTokensKey, parseTokens, type TokenStore, type Tokens, toStoredSecret } from '../token-store.js';
import type { Grant } from './grant.js';

/**
 * Renews tokens once for all processes that share the token store. A rotating refresh token works only once, so the
 * second process uses the tokens that the first one stored.
 *
 * Resolves with `undefined` when there is no refresh token. Deletes tokens only when the authorization server rejects
 * them.
 *
 * @param stale Access token that was rejected or has expired.
 */
export function refreshTokens(
  target: AuthTarget,
  tokenStore: TokenStore,
  clientKey: string,
  stale: string | undefined,
  { identifyClient, forgetClient }: Pick<Grant, 'identifyClient' | 'forgetClient'>,
  signal: AbortSignal,
  onOutcome: AuthorizerRequest['onTokenRefresh'],
): Promise<Tokens | undefined> {
  return tokenStore.update<Tokens | undefined>(getTokensKey(target.server, target, clientKey), async stored => {
    const previous = parseTokens(stored);
    if (!previous) return { result: undefined };
    if (previous.access !== stale && !isDue(previous, target.clock.now())) return { result: previous };
    if (previous.refresh === undefined) return { result: undefined };
    const identity = await identifyClient(target, signal);
    if (!identity) return { result: undefined };
    try {
      const tokens = await requestRefresh(target, identity, previous.refresh, previous.asked, signal);
      const next = { refresh: previous.refresh, ...tokens };
      onOutcome?.('refreshed');
      return { next: toStoredSecret(next), result: next };
    } catch (error) {
      if (!signal.aborted) onOutcome?.('failed');
      const errorCode = getOauthErrorCode(error);
      if (errorCode === 'invalid_client') await forgetClient?.(target);
      if (errorCode === 'invalid_grant') return { next: null, result: undefined };
      throw toAuthError(error, target.issuer, 'the token refresh');
    }
  });
}

function requestRefresh(
  target: AuthTarget,
  { client, auth }: ClientIdentity,
  refresh: string,
  requestedScopes: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  const { metadata } = target.authorizationServer;
  const isScopeSent = target.exceptions.sendScopeOnRefresh === true && requestedScopes.length > 0;
  const scope: Record<string, string> = isScopeSent ? { scope: requestedScopes.join(' ') } : {};
  return fetchTokens(target, requestedScopes, async () => {
    const options = {
      ...createTokenRequestOptions(target, signal),
      additionalParameters: { ...getResourceParams(target), ...scope },
    };
    const response = await oauth.refreshTokenGrantRequest(metadata, client, auth, refresh, options);
    return oauth.processRefreshTokenResponse(metadata, client, response);
  });
}

/** Tells if it is time to renew the tokens. */
export function isDue({ renew, expires }: Tokens, now: number): boolean {
  return now >= (renew ?? expires ?? Number.POSITIVE_INFINITY);
}
