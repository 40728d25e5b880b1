import type { AuthInfo, MaybePromise } from '@tenon/base';

/** Reason why a request is refused. `reason` is sent to the client, so it never contains a part of the token. */
export type TokenProblem =
  /** The request has no token. */
  | { readonly problem: 'missing' }
  /** The request is malformed. */
  | { readonly problem: 'malformed'; readonly reason: string }
  | { readonly problem: 'invalid-token'; readonly reason: string; readonly scheme?: 'dpop' }
  | { readonly problem: 'invalid-proof'; readonly reason: string }
  | { readonly problem: 'nonce-wanted'; readonly nonce: string }
  | { readonly problem: 'insufficient-scope'; readonly scopes: readonly string[] }
  /** The issuer that validates the token cannot be reached. */
  | { readonly problem: 'unavailable' };

/** Token that is valid for this resource. */
export interface VerifiedToken {
  readonly auth: AuthInfo;
  /** Thumbprint of the key whose possession the sender must prove. Absent for an unbound token. */
  readonly jkt?: string | undefined;
  /** Time at which the token must be verified again, in milliseconds since the epoch. */
  readonly expires: number;
}

/** Verifies a token without its proof. Returns a cached result without a promise. */
export type VerifyToken = (token: string) => MaybePromise<VerifiedToken | TokenProblem>;

export function isTokenProblem(result: object): result is TokenProblem {
  return 'problem' in result;
}

export function createInvalidTokenProblem(reason = 'The token is not valid'): TokenProblem {
  return { problem: 'invalid-token', reason };
}
