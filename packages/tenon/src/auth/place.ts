import * as oauth from 'oauth4webapi';
import type { Clock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Origin, Tokens } from './credentials.js';
import type { Issuer } from './discovery/authorization-server.js';
import type { Possession } from './dpop.js';
import type { GuardedFetch } from './guarded-fetch.js';
import { withNonce } from './judgement.js';
import { splitScopes } from './scopes.js';
import type { UrlGuard } from './url-guard.js';

const SECOND = 1_000;
/** How much before their end tokens are renewed, at the most. */
const SKEW = 30 * SECOND;

/** Where tokens for a server are had, and by what means. */
export interface Place extends Origin {
  /** The server as the client was told of it. */
  readonly server: string;
  readonly as: Issuer;
  /** `scopes_supported` of the resource. */
  readonly scopes: readonly string[] | undefined;
  readonly fetch: GuardedFetch;
  readonly guard: UrlGuard;
  readonly clock: Clock;
  readonly possession: Possession | undefined;
}

interface RequestOptions {
  [oauth.customFetch]: (url: string, init: object) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
}

/** What every request to an authorization server takes along. */
export function requestOptions(place: Pick<Place, 'fetch' | 'guard'>, signal: AbortSignal): RequestOptions {
  return {
    [oauth.customFetch]: (url, init) => place.fetch(url, init, signal),
    // The guard judges each URL by itself.
    [oauth.allowInsecureRequests]: place.guard.plain,
  };
}

export function tokenOptions(place: Place, signal: AbortSignal): RequestOptions & { DPoP?: oauth.DPoPHandle } {
  const { possession } = place;
  return { ...requestOptions(place, signal), ...(possession ? { DPoP: possession.handle } : {}) };
}

/** Asks for tokens, and once more when the proof needs a nonce. */
export async function tokensBy(
  place: Place,
  asked: readonly string[],
  request: () => Promise<oauth.TokenEndpointResponse>,
): Promise<Tokens> {
  const answer = await withNonce(request);
  const { access_token: access, token_type: type, expires_in: lasts, refresh_token: refresh } = answer;
  if (place.possession && type !== 'dpop') {
    throw new TenonError('auth/not-bound', 'the authorization server does not bind tokens to a key', {
      peer: place.issuer.slice(0, 200),
      expected: 'token_type DPoP',
      got: 'token_type Bearer',
      next: 'leave `dpop` away where tokens that whoever has them may use are good enough',
    });
  }
  return {
    access,
    type: type === 'dpop' ? 'dpop' : 'bearer',
    asked: asked.length > 0 ? asked : splitScopes(answer.scope ?? ''),
    ...(lasts === undefined ? {} : lifetime(place.clock.now(), lasts * SECOND)),
    ...(refresh === undefined ? {} : { refresh }),
  };
}

function lifetime(now: number, lasts: number): { expires: number; renew: number } {
  const expires = now + lasts;
  return { expires, renew: expires - Math.min(SKEW, lasts / 10) };
}
