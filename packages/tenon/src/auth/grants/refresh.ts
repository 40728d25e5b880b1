import * as oauth from 'oauth4webapi';
import type { Identity } from '../client-auth.js';
import { asSecret, readTokens, type Tokens, tokensKey, type Vault } from '../credentials.js';
import { authError, refusalOf } from '../judgement.js';
import { type Place, tokenOptions, tokensBy } from '../place.js';
import type { Strategy } from '../strategy.js';

/**
 * Renews tokens, once for all processes that share the vault: whoever comes second finds what the first one got, since
 * tokens that rotate may be spent but once. `stale` is the access token that is no longer good. `undefined` when there is
 * nothing to renew by; tokens that the authorization server no longer takes are cleared, and only those.
 */
export function refreshed(
  place: Place,
  vault: Vault,
  client: string,
  stale: string | undefined,
  { identify, forget }: Pick<Strategy, 'identify' | 'forget'>,
  signal: AbortSignal,
): Promise<Tokens | undefined> {
  return vault.update<Tokens | undefined>(tokensKey(place.server, place, client), async secret => {
    const before = readTokens(secret);
    if (!before) return { result: undefined };
    if (before.access !== stale && !isDue(before, place.clock.now())) return { result: before };
    if (before.refresh === undefined) return { result: undefined };
    const identity = await identify(place, signal);
    if (!identity) return { result: undefined };
    try {
      const tokens = await spend(place, identity, before.refresh, before.asked, signal);
      const kept = { refresh: before.refresh, ...tokens };
      return { next: asSecret(kept), result: kept };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === 'invalid_client') await forget?.(place);
      if (refusal === 'invalid_grant') return { next: null, result: undefined };
      throw authError(error, place.issuer, 'the renewal of the tokens');
    }
  });
}

function spend(
  place: Place,
  { client, auth }: Identity,
  refresh: string,
  asked: readonly string[],
  signal: AbortSignal,
): Promise<Tokens> {
  const { metadata } = place.as;
  return tokensBy(place, asked, async () => {
    const options = { ...tokenOptions(place, signal), additionalParameters: { resource: place.resource } };
    const response = await oauth.refreshTokenGrantRequest(metadata, client, auth, refresh, options);
    return oauth.processRefreshTokenResponse(metadata, client, response);
  });
}

/** Whether tokens are to be renewed. */
export function isDue({ renew, expires }: Tokens, now: number): boolean {
  return now >= (renew ?? expires ?? Number.POSITIVE_INFINITY);
}
