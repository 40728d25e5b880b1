import type { JSONWebKeySet } from 'jose';

/** How a client shows who it is. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A client, from wherever it is known. */
export interface OauthClient {
  readonly id: string;
  readonly name: string;
  readonly redirects: readonly string[];
  readonly methods: readonly ClientAuthMethod[];
  readonly secretHash?: string;
  readonly jwks?: JSONWebKeySet;
  readonly grants: readonly string[];
  /** Whether somebody here has decided to know it. Others may be anybody. */
  readonly trusted: boolean;
}

export const USER_GRANTS = ['authorization_code', 'refresh_token'] as const;
