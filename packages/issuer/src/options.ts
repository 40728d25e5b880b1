import { type Clock, memoryStores, type Stores, TenonError, type Values } from 'tenon';
import type { AuthFetch, PrivateJwk } from 'tenon/auth';
import {
  classifyHost,
  createGuardedFetch,
  createUrlGuard,
  type GuardedFetch,
  splitScopes,
  type UrlGuard,
} from 'tenon/auth/endpoints';
import type { IssuerClient } from './clients/client-registry.js';
import { createRegistrationStore, type RegistrationStore } from './clients/registration-store.js';
import { createSigningKeys, type SigningKeys } from './signing-keys.js';

/** Options of `createIssuer` and `oauthProxy`. */
export interface IssuerBaseOptions {
  /**
   * URL of the issuer, exactly as in its tokens. It must be an `https:` URL, or `http:` on loopback. All endpoints are
   * below this URL.
   */
  readonly url: string;
  /**
   * URLs of the servers for which tokens are issued. They are compared byte for byte. Default: all URLs on loopback.
   */
  readonly resources?: readonly string[] | undefined;
  /** Description of each scope for the consent page, by scope name. Default: no scopes. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
  /** Store for codes, clients and refresh tokens. Default: in memory, lost when the process ends. */
  readonly stores?: Stores | undefined;
  /**
   * Private keys as JWKs. The first one signs. All of them are published.
   *
   * Default: a random key of this process.
   */
  readonly keys?: readonly PrivateJwk[] | undefined;
  /** Configured clients. Default: none. */
  readonly clients?: readonly IssuerClient[] | undefined;
  /** Lets clients register themselves (RFC 7591). Default `true`. */
  readonly registration?: boolean | undefined;
  /** Accepts the URL of a metadata document as a client ID. A function decides for each URL. Default `true`. */
  readonly clientMetadataDocuments?: boolean | ((url: URL) => boolean) | undefined;
  /** Limits on the entries that callers without authorization can create. Defaults: see `IssuerLimits`. */
  readonly limits?: { readonly [K in keyof IssuerLimits]?: IssuerLimits[K] | undefined } | undefined;
  /**
   * Decides whether to serve a request, for rate limits by address. Called before the request is read. A refused
   * request gets the status 429.
   *
   * Default: every request is served.
   */
  readonly allowRequest?: AllowRequest | undefined;
  /** Schemes without a dot that redirect URIs of native apps may have, such as `vscode`. Default: none. */
  readonly redirectSchemes?: readonly string[] | undefined;
  /** Lifetime of an access token, in milliseconds. An access token cannot be revoked. Default 600,000 (10 minutes). */
  readonly accessTokenTtl?: number | undefined;
  /** Time after which an unused refresh token expires, in milliseconds. Default 1,209,600,000 (14 days). */
  readonly refreshTokenTtl?: number | undefined;
  /** Clock for all lifetimes. Its `now` must be the time of day, like `Date.now`. Default: the clock of the system. */
  readonly clock?: Clock | undefined;
  /** Sends the requests of the issuer. Default: `fetchWithAddressCheck` on Node, else the global `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /** Called for errors whose cause is hidden from callers. Default: the errors are dropped. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/**
 * Limits on the entries that callers without authorization can create. At a limit, a new entry replaces the oldest one.
 */
export interface IssuerLimits {
  /**
   * Maximum number of registrations with which no user has signed in. Each has at most 16 Ki characters. Default 1,000.
   */
  readonly maxUnusedRegistrations: number;
  /**
   * Lifetime of a registration with which no user has signed in, in milliseconds. After a sign-in it lives for 90 days.
   * Default 3,600,000 (1 hour).
   */
  readonly unusedRegistrationTtl: number;
  /**
   * Maximum number of incomplete sign-ins. Sign-ins at the consent page and at the identity provider are counted
   * separately. Default 5,000.
   */
  readonly maxPendingSignIns: number;
}

/** Request properties for a rate limit. */
export interface IssuerRequest {
  /** Endpoint of the request. */
  readonly endpoint: 'register' | 'authorize' | 'consent' | 'callback' | 'token' | 'revoke';
  /** Address of the peer, or of the last proxy. `undefined` if the runtime does not provide it. */
  readonly remote: string | undefined;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
}

/** Returns true to serve a request, false to refuse it, or `retryAfter` to refuse it with a time. */
export type AllowRequest = (request: IssuerRequest) => AllowResult | Promise<AllowResult>;
/** Decision of `allowRequest`. `retryAfter` is the time after which the caller may try again, in milliseconds. */
export type AllowResult = boolean | { readonly retryAfter: number };

/** Options of an issuer, with defaults applied. */
export interface IssuerSettings {
  readonly issuer: string;
  /** Path of the issuer, without a trailing slash. */
  readonly path: string;
  readonly origin: string;
  /** True if browsers connect over TLS. */
  readonly secure: boolean;
  readonly scopes: ReadonlyMap<string, string>;
  readonly values: Values;
  readonly limits: IssuerLimits;
  readonly registrations: RegistrationStore;
  readonly allowRequest: AllowRequest;
  readonly clients: readonly IssuerClient[];
  readonly registration: boolean;
  readonly redirectSchemes: readonly string[];
  readonly accessTokenTtl: number;
  readonly refreshTokenTtl: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly guard: UrlGuard;
  /** Fetches client metadata documents. */
  readonly fetch: GuardedFetch;
  /** Creates a `fetch` for the endpoints of an identity provider. */
  createFetch(guard: UrlGuard): GuardedFetch;
  readonly report: (error: TenonError) => void;
  /**
   * Returns the keys. Creates them on the first call, because some runtimes cannot create random values before a
   * request.
   */
  getKeys(): Promise<SigningKeys>;
  isAllowedResource(resource: string): boolean;
  readonly supportsDocuments: boolean;
  isAllowedDocument(url: URL): boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Checks the options and applies the defaults.
 * @throws TenonError `auth/issuer-options`
 */
export function resolveIssuerOptions(options: IssuerBaseOptions): IssuerSettings {
  const {
    clock,
    stores = memoryStores({ clock }),
    fetch,
    clientMetadataDocuments = true,
    resources,
    onError,
  } = options;
  const url = parseIssuerUrl(options.url);
  const scopes = new Map(Object.entries(options.scopes ?? {}));
  for (const scope of scopes.keys()) {
    if (splitScopes(scope)[0] !== scope)
      throw createOptionError('scopes', 'scope names of RFC 6749, section 3.3', scope);
  }
  const guard = createUrlGuard(url);
  const limits = resolveLimits(options.limits);
  let keys: Promise<SigningKeys> | undefined;
  return {
    issuer: options.url,
    path: url.pathname.replace(/\/$/, ''),
    origin: url.origin,
    secure: url.protocol === 'https:',
    scopes,
    values: stores.values,
    limits,
    registrations: createRegistrationStore(stores.values, {
      maxUnused: limits.maxUnusedRegistrations,
      unusedTtl: limits.unusedRegistrationTtl,
    }),
    allowRequest: options.allowRequest ?? (() => true),
    clients: options.clients ?? [],
    registration: options.registration ?? true,
    redirectSchemes: options.redirectSchemes ?? [],
    accessTokenTtl: resolveTtl('accessTokenTtl', options.accessTokenTtl, 10 * MINUTE),
    refreshTokenTtl: resolveTtl('refreshTokenTtl', options.refreshTokenTtl, 14 * DAY),
    clock: clock ?? { now: () => Date.now() },
    guard,
    // Redirects are off, because the final URL would differ from the client ID.
    fetch: createGuardedFetch({ guard, fetch, clock, maxRedirects: 0 }),
    createFetch: (providerGuard: UrlGuard) => createGuardedFetch({ guard: providerGuard, fetch, clock }),
    report: error => onError?.(error),
    getKeys: () => (keys ??= createSigningKeys(options.keys)),
    isAllowedResource: resource =>
      isResourceUrl(resource) && (resources?.includes(resource) ?? isLoopbackResource(resource)),
    supportsDocuments: clientMetadataDocuments !== false,
    isAllowedDocument: documentUrl =>
      typeof clientMetadataDocuments === 'function' ? clientMetadataDocuments(documentUrl) : clientMetadataDocuments,
  };
}

function parseIssuerUrl(given: string): URL {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    throw createOptionError('url', 'an absolute URL', given);
  }
  const isLoopback = url.protocol === 'http:' && classifyHost(url.hostname) === 'loopback';
  if (url.protocol !== 'https:' && !isLoopback)
    throw createOptionError('url', 'an https: URL, or http: on loopback', given);
  if (/[?#@]/.test(given)) throw createOptionError('url', 'a URL without query, fragment and user', url.origin);
  return url;
}

const DEFAULT_ISSUER_LIMITS: IssuerLimits = {
  maxUnusedRegistrations: 1_000,
  unusedRegistrationTtl: 60 * MINUTE,
  maxPendingSignIns: 5_000,
};
/** Maximum of a limit, because the number of a slot has at most seven digits. */
const MAX_LIMIT = 9_999_999;

function resolveLimits(given: NonNullable<IssuerBaseOptions['limits']> = {}): IssuerLimits {
  const limits = {
    maxUnusedRegistrations: given.maxUnusedRegistrations ?? DEFAULT_ISSUER_LIMITS.maxUnusedRegistrations,
    unusedRegistrationTtl: given.unusedRegistrationTtl ?? DEFAULT_ISSUER_LIMITS.unusedRegistrationTtl,
    maxPendingSignIns: given.maxPendingSignIns ?? DEFAULT_ISSUER_LIMITS.maxPendingSignIns,
  };
  for (const name of ['maxUnusedRegistrations', 'maxPendingSignIns'] as const) {
    const fits = Number.isSafeInteger(limits[name]) && limits[name] >= 1 && limits[name] <= MAX_LIMIT;
    if (!fits) throw createOptionError(`limits.${name}`, `an integer from 1 to ${MAX_LIMIT}`, String(limits[name]));
  }
  resolveTtl('limits.unusedRegistrationTtl', limits.unusedRegistrationTtl, 60 * MINUTE);
  return limits;
}

function resolveTtl(name: string, given: number | undefined, fallback: number): number {
  const ttl = given ?? fallback;
  if (!(ttl >= 1_000 && Number.isFinite(ttl)))
    throw createOptionError(name, 'at least 1,000 milliseconds', String(ttl));
  return ttl;
}

function isResourceUrl(resource: string): boolean {
  try {
    return new URL(resource).protocol.startsWith('http') && !resource.includes('#');
  } catch {
    return false;
  }
}

function isLoopbackResource(resource: string): boolean {
  return classifyHost(new URL(resource).hostname) === 'loopback';
}

export function createOptionError(option: string, expected: string, got: string): TenonError {
  return new TenonError('auth/issuer-options', `\`${option}\` cannot be used by an issuer`, {
    expected,
    received: got.slice(0, 200),
  });
}
