import { isObject } from '@tenon/base';

/** Claims of an access token that the page shows. */
export interface TokenClaims {
  readonly audience: readonly string[];
  readonly scopes: string | undefined;
}

/** Maximum number of audiences that are shown. */
const MAX_AUDIENCES = 10;

/** Reads the claims of a JWT without a check of its signature. Of any other token, nothing is known. */
export function readClaims(token: string): TokenClaims {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (!isObject(claims)) return { audience: [], scopes: undefined };
    const audience = [claims.aud].flat().filter(each => typeof each === 'string');
    const { scope } = claims;
    return {
      audience: audience.slice(0, MAX_AUDIENCES).map(each => each.slice(0, 500)),
      scopes: typeof scope === 'string' ? scope.slice(0, 1000) : undefined,
    };
  } catch {
    return { audience: [], scopes: undefined };
  }
}
