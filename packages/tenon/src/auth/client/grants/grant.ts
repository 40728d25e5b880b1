import type { AuthTarget } from '../auth-target.js';
import type { ClientIdentity } from '../client-identity.js';
import type { Tokens } from '../token-store.js';

/** How tokens are first had: by a browser, by the secret of a machine, … */
export interface Grant {
  /** What the tokens are kept by, beside the issuer and the resource. */
  readonly clientKey: string;
  /** The issuer that there are credentials for. Absent: any. */
  readonly issuer?: string | undefined;
  /** Whether the client was given and not made: then it belongs to the first issuer that it is used with. */
  readonly preregistered: boolean;
  /** Scopes that are wanted in any case. */
  readonly scopes: readonly string[] | undefined;
  /** Whether tokens are wanted that outlive the presence of the user. */
  readonly offline: boolean;
  /** Whether somebody has to be asked, who may say no. */
  readonly interactive: boolean;
  requestToken(target: AuthTarget, scopes: readonly string[], signal: AbortSignal): Promise<Tokens>;
  /** The client that tokens were given to; `undefined` when it is no longer known. */
  identifyClient(target: AuthTarget, signal: AbortSignal): Promise<ClientIdentity | undefined>;
  /** The issuer no longer knows the client. */
  forgetClient?(target: AuthTarget): Promise<void>;
}
