import { isObject, type JsonObject } from '@tenon/base';
import { createInvalidTokenError, type TokenError, type VerifiedToken } from './token-error.js';

/** Rules to derive the caller from the claims of a token. */
export interface ClaimOptions {
  /** Returns the principal of the caller. `undefined` rejects the token. */
  readonly getPrincipal: (claims: JsonObject) => string | undefined;
  /** Returns the given scopes and all scopes that they include. */
  readonly expandScopes: (scopes: readonly string[]) => readonly string[];
}

/** Type names of access tokens, in RFC 6750, RFC 9449, RFC 8693, RFC 9068 and common issuers. */
const ACCESS_TYPES: ReadonlySet<string> = new Set([
  ...['bearer', 'dpop', 'access', 'access_token', 'at+jwt', 'application/at+jwt', 'jwt'],
  ...['urn:ietf:params:oauth:token-type:access_token', 'urn:ietf:params:oauth:token-type:jwt'],
]);
/**
 * Claims that contain the type of a token: `token_type` of RFC 7662, `token_use` of Cognito and Hydra, `typ` of
 * Keycloak.
 */
const TYPE_CLAIMS = ['token_type', 'token_use', 'typ'] as const;
/**
 * Claims that occur in ID tokens only.
 *
 * @see https://openid.net/specs/openid-connect-core-1_0.html#HybridIDToken
 */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash'] as const;

/**
 * Creates the caller from the claims of a token whose issuer, audience and times are verified.
 *
 * @param expiresAt Time from which the token is rejected, in milliseconds since the epoch.
 * @param expires Time at which the token must be verified again, in milliseconds since the epoch. It may be before
 * `expiresAt`.
 */
export function readClaims(
  claims: JsonObject,
  { expiresAt, expires }: { readonly expiresAt: number; readonly expires: number },
  { getPrincipal, expandScopes }: ClaimOptions,
): VerifiedToken | TokenError {
  // Refresh tokens and ID tokens have the same issuer and user as access tokens, so only their other claims tell them apart.
  const types = TYPE_CLAIMS.map(claim => claims[claim]).filter(type => type !== undefined);
  const isAccessToken =
    types.every(type => typeof type === 'string' && ACCESS_TYPES.has(type.toLowerCase())) &&
    ID_TOKEN_CLAIMS.every(claim => claims[claim] === undefined);
  if (!isAccessToken) return createInvalidTokenError('The token is not an access token');
  const name = getPrincipal(claims);
  if (typeof name !== 'string' || name === '') return createInvalidTokenError('The token does not name its principal');
  const { cnf } = claims;
  const bindings = cnf === undefined ? {} : cnf;
  const isSupported = isObject(bindings) && Object.keys(bindings).every(key => key === 'jkt');
  // A token with an unsupported binding is rejected, because an unverified binding protects nothing.
  if (!isSupported || (bindings.jkt !== undefined && typeof bindings.jkt !== 'string')) {
    return createInvalidTokenError('The token is bound to its sender by an unsupported method');
  }
  // RFC 9068 and RFC 7662 define `scope` as a string. Some issuers send `scp`, or an array.
  const scopes = [claims.scope, claims.scp].flatMap((value): string[] => {
    if (typeof value === 'string') return value.split(' ').filter(Boolean);
    return Array.isArray(value) ? value.filter(each => typeof each === 'string' && each !== '') : [];
  });
  const auth = Object.freeze({
    principal: name,
    ...(Number.isFinite(expiresAt) ? { expiresAt } : {}),
    scopes: Object.freeze(expandScopes([...new Set(scopes)])),
    claims: Object.freeze({ ...claims }),
  });
  return { auth, jkt: bindings.jkt as string | undefined, expires };
}

/** Tells if at least one audience equals one of the names, byte for byte. */
export function isAudience(audience: unknown, names: readonly string[]): boolean {
  const audiences = Array.isArray(audience) ? audience : [audience];
  return audiences.some(each => names.includes(each as string));
}

/**
 * Returns the default principal of a token. A subject is unique only together with its issuer, whose URL contains
 * neither `|` nor `#`. A token from the client credentials grant may have no subject.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9068#section-2.2
 */
export function getDefaultPrincipal({ iss, sub, client_id: client }: JsonObject): string | undefined {
  if (typeof sub === 'string' && sub !== '') return `${iss}|${sub}`;
  return sub === undefined && typeof client === 'string' && client !== '' ? `${iss}#${client}` : undefined;
}

/** Creates a function that adds the scopes that broader scopes include, recursively. */
export function createScopeExpander(hierarchy: {
  readonly [scope: string]: readonly string[];
}): ClaimOptions['expandScopes'] {
  return scopes => {
    const all = new Set(scopes);
    // A `Set` iterates over elements that are added during the iteration.
    for (const scope of all) {
      if (Object.hasOwn(hierarchy, scope)) for (const narrower of hierarchy[scope] ?? []) all.add(narrower);
    }
    return [...all];
  };
}
