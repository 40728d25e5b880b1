import { TenonError } from '../../jsonrpc/error.js';
import { redactUrl } from '../http/guarded-fetch.js';
import { AttemptLimiter } from './attempt-limiter.js';
import type { AuthTarget } from './auth-target.js';
import type { AuthorizerRequest, RefusedRequest } from './authorizer.js';
import { type AuthChallenge, parseAuthChallenge } from './discovery/auth-challenge.js';
import { createTargetLookup } from './discovery/target-lookup.js';
import type { Grant } from './grants/grant.js';
import { isDue, refreshTokens } from './grants/refresh.js';
import { revokeTokens } from './revoke-tokens.js';
import { selectScopes } from './scopes.js';
import type { AuthorizerSettings } from './settings.js';
import { createSingleFlight } from './single-flight.js';
import {
  getOriginKey,
  getTokensKey,
  parseTokenOrigin,
  parseTokens,
  type Tokens,
  toStoredSecret,
} from './token-store.js';

/** Tokens for one server. Renews them when they expire or the server refuses them. */
export interface TokenSession {
  /** Returns the current tokens, if there are any. Renews them first if they are due. */
  getTokens(request: AuthorizerRequest): Promise<Tokens | undefined>;
  /**
   * Handles a refused request. Resolves with true when there are new tokens.
   * @param sent Access token of the refused request.
   */
  renew(refusal: RefusedRequest, sent: string | undefined): Promise<boolean>;
  signOut(): Promise<void>;
}

export function createTokenSession(server: string, grant: Grant, settings: AuthorizerSettings): TokenSession {
  const { clock } = settings;
  const lookup = createTargetLookup(server, grant, settings);
  const singleFlight = createSingleFlight<boolean>();
  const attempts = new AttemptLimiter(grant, server);
  let tokens: Tokens | undefined;
  let currentTarget: AuthTarget | undefined;
  let restoring: Promise<void> | undefined;

  /** Restores the tokens that an earlier process stored. */
  const restore = async () => {
    const origin = parseTokenOrigin(await settings.tokenStore.get(getOriginKey(server, grant.clientKey)));
    tokens = origin && parseTokens(await settings.accessTokenStore.get(getTokensKey(server, origin, grant.clientKey)));
  };

  const ensureRestored = () => {
    restoring ??= restore().catch(error => {
      restoring = undefined;
      throw error;
    });
    return restoring;
  };

  /** Uses the tokens that another process has stored meanwhile, else requests new ones. */
  const requestOrReuseTokens = (
    target: AuthTarget,
    stale: string | undefined,
    scopes: readonly string[],
    signal: AbortSignal,
  ) =>
    settings.accessTokenStore.update(getTokensKey(server, target, grant.clientKey), async stored => {
      const previous = parseTokens(stored);
      if (previous && previous.access !== stale && !isDue(previous, clock.now())) return { result: previous };
      const next = await grant.requestToken(target, scopes, signal);
      return { next: toStoredSecret(next), result: next };
    });

  const storeTokens = async (target: AuthTarget, next: Tokens): Promise<boolean> => {
    const { issuer, resource, undescribed, location } = target;
    currentTarget = target;
    tokens = next;
    attempts.markSucceeded();
    await settings.tokenStore.update(getOriginKey(server, grant.clientKey), async stored => {
      const previous = parseTokenOrigin(stored);
      const unchanged =
        previous?.issuer === issuer &&
        previous.resource === resource &&
        previous.undescribed === undescribed &&
        previous.location === location;
      const next = { issuer, resource, undescribed, ...(location === undefined ? {} : { location }) };
      return unchanged ? { result: undefined } : { next, result: undefined };
    });
    return true;
  };

  const chooseScopes = (target: AuthTarget, challenged: readonly string[] | undefined) =>
    selectScopes({
      challenged,
      wanted: grant.scopes,
      resourceScopes: target.scopes,
      issuerScopes: target.authorizationServer.metadata.scopes_supported,
      previous: currentTarget?.issuer === target.issuer || currentTarget === undefined ? tokens?.asked : undefined,
      offline: grant.offline,
    });

  const refresh = (
    target: AuthTarget,
    stale: string | undefined,
    signal: AbortSignal,
    onOutcome: AuthorizerRequest['onTokenRefresh'],
  ) => refreshTokens(target, settings.accessTokenStore, grant.clientKey, stale, grant, signal, onOutcome);

  /** Renews tokens before they expire, without user interaction. */
  const refreshBeforeExpiry = async (
    stale: Tokens,
    onTokenRefresh: AuthorizerRequest['onTokenRefresh'],
    signal: AbortSignal,
  ): Promise<boolean> => {
    const isExpired = () => clock.now() >= (stale.expires ?? Number.POSITIVE_INFINITY);
    try {
      const target = currentTarget ?? (await lookup.restore(signal));
      let next = target && (await refresh(target, stale.access, signal, onTokenRefresh));
      if (!next && target && !grant.interactive)
        next = await requestOrReuseTokens(target, stale.access, stale.asked, signal);
      if (next && target) return storeTokens(target, next);
    } catch (error) {
      if (isExpired()) throw error;
    }
    if (isExpired()) tokens = undefined;
    return false;
  };

  /** Gets new tokens after a 401. Fetches the metadata again, because the authorization server may have changed. */
  const recoverFromUnauthorized = async (
    refusal: RefusedRequest,
    challenge: AuthChallenge,
    stale: string | undefined,
    signal: AbortSignal,
  ) => {
    if (tokens && tokens.access !== stale) return true;
    const target = await lookup.discover(challenge, refusal.protocolVersion, signal);
    if (attempts.mayRefresh(refusal)) {
      const next = await refresh(target, stale, signal, refusal.onTokenRefresh);
      if (next) return storeTokens(target, next);
    }
    if (!attempts.mayRequestTokens(refusal)) return false;
    return storeTokens(
      target,
      await attempts.trackSignIn(requestOrReuseTokens(target, stale, chooseScopes(target, challenge.scopes), signal)),
    );
  };

  /** Requests tokens with more scopes, after a 403 that names them. */
  const stepUp = async (
    refusal: RefusedRequest,
    challenge: AuthChallenge,
    stale: string | undefined,
    signal: AbortSignal,
  ) => {
    if (tokens && tokens.access !== stale) return true;
    const needed = challenge.scopes ?? [];
    if (!tokens || needed.length === 0 || refusal.method === 'DELETE') return false;
    attempts.countStepUp(refusal, needed);
    const target = currentTarget ?? (await lookup.discover(challenge, refusal.protocolVersion, signal));
    return storeTokens(
      target,
      await attempts.trackSignIn(requestOrReuseTokens(target, stale, chooseScopes(target, needed), signal)),
    );
  };

  return {
    async getTokens({ signal, onTokenRefresh }) {
      await ensureRestored();
      const current = tokens;
      if (current && isDue(current, clock.now()))
        await singleFlight.join(runSignal => refreshBeforeExpiry(current, onTokenRefresh, runSignal), signal);
      return tokens;
    },
    async renew(refusal, sentToken) {
      await ensureRestored();
      const challenge = parseAuthChallenge(refusal.header('www-authenticate'));
      if (refusal.status === 401)
        return singleFlight.join(
          runSignal => recoverFromUnauthorized(refusal, challenge, sentToken, runSignal),
          refusal.signal,
        );
      if (refusal.status !== 403 || challenge.error !== 'insufficient_scope') return false;
      return singleFlight.join(runSignal => stepUp(refusal, challenge, sentToken, runSignal), refusal.signal);
    },
    async signOut() {
      await ensureRestored();
      const signal = new AbortController().signal;
      const target = currentTarget ?? (await lookup.restore(signal).catch(() => undefined));
      const current = tokens;
      tokens = undefined;
      currentTarget = undefined;
      attempts.markSucceeded();
      const origin = parseTokenOrigin(await settings.tokenStore.get(getOriginKey(server, grant.clientKey)));
      if (origin)
        await settings.accessTokenStore.update(getTokensKey(server, origin, grant.clientKey), async () => ({
          next: null,
          result: undefined,
        }));
      await settings.tokenStore.update(getOriginKey(server, grant.clientKey), async () => ({
        next: null,
        result: undefined,
      }));
      if (target && current) await revokeTokens(target, current, grant, signal);
      if (!target && current)
        throw new TenonError('auth/not-revoked', 'the tokens were deleted locally but not revoked', {
          peer: redactUrl(server),
          hint: 'revoke them at the authorization server',
        });
    },
  };
}
