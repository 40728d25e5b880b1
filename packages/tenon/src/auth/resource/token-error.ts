import type { AuthInfo, MaybePromise } from '@tenon/base';

/** Reason why a request is refused. `reason` is sent to the client, so it never contains a part of the token. */
export type TokenError =
  /** The request has no token. */
  | { readonly error: 'missing' }
  /** The request is malformed. */
  | { readonly error: 'malformed'; readonly reason: string }
  | { readonly error: 'invalid-token'; readonly reason: string; readonly scheme?: 'dpop' }
  | { readonly error: 'invalid-proof'; readonly reason: string }
  | { readonly error: 'nonce-wanted'; readonly nonce: string }
  | { readonly error: 'insufficient-scope'; readonly scopes: readonly string[] }
  /** The issuer that validates the token cannot be reached. */
  | { readonly error: 'unavailable' };

/** Token that is valid for this resource. */
export interface VerifiedToken {
  readonly auth: AuthInfo;
  /** Thumbprint of the key whose possession the sender must prove. Absent for an unbound token. */
  readonly jkt?: string | undefined;
  /** Time at which the token must be verified again, in milliseconds since the epoch. */
  readonly expires: number;
}

/** Verifies a token without its proof. Returns a cached result without a promise. */
export type VerifyToken = (token: string) => MaybePromise<VerifiedToken | TokenError>;

export function isTokenError(result: object): result is TokenError {
  return 'error' in result;
}

export function createInvalidTokenError(reason = 'The token is not valid'): TokenError {
  return { error: 'invalid-token', reason };
}
