import {
  type AuthFetch,
  type AuthInfo,
  type Clock,
  checkAnything,
  checkArray,
  checkBoolean,
  checkClock,
  checkEither,
  checkFalse,
  checkFunction,
  checkObject,
  checkOneOf,
  checkOptional,
  checkRange,
  checkRecord,
  checkStores,
  checkString,
  describeMismatch,
  isObject,
  type JsonObject,
  type OptionChecks,
  requireKnownOptions,
  requireOptions,
  type Stores,
  TenonError,
} from '@tenon/base';
import { checkScopes } from '../../protocol/scopes.js';
import type { NonceOptions } from './dpop-nonces.js';
import type { IntrospectionOptions } from './introspection.js';
import { isSafeUrl } from './issuer-requests.js';

/** Options of `protect`. */
export interface ProtectOptions {
  /**
   * URL of the MCP endpoint, which is the audience of its tokens. It is compared byte for byte, so a trailing slash
   * makes another resource.
   */
  readonly resource: string;
  /**
   * Trusted issuers of tokens: at least one. Each must equal `issuer` in its metadata and `iss` in its tokens, byte for
   * byte.
   */
  readonly issuers: readonly (string | TrustedIssuer)[];
  /**
   * Scopes that every request needs. Tools declare further scopes themselves.
   * @default none
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * Scopes that a broader scope includes: `{ 'notes:write': ['notes:read'] }`.
   * @default none
   */
  readonly scopeHierarchy?: { readonly [scope: string]: readonly string[] } | undefined;
  /**
   * Introspects each token at the issuer instead of verifying JWTs. Use it for opaque tokens, and for tokens that
   * must be revocable at once.
   * @default off
   */
  readonly introspection?: IntrospectionOptions | undefined;
  /**
   * Verifies tokens instead of the library. It is called for each request, and must check the audience and expiry.
   *
   * Return `undefined` to reject the token. If it throws, the response is a 500.
   *
   * @default the library verifies JWTs
   */
  readonly verify?: ((token: string) => AuthInfo | undefined | Promise<AuthInfo | undefined>) | undefined;
  /**
   * Returns the principal of a caller, which must be stable and unique per person.
   * @default `issuer|subject`, or `issuer#client` for a client without a subject
   */
  readonly principal?: ((claims: JsonObject) => string | undefined) | undefined;
  /**
   * Accepted signature algorithms of JWTs. Algorithms with a shared secret (HS256) are never accepted.
   * @default RS, PS and ES with 256, 384 and 512, EdDSA, Ed25519
   */
  readonly algorithms?: readonly string[] | undefined;
  /**
   * Type that a JWT must have.
   *
   * - `required`: `typ: at+jwt`, as RFC 9068 requires.
   * - `optional`: `typ` may be absent, because many issuers omit it. A JWT with another `typ` is always rejected.
   *
   * @default `optional`
   */
  readonly tokenType?: 'optional' | 'required' | undefined;
  /**
   * Maximum difference between the clocks of issuer and server, in milliseconds.
   * @default 30,000
   */
  readonly clockTolerance?: number | undefined;
  /**
   * Proof of possession with DPoP (RFC 9449).
   *
   * - `required`: every request needs a proof.
   * - `optional`: only a request with a bound token needs a proof.
   * - `false`: bound tokens are rejected.
   *
   * @default `optional`
   */
  readonly dpop?: false | 'optional' | 'required' | DpopOptions | undefined;
  /**
   * Store for used DPoP proofs. Pass one that all processes share.
   * @default in memory
   */
  readonly stores?: Stores | undefined;
  /**
   * Display name of the resource.
   * @default none
   */
  readonly name?: string | undefined;
  /**
   * Further members of the metadata document, such as `resource_documentation` and `scopes_supported`.
   * `scopes_supported` defaults to `scopes`.
   */
  readonly metadata?: JsonObject | undefined;
  /**
   * Issuer whose metadata this origin also serves at `/.well-known/oauth-authorization-server`. Clients that do not
   * support protected-resource metadata look there. `false`: none.
   * @default the only issuer, or none if there are several
   */
  readonly originMetadata?: string | false | undefined;
  /**
   * Maximum number of cached tokens. One user has at most half of them.
   * @default 10,000
   */
  readonly tokenCacheSize?: number | undefined;
  /**
   * Maximum lifetime of a cached token, in milliseconds. A key that the issuer withdraws is accepted for up to this
   * time.
   * @default 300,000 (5 minutes)
   */
  readonly tokenCacheTtl?: number | undefined;
  /**
   * Called when an issuer cannot be reached.
   * @default writes to standard error
   */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /**
   * Sends the requests to issuers.
   * @default `fetchWithAddressCheck` on Node, else the global `fetch`
   */
  readonly fetch?: AuthFetch | undefined;
  /**
   * Clock for expiry and timeouts. Its `now` must be the time of day, in milliseconds since the epoch.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Trusted issuer with its own settings. */
export interface TrustedIssuer {
  /** Issuer identifier. It must equal `iss` in tokens byte for byte. */
  readonly issuer: string;
  /**
   * URL of its keys.
   * @default `jwks_uri` of its metadata
   */
  readonly jwksUri?: string | undefined;
  /**
   * Additional name of this resource, for issuers that do not issue tokens for URLs: `api://notes`. No other API may
   * have that name, because this server would accept its tokens.
   * @default none
   */
  readonly audience?: string | undefined;
}

/** Options of DPoP, which binds tokens to a key of the client. */
export interface DpopOptions {
  /**
   * Requires a proof for every request.
   * @default `false`
   */
  readonly required?: boolean | undefined;
  /**
   * Maximum difference between the time of a proof and the time of the server, in milliseconds.
   * @default 60,000, at most 300,000
   */
  readonly maxProofAge?: number | undefined;
  /**
   * Requires a nonce of this server in proofs, so that clients cannot create proofs in advance.
   * @default `false`
   */
  readonly nonces?: boolean | NonceOptions | undefined;
  /**
   * Accepted signature algorithms of proofs.
   * @default those of tokens
   */
  readonly algorithms?: readonly string[] | undefined;
}

const RSA_AND_EC_ALGORITHMS = ['RS', 'PS', 'ES'].flatMap(kind => [`${kind}256`, `${kind}384`, `${kind}512`]);
const DEFAULT_ALGORITHMS: readonly string[] = [...RSA_AND_EC_ALGORITHMS, 'EdDSA', 'Ed25519'];
const KNOWN_ALGORITHMS: ReadonlySet<string> = new Set([...DEFAULT_ALGORITHMS, 'ML-DSA-44', 'ML-DSA-65', 'ML-DSA-87']);
const MAX_PROOF_AGE = 300_000;

/** Options of `protect`, with defaults applied. */
export interface ProtectSettings {
  readonly algorithms: readonly string[];
  readonly issuers: readonly TrustedIssuer[];
  /** Issuer whose metadata this origin serves. */
  readonly originIssuer: string | undefined;
  readonly dpop: (DpopOptions & { readonly algorithms: readonly string[]; readonly maxProofAge: number }) | undefined;
}

/**
 * Applies the defaults, and rejects options that would protect nothing.
 * @throws TenonError `auth/options`, or `auth/scope` for an invalid scope
 */
export function resolveProtectOptions(options: ProtectOptions): ProtectSettings {
  if (!isObject(options)) throw createOptionError('resource', '{ resource, issuers }', typeof options);
  requireValidProtectOptions(options);
  const { resource, algorithms = DEFAULT_ALGORITHMS, dpop: dpopOption = 'optional', introspection } = options;
  if (typeof resource !== 'string' || !isSafeUrl(resource) || resource.includes('#')) {
    throw createOptionError(
      'resource',
      'an absolute https: URL without a fragment, or http: on loopback',
      String(resource),
    );
  }
  if (!Array.isArray(options.issuers)) throw createOptionError('issuers', 'an array of URLs', typeof options.issuers);
  const issuers = (options.issuers as ProtectOptions['issuers']).map(each =>
    typeof each === 'string' ? { issuer: each } : each,
  );
  for (const { issuer, jwksUri = issuer } of issuers) {
    if (isSafeUrl(issuer) && isSafeUrl(jwksUri) && !/[?#|]/.test(issuer)) continue;
    throw createOptionError('issuers', 'https: URLs without query and fragment, or http: on loopback', issuer);
  }
  if (issuers.length === 0) throw createOptionError('issuers', 'at least one issuer', 'none');
  if (introspection && issuers.length > 1) throw createOptionError('introspection', 'one issuer', `${issuers.length}`);
  for (const name of ['clientId', 'clientSecret'] as const) {
    if (introspection && !introspection[name])
      throw createOptionError(`introspection.${name}`, 'a text', `${JSON.stringify(introspection[name])}`);
  }
  const [first, ...others] = issuers;
  const { originMetadata = others.length === 0 && first ? first.issuer : false } = options;
  if (originMetadata !== false && !issuers.some(({ issuer }) => issuer === originMetadata))
    throw createOptionError('originMetadata', 'one of `issuers`, or false', originMetadata);
  const dpop = typeof dpopOption === 'object' ? dpopOption : { required: dpopOption === 'required' };
  const { maxProofAge = 60_000, algorithms: proofs = algorithms } = dpop;
  for (const [option, list] of [['algorithms', algorithms] as const, ['dpop.algorithms', proofs] as const]) {
    const unknown = list.length === 0 ? 'an empty list' : list.find(each => !KNOWN_ALGORITHMS.has(each));
    // With a list that contains no known algorithm, every token would be refused.
    if (unknown !== undefined)
      throw createOptionError(option, `a list of ${[...KNOWN_ALGORITHMS].join(', ')}`, unknown);
  }
  if (!(maxProofAge > 0 && maxProofAge <= MAX_PROOF_AGE))
    throw createOptionError('dpop.maxProofAge', `1 to ${MAX_PROOF_AGE} ms`, `${maxProofAge}`);
  return {
    algorithms,
    issuers,
    originIssuer: originMetadata || undefined,
    dpop: dpopOption === false ? undefined : { ...dpop, maxProofAge, algorithms: proofs },
  };
}

const CODE = 'auth/options';
const amount = checkOptional(checkRange('a number of at least 0', 0));
const anyFunction = checkOptional(checkFunction);
const strings = checkArray(checkString);

const optionChecks: OptionChecks<ProtectOptions> = {
  // `resolveProtectOptions` checks them.
  resource: checkAnything,
  issuers: checkAnything,
  originMetadata: checkAnything,
  scopes: checkOptional(strings),
  scopeHierarchy: checkOptional(checkRecord(strings)),
  introspection: checkOptional(checkObject()),
  verify: anyFunction,
  principal: anyFunction,
  algorithms: checkOptional(strings),
  tokenType: checkOptional(checkOneOf('optional', 'required')),
  clockTolerance: amount,
  dpop: checkOptional(checkEither(checkFalse, checkObject(), checkOneOf('optional', 'required'))),
  stores: checkOptional(checkStores),
  name: checkOptional(checkString),
  metadata: checkOptional(checkObject()),
  tokenCacheSize: amount,
  tokenCacheTtl: amount,
  onError: anyFunction,
  fetch: anyFunction,
  clock: checkOptional(checkClock),
};

const dpopChecks: OptionChecks<DpopOptions> = {
  required: checkOptional(checkBoolean),
  // `resolveProtectOptions` checks it.
  maxProofAge: checkAnything,
  nonces: checkOptional(checkEither(checkBoolean, checkObject())),
  algorithms: checkOptional(strings),
};

const introspectionChecks: OptionChecks<IntrospectionOptions> = {
  // `resolveProtectOptions` checks both.
  clientId: checkAnything,
  clientSecret: checkAnything,
  clientMethod: checkOptional(checkOneOf('client_secret_basic', 'client_secret_post')),
  endpoint: checkOptional(checkString),
  ttl: amount,
};

const nonceChecks: OptionChecks<NonceOptions> = {
  keys: checkOptional(keys =>
    Array.isArray(keys) && keys.length > 0 && keys.every(key => key instanceof Uint8Array && key.length >= 32)
      ? undefined
      : describeMismatch('at least one Uint8Array of 32 bytes or more', keys, 'another value'),
  ),
  ttl: checkOptional(checkRange('a number of at least 1', 1)),
};

function requireValidProtectOptions(options: ProtectOptions): void {
  requireOptions('protect', options, optionChecks, CODE);
  const { scopes = [], scopeHierarchy = {} } = options;
  checkScopes('`scopes` of protect', scopes);
  checkScopes('`scopeHierarchy` of protect', Object.entries(scopeHierarchy).flat(2));
  const issuers: ProtectOptions['issuers'] = Array.isArray(options.issuers) ? options.issuers : [];
  for (const issuer of issuers)
    if (typeof issuer === 'object')
      requireKnownOptions<TrustedIssuer>('`issuers`', issuer, { issuer: true, jwksUri: true, audience: true }, CODE);
  const { introspection, dpop } = options;
  if (introspection !== undefined)
    requireOptions<IntrospectionOptions>('`introspection`', introspection, introspectionChecks, CODE);
  if (typeof dpop !== 'object') return;
  requireOptions<DpopOptions>('`dpop`', dpop, dpopChecks, CODE);
  if (typeof dpop.nonces === 'object') requireOptions<NonceOptions>('`dpop.nonces`', dpop.nonces, nonceChecks, CODE);
}

function createOptionError(option: string, expected: string, got: string): TenonError {
  return new TenonError(CODE, `invalid option \`${option}\``, {
    expected,
    received: String(got).slice(0, 200),
  });
}
