import { type Clock, systemClock } from '../../cancellation/clock.js';
import { type AuthFetch, fetchWithGlobal } from '../http/guarded-fetch.js';
import type { GuardOptions } from '../http/url-guard.js';
import { createDpopKey, type DpopKey } from './dpop-key.js';
import { mergeScopes } from './scopes.js';
import { memoryTokenStore, type TokenStore } from './token-store.js';

/** Options of all authorizers. */
export interface AuthorizerOptions extends GuardOptions {
  /** Store of tokens and registrations. Default: in memory, until the process ends. */
  readonly tokenStore?: TokenStore | undefined;
  /**
   * Scopes to request. No others are requested: a call that needs more rejects with `auth/insufficient-scope`. Default:
   * the scopes of the server's challenge, else those that the resource supports.
   */
  readonly scopes?: string | readonly string[] | undefined;
  /**
   * Binds tokens to a key of this process, so that other parties cannot use them (RFC 9449). The tokens are not stored
   * in the token store, because the key ends with the process. Default `false`.
   */
  readonly dpop?: boolean | undefined;
  /** Does the requests to authorization servers. Default: `fetchWithAddressCheck` on Node, else the global `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /** Its `now` must be the time of day, as that of `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** The options with their defaults. */
export interface AuthorizerSettings {
  readonly guard: GuardOptions;
  readonly clock: Clock;
  readonly fetch: AuthFetch;
  /** For what may outlive the process. */
  readonly tokenStore: TokenStore;
  /** For tokens. */
  readonly accessTokenStore: TokenStore;
  getDpopKey(): Promise<DpopKey | undefined>;
}

export function resolveSettings(options: AuthorizerOptions): AuthorizerSettings {
  const {
    clock = systemClock,
    tokenStore = memoryTokenStore(),
    dpop = false,
    fetch: fetchLike = fetchWithGlobal,
  } = options;
  let dpopKey: Promise<DpopKey> | undefined;
  return {
    guard: options,
    clock,
    fetch: fetchLike,
    tokenStore,
    accessTokenStore: dpop ? memoryTokenStore() : tokenStore,
    async getDpopKey() {
      if (!dpop) return undefined;
      dpopKey ??= createDpopKey();
      return dpopKey;
    },
  };
}

export function parseScopeOption(scope: AuthorizerOptions['scopes']): readonly string[] | undefined {
  if (scope === undefined) return undefined;
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : mergeScopes(scope);
}
