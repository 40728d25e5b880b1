import type { MaybePromise } from '../../jsonrpc/maybe-promise.js';
import type { AuthInfo } from '../../jsonrpc/transport.js';

/** The reason why a request is refused. `reason` is sent to the client, so it never contains a part of the token. */
export type TokenProblem =
  /** It has no token. */
  | { readonly problem: 'missing' }
  /** It is no proper request for authorization. */
  | { readonly problem: 'malformed'; readonly reason: string }
  | { readonly problem: 'invalid-token'; readonly reason: string; readonly scheme?: 'dpop' }
  | { readonly problem: 'invalid-proof'; readonly reason: string }
  | { readonly problem: 'nonce-wanted'; readonly nonce: string }
  | { readonly problem: 'insufficient-scope'; readonly scopes: readonly string[] }
  /** The issuer that validates the token cannot be reached. */
  | { readonly problem: 'unavailable' };

/** A token that is valid for this resource. */
export interface VerifiedToken {
  readonly auth: AuthInfo;
  /** The thumbprint of the key that its sender must prove to have. */
  readonly jkt?: string | undefined;
  /** Expiry, by the clock. */
  readonly expires: number;
}

/** Verifies a token by itself. Returns no promise for a token whose result is cached. */
export type VerifyToken = (token: string) => MaybePromise<VerifiedToken | TokenProblem>;

export function isTokenProblem(result: object): result is TokenProblem {
  return 'problem' in result;
}

export function createInvalidTokenProblem(reason = 'The token is not valid'): TokenProblem {
  return { problem: 'invalid-token', reason };
}
