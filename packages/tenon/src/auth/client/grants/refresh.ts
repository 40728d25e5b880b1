import type { TenonError } from '@tenon/base';
import { type FailureVerdict, getEndpointFailure, toAuthError } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { type AuthTarget, createTokenRequestOptions, fetchTokens, getResourceParams } from '../auth-target.js';
import type { AuthorizerRequest } from '../authorizer.js';
import type { ClientIdentity } from '../client-identity.js';
import {
  getTokensKey,
  parseTokens,
  type TokenStore,
  type TokenStoreUpdate,
  type Tokens,
  toStoredSecret,
} from '../token-store.js';
import type { Grant } from './grant.js';

/** Result of a refresh. */
export interface RefreshResult {
  /** Tokens to use. Absent if there is no usable refresh token, or the authorization server did not accept it. */
  readonly tokens?: Tokens | undefined;
  /** Reason of the authorization server. Absent if the refresh token was not sent, or it was accepted. */
  readonly error?: TenonError | undefined;
}

/**
 * Renews tokens once for all processes that share the token store. A rotating refresh token works only once, so the
 * second process uses the tokens that the first one stored.
 *
 * A failure decides about the refresh token: see `FailureVerdict`. Rejects if a user cannot solve it, so that the same
 * refresh token is sent again only by the next attempt.
 *
 * A request that was sent ends also if `signal` is aborted, and its tokens are stored: authorization servers that replace
 * refresh tokens end the whole grant when the former one is sent again.
 *
 * @param stale Access token that was rejected or has expired.
 * @throws TenonError `auth/unreachable`, `auth/timeout`, `auth/refused` or `auth/not-bound`
 */
export async function refreshTokens(
  target: AuthTarget,
  tokenStore: TokenStore,
  clientKey: string,
  stale: string | undefined,
  { identifyClient, forgetClient }: Pick<Grant, 'identifyClient' | 'forgetClient'>,
  signal: AbortSignal,
  onOutcome: AuthorizerRequest['onTokenRefresh'],
): Promise<RefreshResult> {
  const renewal = await tokenStore.update<RefreshResult>(
    getTokensKey(target.server, target, clientKey),
    async stored => {
      const previous = parseTokens(stored);
      if (!previous) return { result: {} };
      if (previous.access !== stale && !isDue(previous, target.clock.now())) return { result: { tokens: previous } };
      if (previous.refresh === undefined || previous.unusable) return { result: {} };
      const identity = await identifyClient(target, previous, signal);
      if (!identity) return { result: {} };
      signal.throwIfAborted();
      try {
        const tokens = await requestRefresh(target, identity, previous.refresh, previous.asked);
        const { client, refresh } = previous;
        const next = { refresh, ...tokens, ...(client ? { client } : {}) };
        onOutcome?.('refreshed');
        return { next: toStoredSecret(next), result: { tokens: next } };
      } catch (thrown) {
        onOutcome?.('failed');
        const error = toAuthError(thrown, target.issuer, 'the token refresh');
        const failure = getEndpointFailure(thrown);
        if (failure?.isClientUnknown) await forgetClient?.(target.issuer, identity.client.client_id);
        if (failure === undefined || failure.verdict === 'temporary') throw error;
        return applyVerdict(failure.verdict, previous, error, target.clock.now());
      }
    },
  );
  signal.throwIfAborted();
  return renewal;
}

/** Decides what stays stored of tokens that the authorization server did not renew. */
function applyVerdict(
  verdict: Exclude<FailureVerdict, 'temporary'>,
  previous: Tokens,
  error: TenonError,
  now: number,
): TokenStoreUpdate<RefreshResult> {
  const result = { error };
  if (verdict === 'unrecognized') return { result };
  if (verdict === 'refused') return { next: toStoredSecret({ ...previous, unusable: true }), result };
  const { refresh: _, ...rest } = previous;
  // The access token may be valid until it expires.
  return { next: isExpired(previous, now) ? null : toStoredSecret(rest), result };
}

function requestRefresh(
  target: AuthTarget,
  { client, auth }: ClientIdentity,
  refresh: string,
  requestedScopes: readonly string[],
): Promise<Tokens> {
  const { metadata } = target.authorizationServer;
  const isScopeSent = target.exceptions.sendScopeOnRefresh === true && requestedScopes.length > 0;
  const scope: Record<string, string> = isScopeSent ? { scope: requestedScopes.join(' ') } : {};
  const additionalParameters = { ...getResourceParams(target), ...scope };
  const options = { ...createTokenRequestOptions(target, undefined), additionalParameters };
  return fetchTokens(
    target,
    requestedScopes,
    () => oauth.refreshTokenGrantRequest(metadata, client, auth, refresh, options),
    response => oauth.processRefreshTokenResponse(metadata, client, response),
  );
}

/** Tells if it is time to renew the tokens. */
export function isDue({ renew, expires }: Tokens, now: number): boolean {
  return now >= (renew ?? expires ?? Number.POSITIVE_INFINITY);
}

/** Tells if the access token has expired. */
export function isExpired({ expires }: Tokens, now: number): boolean {
  return now >= (expires ?? Number.POSITIVE_INFINITY);
}
