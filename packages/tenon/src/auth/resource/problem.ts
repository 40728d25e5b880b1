import type { AuthInfo } from '../../jsonrpc/channel.js';

/** Why a request is refused. What `why` says crosses the wire: nothing of the token is ever in it. */
export type Problem =
  /** It has no token. */
  | { readonly problem: 'missing' }
  /** It is no proper request for authorization. */
  | { readonly problem: 'malformed'; readonly why: string }
  | { readonly problem: 'invalid-token'; readonly why: string; readonly scheme?: 'dpop' }
  | { readonly problem: 'invalid-proof'; readonly why: string }
  | { readonly problem: 'nonce-wanted'; readonly nonce: string }
  | { readonly problem: 'insufficient-scope'; readonly scopes: readonly string[] }
  /** Whoever could say whether the token is good can not be asked for now. */
  | { readonly problem: 'unavailable' };

/** A token that is good for this resource. */
export interface GoodToken {
  readonly auth: AuthInfo;
  /** The thumbprint of the key that its sender must prove to have. */
  readonly jkt?: string | undefined;
  /** When it ends, by the clock. */
  readonly expires: number;
}

/** Judges a token by itself. */
export type TokenCheck = (token: string) => Promise<GoodToken | Problem>;

export function isProblem(outcome: object): outcome is Problem {
  return 'problem' in outcome;
}

export function invalidToken(why = 'The token is not valid'): Problem {
  return { problem: 'invalid-token', why };
}
