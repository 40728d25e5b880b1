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

/** Client in the configuration of an issuer. */
export interface IssuerClient {
  /** `client_id`: 1 to 200 printable ASCII characters. */
  readonly id: string;
  /**
   * Name on the consent page.
   * @default the client ID
   */
  readonly name?: string | undefined;
  /**
   * Redirect URIs. They are compared byte for byte, except for the port of a loopback address.
   * @default none
   */
  readonly redirects?: readonly string[] | undefined;
  /**
   * Secret of a confidential client, for `client_secret_basic` and `client_secret_post`.
   * @default none
   */
  readonly secret?: string | undefined;
  /**
   * Public keys of a confidential client, for `private_key_jwt`.
   * @default none
   */
  readonly jwks?: { readonly keys: readonly { readonly [member: string]: unknown }[] } | undefined;
  /**
   * Lets a confidential client get its own tokens with `client_credentials`, without a user.
   * @default `false`
   */
  readonly machine?: boolean | undefined;
}
