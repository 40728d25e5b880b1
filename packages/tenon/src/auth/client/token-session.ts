import { redactUrl, TenonError } from '@tenon/base';
import { AttemptLimiter } from './attempt-limiter.js';
import type { AuthTarget } from './auth-target.js';
import type { AuthorizerRequest, RefusedRequest } from './authorizer.js';
import { type AuthChallenge, parseAuthChallenge } from './discovery/auth-challenge.js';
import { createTargetLookup } from './discovery/target-lookup.js';
import type { Grant } from './grants/grant.js';
import { isDue, isExpired, refreshTokens } from './grants/refresh.js';
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
  /** Deletes and revokes the tokens, and forgets a dynamic registration. */
  signOut(): Promise<SignOutOutcome>;
}

/** Changes that a sign-out has made. */
export interface SignOutOutcome {
  /** True if tokens were stored. They are deleted. */
  readonly hadTokens: boolean;
  /** True if the authorization server has revoked the tokens. False if it supports no revocation. */
  readonly revoked: boolean;
  /** True if a dynamic registration was stored. It is deleted, so that the next sign-in registers the client again. */
  readonly hadRegistration: boolean;
}

export function createTokenSession(server: string, grant: Grant, settings: AuthorizerSettings): TokenSession {
  const { clock } = settings;
  const lookup = createTargetLookup(server, grant, settings);
  const singleFlight = createSingleFlight<boolean>();
  const attempts = new AttemptLimiter(grant, server);
  let tokens: Tokens | undefined;
  let expiredScopes: readonly string[] | undefined;
  let currentTarget: AuthTarget | undefined;
  let failedRenewal: FailedRenewal | undefined;
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
      // A sign-out must find the issuer of a registration, also if no sign-in there has ever succeeded.
      if (grant.forgetClient) await storeOrigin(target);
      const next = await grant.requestToken(target, scopes, signal);
      return { next: toStoredSecret(next), result: next };
    });

  const storeOrigin = ({ issuer, resource, undescribed, location }: AuthTarget) =>
    settings.tokenStore.update(getOriginKey(server, grant.clientKey), async stored => {
      const previous = parseTokenOrigin(stored);
      const unchanged =
        previous?.issuer === issuer &&
        previous.resource === resource &&
        previous.undescribed === undescribed &&
        previous.location === location;
      const next = { issuer, resource, undescribed, ...(location === undefined ? {} : { location }) };
      return unchanged ? { result: undefined } : { next, result: undefined };
    });

  const storeTokens = async (target: AuthTarget, next: Tokens): Promise<boolean> => {
    currentTarget = target;
    tokens = next;
    failedRenewal = undefined;
    attempts.markSucceeded();
    await storeOrigin(target);
    return true;
  };

  const chooseScopes = (target: AuthTarget, challenged: readonly string[] | undefined) =>
    selectScopes({
      challenged,
      wanted: grant.scopes,
      resourceScopes: target.scopes,
      issuerScopes: target.authorizationServer.metadata.scopes_supported,
      previous:
        currentTarget?.issuer === target.issuer || currentTarget === undefined
          ? (tokens?.asked ?? expiredScopes)
          : undefined,
      offline: grant.offline,
    });

  const refresh = (
    target: AuthTarget,
    stale: string | undefined,
    signal: AbortSignal,
    onOutcome: AuthorizerRequest['onTokenRefresh'],
  ) => refreshTokens(target, settings.accessTokenStore, grant.clientKey, stale, grant, signal, onOutcome);

  /** Tells if the tokens must be renewed now. A renewal that failed is not repeated before they expire. */
  const mustRenew = (current: Tokens) =>
    isDue(current, clock.now()) && (isExpired(current, clock.now()) || failedRenewal?.access !== current.access);

  /** Renews tokens before they expire, without user interaction. */
  const refreshBeforeExpiry = async (
    stale: Tokens,
    onTokenRefresh: AuthorizerRequest['onTokenRefresh'],
    signal: AbortSignal,
  ): Promise<boolean> => {
    try {
      const target = currentTarget ?? (await lookup.restore(signal));
      const { tokens: refreshed, error } = target ? await refresh(target, stale.access, signal, onTokenRefresh) : {};
      if (error) failedRenewal = { access: stale.access, error, isTemporary: false };
      const next =
        refreshed ??
        (target && !grant.interactive
          ? await requestOrReuseTokens(target, stale.access, stale.asked, signal)
          : undefined);
      if (next && target) return storeTokens(target, next);
    } catch (error) {
      if (signal.aborted || isExpired(stale, clock.now())) throw error;
      failedRenewal = { access: stale.access, error: TenonError.from(error), isTemporary: true };
    }
    if (isExpired(stale, clock.now())) {
      tokens = undefined;
      expiredScopes = stale.asked;
    }
    return false;
  };

  /**
   * Returns the failure of the renewal that the same attempt has just tried. The refresh token is then not sent a second
   * time, because the authorization server may have replaced it although its response was lost.
   */
  const takeFailedRenewal = (sent: string | undefined): FailedRenewal | undefined => {
    const failure = failedRenewal;
    if (failure === undefined || (sent !== undefined && sent !== failure.access)) return undefined;
    failedRenewal = undefined;
    return failure;
  };

  /** Gets new tokens after a 401. Fetches the metadata again, because the authorization server may have changed. */
  const recoverFromUnauthorized = async (
    refusal: RefusedRequest,
    challenge: AuthChallenge,
    stale: string | undefined,
    signal: AbortSignal,
  ) => {
    if (tokens && tokens.access !== stale) return true;
    const failure = takeFailedRenewal(stale);
    if (failure?.isTemporary) throw failure.error;
    const target = await lookup.discover(challenge, refusal.protocolVersion, signal);
    let refreshError = failure?.error;
    if (failure === undefined && attempts.mayRefresh(refusal)) {
      const result = await refresh(target, stale, signal, refusal.onTokenRefresh);
      if (result.tokens) return storeTokens(target, result.tokens);
      refreshError = result.error;
    }
    if (!attempts.mayRequestTokens(refusal)) return false;
    const scopes = chooseScopes(target, challenge.scopes);
    return storeTokens(
      target,
      await attempts.trackSignIn(requestOrReuseTokens(target, stale, scopes, signal)).catch(error => {
        throw explainNeededUser(error, refreshError);
      }),
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
      if (current && mustRenew(current))
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
      const originKey = getOriginKey(server, grant.clientKey);
      const origin = parseTokenOrigin(await settings.tokenStore.get(originKey));
      const remove = async () => ({ next: null, result: undefined });
      // Expired tokens are no longer in use, but their refresh token is still valid.
      let current = tokens;
      tokens = undefined;
      expiredScopes = undefined;
      currentTarget = undefined;
      failedRenewal = undefined;
      attempts.reset();
      if (origin) {
        const tokensKey = getTokensKey(server, origin, grant.clientKey);
        current ??= parseTokens(await settings.accessTokenStore.get(tokensKey));
        await settings.accessTokenStore.update(tokensKey, remove);
      }
      await settings.tokenStore.update(originKey, remove);
      const issuer = target?.issuer ?? origin?.issuer;
      let revoked = false;
      let hadRegistration = false;
      try {
        if (target && current) revoked = await revokeTokens(target, current, grant, signal);
      } finally {
        // The registration may be the reason for the sign-out: the authorization server no longer knows it.
        if (issuer !== undefined) hadRegistration = (await grant.forgetClient?.(issuer)) ?? false;
      }
      if (!target && current)
        throw new TenonError('auth/not-revoked', 'the tokens were deleted locally but not revoked', {
          peer: redactUrl(server),
          hint: 'revoke them at the authorization server',
        });
      return { hadTokens: current !== undefined, revoked, hadRegistration };
    },
  };
}

/** Renewal that the authorization server did not accept. */
interface FailedRenewal {
  /** Access token that was to be replaced. */
  readonly access: string;
  readonly error: TenonError;
  /** True if nothing is known about the refresh token, so that the next attempt may send it again. */
  readonly isTemporary: boolean;
}

/** Adds the reason to the error of a sign-in that needs a user: the authorization server refused the stored tokens. */
function explainNeededUser(error: unknown, refreshError: TenonError | undefined): unknown {
  if (!TenonError.is(error) || error.code !== 'auth/needs-user' || refreshError === undefined) return error;
  const { peer, received, data } = refreshError;
  const summary = 'a user must sign in again, because the authorization server refused the stored tokens';
  return new TenonError(error.code, summary, { peer, received, data, hint: error.hint });
}
