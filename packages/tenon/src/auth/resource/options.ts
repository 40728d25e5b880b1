import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../jsonrpc/transport.js';
import type { Stores } from '../../stores/stores.js';
import type { AuthFetch } from '../http/guarded-fetch.js';
import type { NonceOptions } from './dpop-nonces.js';
import type { IntrospectionOptions } from './introspection.js';
import { isSafeUrl } from './issuer-requests.js';

/** Options of `protect`. */
export interface ProtectOptions {
  /**
   * The URL by which clients know the MCP endpoint: what tokens are issued for. Compared byte for byte: a slash more or
   * less is another resource.
   */
  readonly resource: string;
  /**
   * Trusted issuers of tokens: at least one. `issuer` in its metadata and `iss` in its tokens must equal this, byte for
   * byte.
   */
  readonly issuers: readonly (string | TrustedIssuer)[];
  /** Scopes that every request needs. Default: no scope. What a tool needs is said with the tool. */
  readonly scopes?: readonly string[] | undefined;
  /** Scopes that a broader one includes: `{ 'notes:write': ['notes:read'] }`. */
  readonly scopeHierarchy?: { readonly [scope: string]: readonly string[] } | undefined;
  /**
   * Introspects each token at the issuer instead of verifying JWTs. For opaque tokens, and for tokens that must be
   * revocable at once.
   */
  readonly introspection?: IntrospectionOptions | undefined;
  /**
   * Verifies tokens in your own way instead: `undefined` refuses the token. It must check the audience and the expiry
   * of the token. Called for each request. If it throws, the response is a 500.
   */
  readonly verify?: ((token: string) => AuthInfo | undefined | Promise<AuthInfo | undefined>) | undefined;
  /**
   * Names the caller. Must be stable, and different for different people. Default: `issuer|subject`, or `issuer#client`
   * for a client without one.
   */
  readonly principal?: ((claims: JsonObject) => string | undefined) | undefined;
  /**
   * Accepted signature algorithms of JWTs. Default: RS, PS and ES with 256, 384 and 512, EdDSA, Ed25519. Never by a
   * shared secret.
   */
  readonly algorithms?: readonly string[] | undefined;
  /**
   * `required`: a JWT must have `typ: at+jwt`, as RFC 9068 requires. Default `optional`: JWTs without `typ` also pass,
   * because many issuers omit it. A JWT with another `typ` never passes.
   */
  readonly tokenType?: 'optional' | 'required' | undefined;
  /** Maximum difference between the clocks of issuer and server, in milliseconds. Default 30,000. */
  readonly clockTolerance?: number | undefined;
  /**
   * Proof of possession of the token's key (RFC 9449). Default `optional`: where the token is bound to one. `required`:
   * always. `false`: tokens that are bound are refused.
   */
  readonly dpop?: false | 'optional' | 'required' | DpopOptions | undefined;
  /** Store of used proofs. Default: in memory; give one that all processes share. */
  readonly stores?: Stores | undefined;
  /** Name of the resource, for people. */
  readonly name?: string | undefined;
  /** More for the metadata document: `resource_documentation`, `scopes_supported`. Default of that: `scopes`. */
  readonly metadata?: JsonObject | undefined;
  /**
   * Issuer whose metadata is also served at `/.well-known/oauth-authorization-server` of this origin. Clients that do
   * not know protected-resource metadata look there. Default: the only issuer; none where there are several. `false`:
   * none.
   */
  readonly originMetadata?: string | false | undefined;
  /** Maximum number of cached tokens, of which one user has at most half. Default 10,000. */
  readonly tokenCacheSize?: number | undefined;
  /**
   * Maximum time that a token stays in the cache, in milliseconds: a key that the issuer withdraws is accepted for as long.
   * Default 300,000: 5 minutes.
   */
  readonly tokenCacheTtl?: number | undefined;
  /** Called when an issuer cannot be reached. Default: writes to standard error. */
  readonly onError?: ((error: TenonError) => void) | undefined;
  /** Does the requests to issuers. Default: `fetchWithAddressCheck` on Node, else the global `fetch`. */
  readonly fetch?: AuthFetch | undefined;
  /** Its time must be that of the world: milliseconds since 1970. */
  readonly clock?: Clock | undefined;
}

/** An issuer of which more is to be said than its name. */
export interface TrustedIssuer {
  /** Byte for byte what stands in `iss`. */
  readonly issuer: string;
  /** URL of its keys. Default: `jwks_uri` of its metadata. */
  readonly jwksUri?: string | undefined;
  /**
   * By which other name it knows this resource, where it does not issue tokens for URLs: `api://notes`. No other API
   * may have that name, or tokens for that are good here.
   */
  readonly audience?: string | undefined;
}

/** Options of DPoP, by which tokens are bound to a key of the client. */
export interface DpopOptions {
  /** Default false. */
  readonly required?: boolean | undefined;
  /**
   * Maximum difference between the time of a proof and the time of the server, in milliseconds. Default 60,000, at most
   * 300,000.
   */
  readonly maxProofAge?: number | undefined;
  /** Requires a nonce of this server in proofs, so that none can be made in advance. Default false. */
  readonly nonces?: boolean | NonceOptions | undefined;
  /** Accepted signature algorithms of proofs. Default: as tokens. */
  readonly algorithms?: readonly string[] | undefined;
}

const RSA_AND_EC_ALGORITHMS = ['RS', 'PS', 'ES'].flatMap(kind => [`${kind}256`, `${kind}384`, `${kind}512`]);
const DEFAULT_ALGORITHMS: readonly string[] = [...RSA_AND_EC_ALGORITHMS, 'EdDSA', 'Ed25519'];
const MAX_PROOF_AGE = 300_000;

/** Options with their defaults. */
export interface ProtectSettings {
  readonly algorithms: readonly string[];
  readonly issuers: readonly TrustedIssuer[];
  /** The issuer whose metadata is served at this origin. */
  readonly originIssuer: string | undefined;
  readonly dpop: (DpopOptions & { readonly algorithms: readonly string[]; readonly maxProofAge: number }) | undefined;
}

/** Throws `auth/options` for what cannot protect anything. */
export function resolveProtectOptions(options: ProtectOptions): ProtectSettings {
  if (!isObject(options)) throw createOptionError('resource', '{ resource, issuers }', typeof options);
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
  for (const each of [...algorithms, ...proofs]) {
    if (/^(none|HS\d+)$/i.test(each)) throw createOptionError('algorithms', 'asymmetric signature algorithms', each);
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

function createOptionError(option: string, expected: string, got: string): TenonError {
  return new TenonError('auth/options', `invalid option \`${option}\``, { expected, received: got.slice(0, 200) });
}
