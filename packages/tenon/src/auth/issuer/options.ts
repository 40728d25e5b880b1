import { type Clock, systemClock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { applyDefaults, type Optional } from '../../protocol/defaults.js';
import { memoryStores } from '../../stores/memory-stores.js';
import type { Stores, Values } from '../../stores/stores.js';
import type { PrivateJwk } from '../client/client-identity.js';
import { splitScopes } from '../client/scopes.js';
import { classifyHost } from '../http/address-class.js';
import { type AuthFetch, createGuardedFetch, type GuardedFetch } from '../http/guarded-fetch.js';
import { createUrlGuard, type UrlGuard } from '../http/url-guard.js';
import type { IssuerClient } from './clients/client-registry.js';
import { createRegistrationStore, type RegistrationStore } from './clients/registration-store.js';
import { createSigningKeys, type SigningKeys } from './signing-keys.js';

/** What an issuer and a proxy have in common. Times are in milliseconds. */
export interface IssuerBaseOptions {
  /** The issuer, byte for byte as tokens name it: `https:`, or `http:` on loopback. Its endpoints are below it. */
  readonly url: string;
  /** The servers that tokens are issued for, byte for byte. Default: any on loopback, and no other. */
  readonly resources?: readonly string[] | undefined;
  /** The scopes that there are, each with what the consent page says of it. */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
  /** Where codes, clients and refresh tokens are kept. Default: in memory, gone with the process. */
  readonly stores?: Stores | undefined;
  /** Private keys as JWKs: the first signs, all are published. Default: one is made for this process. */
  readonly keys?: readonly PrivateJwk[] | undefined;
  /** Clients that are known beforehand. */
  readonly clients?: readonly IssuerClient[] | undefined;
  /** Whether clients may register themselves (RFC 7591). Default true. */
  readonly registration?: boolean | undefined;
  /** Whether the URL of a document may be the id of a client; a function says which URLs. Default true. */
  readonly clientMetadataDocuments?: boolean | ((url: URL) => boolean) | undefined;
  /** Limits on what callers without any authorization can cause. See `IssuerLimits`. */
  readonly limits?: Optional<IssuerLimits> | undefined;
  /**
   * Decides whether a request is served, for rate limits by address. It is called before anything of the request is read.
   * A request that is refused gets 429. Default: every request is served.
   */
  readonly allowRequest?: AllowRequest | undefined;
  /** Schemes without a dot that apps may be come back to by, such as `vscode`. Default none. */
  readonly redirectSchemes?: readonly string[] | undefined;
  /** How long an access token is good for. It cannot be called back. Default 10 minutes. */
  readonly accessTokenTtl?: number | undefined;
  /** How long a refresh token is good for when it is not used. Default 14 days. */
  readonly refreshTokenTtl?: number | undefined;
  readonly clock?: Clock | undefined;
  /** Fetches the documents of clients. Default: `fetchWithAddressCheck` on Node, else the global `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /** Hears what went wrong here. Default: nobody does. */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/** Limits on what callers without any authorization can cause. The oldest entry gives way to a new one. */
export interface IssuerLimits {
  /** Registrations at once that no user has signed in to, each of at most 16 Ki characters. Default 1,000. */
  readonly maxUnusedRegistrations: number;
  /** Lifetime of a registration that no user has signed in to, in ms. Default 1 hour. A used one lives for 90 days. */
  readonly unusedRegistrationTtl: number;
  /** Sign-ins at once that users have not completed. Default 5,000, for the consent page and the provider's page each. */
  readonly maxPendingSignIns: number;
}

/** The part of a request that a rate limit may use. */
export interface IssuerRequest {
  readonly endpoint: 'register' | 'authorize' | 'consent' | 'callback' | 'token' | 'revoke';
  /** Address of the peer, where the runtime knows it. Behind a proxy it is that of the proxy. */
  readonly remote: string | undefined;
  header(name: string): string | undefined;
}

/** Returns true to serve a request, false to refuse it, `retryAfter` in ms to say when to come back. */
export type AllowRequest = (request: IssuerRequest) => AllowResult | Promise<AllowResult>;
export type AllowResult = boolean | { readonly retryAfter: number };

/** The options with all that has a default. */
export interface IssuerSettings {
  readonly issuer: string;
  /** The path of the issuer, without a slash at its end. */
  readonly path: string;
  readonly origin: string;
  /** Whether browsers come by TLS. */
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
  readonly clock: Clock;
  readonly guard: UrlGuard;
  readonly fetch: GuardedFetch;
  readonly report: (error: TenonError) => void;
  /** Made when they are first needed: some runtimes have no randomness before. */
  getKeys(): Promise<SigningKeys>;
  isAllowedResource(resource: string): boolean;
  readonly supportsDocuments: boolean;
  isAllowedDocument(url: URL): boolean;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Not to be followed: a redirect leads away from what the id names. */
const rejectRedirects =
  (fetchLike: AuthFetch): AuthFetch =>
  async (url, init, guard) => {
    const response = await fetchLike(url, init, guard);
    if (response.type !== 'opaqueredirect' && !(response.status >= 300 && response.status < 400)) return response;
    throw new TenonError('auth/redirected', 'what a client names by its URL must be there', {
      expected: 'no redirect',
    });
  };

/** Throws `auth/issuer-options`. */
export function resolveIssuerOptions(options: IssuerBaseOptions): IssuerSettings {
  const { clock = systemClock, stores = memoryStores({ clock }), fetch: fetchLike = fetchWithGlobal } = options;
  const { clientMetadataDocuments = true, resources, onError } = options;
  const url = parseIssuerUrl(options.url);
  const scopes = new Map(Object.entries(options.scopes ?? {}));
  for (const scope of scopes.keys()) {
    if (splitScopes(scope)[0] !== scope) throw createOptionError('scopes', 'names as of RFC 6749, section 3.3', scope);
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
    clock,
    guard,
    fetch: createGuardedFetch(rejectRedirects(fetchLike), guard, clock),
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
  if (url.protocol !== 'https:' && !isLoopback) throw createOptionError('url', 'https:, or http: on loopback', given);
  if (/[?#@]/.test(given)) throw createOptionError('url', 'neither query nor fragment nor a user', url.origin);
  return url;
}

const DEFAULT_ISSUER_LIMITS: IssuerLimits = {
  maxUnusedRegistrations: 1_000,
  unusedRegistrationTtl: 60 * MINUTE,
  maxPendingSignIns: 5_000,
};
/** The most that a limit may be: a slot has at most seven digits. */
const MAX_LIMIT = 9_999_999;

function resolveLimits(given: Optional<IssuerLimits> = {}): IssuerLimits {
  const limits = applyDefaults(DEFAULT_ISSUER_LIMITS, given);
  for (const name of ['maxUnusedRegistrations', 'maxPendingSignIns'] as const) {
    const fits = Number.isSafeInteger(limits[name]) && limits[name] >= 1 && limits[name] <= MAX_LIMIT;
    if (!fits) throw createOptionError(`limits.${name}`, `a whole number from 1 to ${MAX_LIMIT}`, String(limits[name]));
  }
  resolveTtl('limits.unusedRegistrationTtl', limits.unusedRegistrationTtl, 60 * MINUTE);
  return limits;
}

function resolveTtl(name: string, given: number | undefined, fallback: number): number {
  const ttl = given ?? fallback;
  if (!(ttl >= 1_000 && Number.isFinite(ttl)))
    throw createOptionError(name, 'a second or more, in milliseconds', String(ttl));
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
  return new TenonError('auth/issuer-options', `\`${option}\` is not fit for an issuer`, {
    expected,
    received: got.slice(0, 200),
  });
}

const fetchWithGlobal: AuthFetch = (url, init) => fetch(url, init);
