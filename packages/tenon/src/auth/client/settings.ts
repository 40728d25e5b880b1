import {
  type AuthFetch,
  type Clock,
  checkAnything,
  checkArray,
  checkBoolean,
  checkClock,
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkString,
  fetchWithGlobal,
  type GuardOptions,
  type OptionChecks,
  systemClock,
} from '@tenon/base';
import { mergeScopes } from '@tenon/base/oauth';
import { type AuthExceptions, type AuthExceptionsByServer, resolveExceptions } from './auth-exceptions.js';
import { createDpopKey, type DpopKey } from './dpop-key.js';
import { memoryTokenStore, type TokenStore } from './token-store.js';

/** Options of all authorizers. */
export interface AuthorizerOptions extends GuardOptions {
  /**
   * Store for tokens and client registrations.
   * @default `memoryTokenStore()`, whose content is lost when the process ends
   */
  readonly tokenStore?: TokenStore | undefined;
  /**
   * Scopes to request, instead of those that the server names. A call that needs others rejects with
   * `auth/insufficient-scope`.
   * @default the scopes of the server's challenge, else those that the resource supports
   */
  readonly scopes?: string | readonly string[] | undefined;
  /**
   * Binds tokens to a key of this process, so that other parties cannot use them (RFC 9449). They are not written to
   * the token store, because the key ends with the process.
   * @default `false`
   */
  readonly dpop?: boolean | undefined;
  /**
   * Deviations from the specification that the client accepts, by the URL of the MCP server. Each one removes a
   * protection: see `AuthExceptions`.
   * @default none
   * @throws TenonError `auth/options` for an unknown exception
   */
  readonly exceptions?: AuthExceptionsByServer | undefined;
  /**
   * Sends the requests to authorization servers.
   * @default `fetchWithAddressCheck` on Node, else the global `fetch`
   */
  readonly fetch?: AuthFetch | undefined;
  /**
   * Clock for expiry and timeouts.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

const flag = checkOptional(checkBoolean);

/** Checks of the options of all authorizers. A text such as `no` would remove a protection. */
export const AUTHORIZER_OPTION_CHECKS: OptionChecks<AuthorizerOptions> = {
  tokenStore: checkOptional(checkObject({ get: checkFunction, update: checkFunction })),
  scopes: checkOptional(checkEither(checkString, checkArray(checkString))),
  dpop: flag,
  // `resolveExceptions` checks it.
  exceptions: checkAnything,
  fetch: checkOptional(checkFunction),
  clock: checkOptional(checkClock),
  allowInsecure: flag,
  allowPrivate: flag,
};

/** Options of an authorizer, with defaults applied. */
export interface AuthorizerSettings {
  readonly guard: GuardOptions;
  readonly clock: Clock;
  readonly fetch: AuthFetch;
  /** Store for entries that may outlive the process. */
  readonly tokenStore: TokenStore;
  /** Store for tokens. It is in memory if tokens are bound to a key of this process. */
  readonly accessTokenStore: TokenStore;
  getDpopKey(): Promise<DpopKey | undefined>;
  /** Returns the exceptions of a server, by its URL. */
  getExceptions(server: string): AuthExceptions;
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
    guard: { allowInsecure: options.allowInsecure, allowPrivate: options.allowPrivate },
    clock,
    fetch: fetchLike,
    tokenStore,
    accessTokenStore: dpop ? memoryTokenStore() : tokenStore,
    getExceptions: resolveExceptions(options.exceptions),
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
