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
  /** URL of the issuer, exactly as tokens name it: `https:`, or `http:` on loopback. Its endpoints are below it. */
  readonly url: string;
  /** URLs of the servers that tokens are issued for. They are compared byte for byte. Default: all URLs on loopback. */
  readonly resources?: readonly string[] | undefined;
  /** Scopes by their names, each with its description for the consent page. Default: none. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
  /** Store of codes, clients and refresh tokens. Default: in memory, lost when the process ends. */
  readonly stores?: Stores | undefined;
  /**
   * Private keys as JWKs. The first one signs, all of them are published. Default: a key that is made for this process.
   */
  readonly keys?: readonly PrivateJwk[] | undefined;
  /** Clients that are configured. Default: none. */
  readonly clients?: readonly IssuerClient[] | undefined;
  /** Lets clients register themselves (RFC 7591). Default true. */
  readonly registration?: boolean | undefined;
  /** Accepts the URL of a metadata document as the id of a client. A function decides about each URL. Default true. */
  readonly clientMetadataDocuments?: boolean | ((url: URL) => boolean) | undefined;
  /** Limits on what callers without any authorization can cause. See `IssuerLimits`. */
  readonly limits?: { readonly [K in keyof IssuerLimits]?: IssuerLimits[K] | undefined } | undefined;
  /**
   * Decides whether a request is served, for rate limits by address. It is called before anything of the request is
   * read. A request that is refused gets 429. Default: every request is served.
   */
  readonly allowRequest?: AllowRequest | undefined;
  /** Schemes without a dot that redirect URIs of apps may have, such as `vscode`. Default: none. */
  readonly redirectSchemes?: readonly string[] | undefined;
  /** Lifetime of an access token, in milliseconds. It cannot be revoked. Default 600,000: 10 minutes. */
  readonly accessTokenTtl?: number | undefined;
  /** Time after which an unused refresh token expires, in milliseconds. Default 1,209,600,000: 14 days. */
  readonly refreshTokenTtl?: number | undefined;
  /** Its `now` must be the time of day, as that of `Date.now`. */
  readonly clock?: Clock | undefined;
  /** Sends the requests of the issuer. Default: `fetchWithAddressCheck` on Node, else the global `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /** Called for errors whose cause is hidden from callers. Default: they are dropped. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Limits on what callers without authorization can cause. A new entry replaces the oldest one. */
export interface IssuerLimits {
  /** Maximum number of registrations that no user has signed in to, each of at most 16 Ki characters. Default 1,000. */
  readonly maxUnusedRegistrations: number;
  /**
   * Lifetime of a registration that no user has signed in to, in milliseconds. Default 3,600,000: 1 hour. A used one
   * lives for 90 days.
   */
  readonly unusedRegistrationTtl: number;
  /**
   * Maximum number of sign-ins that users have not completed. Default 5,000, for the consent page and the provider's
   * page each.
   */
  readonly maxPendingSignIns: number;
}

/** The part of a request that a rate limit may use. */
export interface IssuerRequest {
  /** Endpoint that the request is for. */
  readonly endpoint: 'register' | 'authorize' | 'consent' | 'callback' | 'token' | 'revoke';
  /** Address of the peer, where the runtime knows it. Behind a proxy it is that of the proxy. */
  readonly remote: string | undefined;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
}

/** Returns true to serve a request, false to refuse it, or `retryAfter` to refuse it with a time. */
export type AllowRequest = (request: IssuerRequest) => AllowResult | Promise<AllowResult>;
/** `retryAfter` is the time after which the caller may try again, in milliseconds. */
export type AllowResult = boolean | { readonly retryAfter: number };

/** The options with their defaults. */
export interface IssuerSettings {
  readonly issuer: string;
  /** The path of the issuer, without a slash at its end. */
  readonly path: string;
  readonly origin: string;
  /** True if browsers connect by TLS. */
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
  /** Fetches the documents of clients. */
  readonly fetch: GuardedFetch;
  /** Creates a `fetch` for an identity provider. */
  createFetch(guard: UrlGuard): GuardedFetch;
  readonly report: (error: TenonError) => void;
  /** Returns the keys. They are made on the first call, because some runtimes have no randomness before a request. */
  getKeys(): Promise<SigningKeys>;
  isAllowedResource(resource: string): boolean;
  readonly supportsDocuments: boolean;
  isAllowedDocument(url: URL): boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Checks the options and sets their defaults. Throws `auth/issuer-options`. */
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
    // A redirect leads away from the URL that is the id of the client.
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
