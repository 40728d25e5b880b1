import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { createInvalidTokenProblem, type TokenProblem, type VerifiedToken } from './token-problem.js';

/** Rules that turn the claims of a token into the caller. */
export interface ClaimOptions {
  /** Names the caller. */
  readonly getPrincipal: (claims: JsonObject) => string | undefined;
  /** Returns all scopes that a token with these scopes has, themselves included. */
  readonly expandScopes: (scopes: readonly string[]) => readonly string[];
}

/**
 * Reads the claims of a token whose issuer, audience and times are verified. `expiresAt`: time from which the token is
 * rejected. `expires`: time at which it must be verified again, which may be earlier. Both are milliseconds since the
 * epoch.
 */
export function readClaims(
  claims: JsonObject,
  { expiresAt, expires }: { readonly expiresAt: number; readonly expires: number },
  { getPrincipal, expandScopes }: ClaimOptions,
): VerifiedToken | TokenProblem {
  if (!isAccessToken(claims)) return createInvalidTokenProblem('The token is not an access token');
  const name = getPrincipal(claims);
  if (typeof name !== 'string' || name === '')
    return createInvalidTokenProblem('The token does not name its principal');
  const { cnf } = claims;
  const bindings = cnf === undefined ? {} : cnf;
  const isSupported = isObject(bindings) && Object.keys(bindings).every(key => key === 'jkt');
  // A binding that is not checked would be none.
  if (!isSupported || (bindings.jkt !== undefined && typeof bindings.jkt !== 'string')) {
    return createInvalidTokenProblem('The token is bound to its sender by an unsupported method');
  }
  const auth = Object.freeze({
    principal: name,
    ...(Number.isFinite(expiresAt) ? { expiresAt } : {}),
    scopes: Object.freeze(expandScopes(readScopeClaims(claims))),
    claims: Object.freeze({ ...claims }),
  });
  return { auth, jkt: bindings.jkt as string | undefined, expires };
}

/** Types of access tokens, by RFC 6750, RFC 9449, RFC 8693, RFC 9068 and the issuers that name them otherwise. */
const ACCESS_TYPES: ReadonlySet<string> = new Set([
  ...['bearer', 'dpop', 'access', 'access_token', 'at+jwt', 'application/at+jwt', 'jwt'],
  ...['urn:ietf:params:oauth:token-type:access_token', 'urn:ietf:params:oauth:token-type:jwt'],
]);
/** Claims that name the type of a token, as used by RFC 7662, Cognito and Hydra, Keycloak. */
const TYPE_CLAIMS = ['token_type', 'token_use', 'typ'] as const;
/**
 * Claims that bind an ID token to what came with it.
 * https://openid.net/specs/openid-connect-core-1_0.html#HybridIDToken
 */
const ID_TOKEN_CLAIMS = ['at_hash', 'c_hash'] as const;

/**
 * Refresh tokens and ID tokens have the same issuer and user. Only these claims distinguish them from access tokens.
 */
function isAccessToken(claims: JsonObject): boolean {
  const types = TYPE_CLAIMS.map(name => claims[name]).filter(type => type !== undefined);
  if (!types.every(type => typeof type === 'string' && ACCESS_TYPES.has(type.toLowerCase()))) return false;
  return ID_TOKEN_CLAIMS.every(name => claims[name] === undefined);
}

/** `scope` is a text by RFC 9068 and RFC 7662; some issuers write `scp`, or an array. */
function readScopeClaims({ scope, scp }: JsonObject): string[] {
  return [...new Set([scope, scp].flatMap(toScopeList))];
}

function toScopeList(value: unknown): string[] {
  if (typeof value === 'string') return value.split(' ').filter(Boolean);
  return Array.isArray(value) ? value.filter(each => typeof each === 'string' && each !== '') : [];
}

/** Byte for byte, and one of several is enough. */
export function isAudience(audience: unknown, names: readonly string[]): boolean {
  const audiences = Array.isArray(audience) ? audience : [audience];
  return audiences.some(each => names.includes(each as string));
}

/**
 * A subject is unique only with its issuer, in which neither of the two signs may be. A token of a client that calls
 * for itself may have none. https://www.rfc-editor.org/rfc/rfc9068#section-2.2
 */
export function getDefaultPrincipal({ iss, sub, client_id: client }: JsonObject): string | undefined {
  if (typeof sub === 'string' && sub !== '') return `${iss}|${sub}`;
  return sub === undefined && typeof client === 'string' && client !== '' ? `${iss}#${client}` : undefined;
}

/** Adds what broader scopes imply, as far as that goes. */
export function createScopeExpander(hierarchy: {
  readonly [scope: string]: readonly string[];
}): ClaimOptions['expandScopes'] {
  return scopes => {
    const all = new Set(scopes);
    // A set that grows while it is walked is walked to its end.
    for (const scope of all) {
      if (Object.hasOwn(hierarchy, scope)) for (const narrower of hierarchy[scope] ?? []) all.add(narrower);
    }
    return [...all];
  };
}
