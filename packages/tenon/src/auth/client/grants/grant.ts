import type { AuthTarget } from '../auth-target.js';
import type { ClientIdentity } from '../client-identity.js';
import type { Tokens } from '../token-store.js';

/** Method to get tokens: a sign-in in a browser, a client secret, and so on. */
export interface Grant {
  /** Part of the storage key of the tokens, next to the issuer and the resource. */
  readonly clientKey: string;
  /**
   * Issuer that the credentials belong to.
   * @default any issuer
   */
  readonly issuer?: string | undefined;
  /**
   * True if the client was configured and not registered dynamically. The client then belongs to the first issuer that
   * it is used with.
   */
  readonly preregistered: boolean;
  /** Scopes from the option `scopes`. `undefined` if the server chooses. */
  readonly scopes: readonly string[] | undefined;
  /** True to request a refresh token, so that the client can renew tokens without the user. */
  readonly offline: boolean;
  /** True if a user has to sign in. */
  readonly interactive: boolean;
  requestToken(target: AuthTarget, scopes: readonly string[], signal: AbortSignal): Promise<Tokens>;
  /**
   * Returns the client that received the tokens. Resolves with `undefined` when its registration is not stored any
   * more.
   */
  identifyClient(
    target: AuthTarget,
    tokens: Pick<Tokens, 'client'>,
    signal: AbortSignal,
  ): Promise<ClientIdentity | undefined>;
  /**
   * Deletes the dynamic registration at an issuer, so that the next sign-in registers the client again. Does nothing for
   * a configured client. With `id`, deletes only the registration of this client, because another process may have
   * registered again meanwhile. Resolves with true if it has deleted one.
   */
  forgetClient?(issuer: string, id?: string): Promise<boolean>;
}
