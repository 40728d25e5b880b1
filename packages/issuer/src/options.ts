import type { GuardedFetch, UrlGuard } from '@tenon/base';
import type { Clock, Stores, TenonError, Values } from 'tenon';
import type { AuthFetch, PrivateJwk } from 'tenon/auth';
import type { IssuerClient } from './clients/client.js';
import type { RedirectRule } from './clients/redirect-rules.js';
import type { RegistrationStore } from './clients/registration-store.js';
import type { SigningKeys } from './signing-keys.js';

/** Options of `createIssuer` and `oauthProxy`. */
export interface IssuerBaseOptions {
  /**
   * URL of the issuer, exactly as in its tokens. It must be an `https:` URL, or `http:` on loopback. All endpoints are
   * below this URL.
   */
  readonly url: string;
  /**
   * URLs of the servers for which tokens are issued. They are compared byte for byte.
   * @default all URLs on loopback
   */
  readonly resources?: readonly string[] | undefined;
  /**
   * Description of each scope for the consent page, by scope name.
   * @default no scopes
   */
  readonly scopes?: Readonly<Record<string, string>> | undefined;
  /**
   * Store for codes, clients and refresh tokens.
   * @default in memory, lost when the process ends
   */
  readonly stores?: Stores | undefined;
  /**
   * Private keys as JWKs. The first one signs. All of them are published.
   * @default for `oauthProxy` keys in `stores`, encrypted and rotated every 30 days. For `createIssuer` a random key of
   * this process
   */
  readonly keys?: readonly PrivateJwk[] | undefined;
  /**
   * Configured clients.
   * @default none
   */
  readonly clients?: readonly IssuerClient[] | undefined;
  /**
   * Lets clients register themselves (RFC 7591).
   * @default `true`
   */
  readonly registration?: boolean | undefined;
  /**
   * Accepts the URL of a metadata document as a client ID. A function decides for each URL.
   * @default `true`
   */
  readonly clientMetadataDocuments?: boolean | ((url: URL) => boolean) | undefined;
  /** Limits on the entries that callers without authorization can create. Defaults: see `IssuerLimits`. */
  readonly limits?: { readonly [K in keyof IssuerLimits]?: IssuerLimits[K] | undefined } | undefined;
  /**
   * Decides whether to serve a request, for rate limits by address. Called before the request is read. A refused
   * request gets the status 429.
   * @default every request is served
   */
  readonly allowRequest?: AllowRequest | undefined;
  /**
   * Schemes without a dot that redirect URIs of native apps may have, such as `vscode`.
   * @default none
   */
  readonly redirectSchemes?: readonly string[] | undefined;
  /**
   * Rules for the redirect URIs of clients that are not in `clients`. A URI needs one rule that allows it. The rules are
   * checked at the registration, and again at each sign-in. An empty list allows no such client.
   * @default every valid redirect URI
   */
  readonly redirectRules?: readonly RedirectRule[] | undefined;
  /**
   * Lifetime of an access token, in milliseconds. An access token cannot be revoked.
   * @default 600,000 (10 minutes)
   */
  readonly accessTokenTtl?: number | undefined;
  /**
   * Time after which an unused refresh token expires, in milliseconds.
   * @default 1,209,600,000 (14 days)
   */
  readonly refreshTokenTtl?: number | undefined;
  /**
   * Clock for all lifetimes.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Sends the requests of the issuer.
   * @default `fetchWithAddressCheck` on Node, else the global `fetch`
   */
  readonly fetch?: AuthFetch | undefined;
  /**
   * Called for errors whose cause is hidden from callers.
   * @default writes to standard error
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
}

/**
 * Limits on the entries that callers without authorization can create. At a limit, a new entry replaces the oldest one.
 */
export interface IssuerLimits {
  /**
   * Maximum number of registrations with which no user has signed in. Each has at most 16 Ki characters.
   * @default 1,000
   */
  readonly maxUnusedRegistrations: number;
  /**
   * Lifetime of a registration with which no user has signed in, in milliseconds. After a sign-in it lives for 90
   * days.
   * @default 3,600,000 (1 hour)
   */
  readonly unusedRegistrationTtl: number;
  /**
   * Maximum number of incomplete sign-ins. Sign-ins at the consent page and at the identity provider are counted
   * separately.
   * @default 5,000
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
  /** Tells if a client may use a redirect URI that it has registered. */
  isAllowedRedirect(uri: string, client: string): boolean;
  readonly accessTokenTtl: number;
  readonly refreshTokenTtl: number;
  readonly clock: Clock;
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
