import type { AuthTarget } from '../auth-target.js';
import type { ClientIdentity } from '../client-identity.js';
import type { Tokens } from '../token-store.js';

/** Means to get the first tokens: a browser, the secret of a machine, … */
export interface Grant {
  /** Key of the tokens, beside the issuer and the resource. */
  readonly clientKey: string;
  /** The issuer that there are credentials for. Absent: any. */
  readonly issuer?: string | undefined;
  /**
   * True if the client was configured rather than registered: then it belongs to the first issuer that it is used with.
   */
  readonly preregistered: boolean;
  /** Scopes that are wanted in any case. */
  readonly scopes: readonly string[] | undefined;
  /** True to request tokens that can be renewed in the absence of the user. */
  readonly offline: boolean;
  /** True if a person has to agree. */
  readonly interactive: boolean;
  requestToken(target: AuthTarget, scopes: readonly string[], signal: AbortSignal): Promise<Tokens>;
  /** The client that tokens were given to; `undefined` when it is no longer known. */
  identifyClient(target: AuthTarget, signal: AbortSignal): Promise<ClientIdentity | undefined>;
  /** The issuer no longer knows the client. */
  forgetClient?(target: AuthTarget): Promise<void>;
}
