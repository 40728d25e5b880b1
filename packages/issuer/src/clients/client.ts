import type { JSONWebKeySet } from 'jose';

/** Method by which a client authenticates. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** Client of an issuer: configured, registered, or described by a metadata document. */
export type OauthClient = {
  readonly id: string;
  readonly name: string;
  readonly redirects: readonly string[];
  readonly methods: readonly ClientAuthMethod[];
  readonly secretHash?: string;
  readonly jwks?: JSONWebKeySet;
  readonly grants: readonly string[];
  /** True if the client is configured. Anyone can create the others. */
  readonly trusted: boolean;
};

export const USER_GRANTS = ['authorization_code', 'refresh_token'] as const;
