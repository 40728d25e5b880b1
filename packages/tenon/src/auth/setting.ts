import { type Clock, systemClock } from '../jsonrpc/clock.js';
import { memoryVault, type Vault } from './credentials.js';
import { createPossession, type Possession } from './dpop.js';
import type { AuthFetch } from './guarded-fetch.js';
import { union } from './scopes.js';
import type { GuardOptions } from './url-guard.js';

/** What all ways of signing in take. */
export interface AuthorizerOptions extends GuardOptions {
  /** Where tokens and registrations are kept. Default: in memory, until the process ends. */
  readonly vault?: Vault | undefined;
  /**
   * Scopes to ask for, and no others: a call that needs more rejects with `auth/insufficient-scope`. Default: what the
   * server's challenge names, else what the resource supports.
   */
  readonly scope?: string | readonly string[] | undefined;
  /**
   * Binds tokens to a key of this process, so that nobody else can use them (RFC 9449). They are not put into the vault
   * then: they end with the process, as the key does. Default `false`.
   */
  readonly dpop?: boolean | undefined;
  /** Does the requests to authorization servers. Default: `checkedFetch` on Node, else the global `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /** Its `now` must be the time of day, as that of `Date.now`. */
  readonly clock?: Clock | undefined;
}

/** The options with their defaults. */
export interface Setting {
  readonly guard: GuardOptions;
  readonly clock: Clock;
  readonly fetch: AuthFetch;
  /** For what may outlive the process. */
  readonly vault: Vault;
  /** For tokens. */
  readonly tokens: Vault;
  possession(): Promise<Possession | undefined>;
}

export function settingOf(options: AuthorizerOptions): Setting {
  const { clock = systemClock, vault = memoryVault(), dpop = false, fetch: fetchLike = defaultFetch } = options;
  let possession: Promise<Possession> | undefined;
  return {
    guard: options,
    clock,
    fetch: fetchLike,
    vault,
    tokens: dpop ? memoryVault() : vault,
    async possession() {
      if (!dpop) return undefined;
      possession ??= createPossession();
      return possession;
    },
  };
}

const defaultFetch: AuthFetch = (url, init) => fetch(url, init);

export function scopesOf(scope: AuthorizerOptions['scope']): readonly string[] | undefined {
  if (scope === undefined) return undefined;
  return typeof scope === 'string' ? scope.split(' ').filter(Boolean) : union(scope);
}
