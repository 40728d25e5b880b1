import type { Identity } from './client-auth.js';
import type { Tokens } from './credentials.js';
import type { Place } from './place.js';

/** How tokens are first had: by a browser, by the secret of a machine, … */
export interface Strategy {
  /** What the tokens are kept by, beside the issuer and the resource. */
  readonly client: string;
  /** The issuer that there are credentials for. Absent: any. */
  readonly issuer?: string | undefined;
  /** Whether the client was given and not made: then it belongs to the first issuer that it is used with. */
  readonly given: boolean;
  /** Scopes that are wanted in any case. */
  readonly scopes: readonly string[] | undefined;
  /** Whether tokens are wanted that outlive the presence of the user. */
  readonly offline: boolean;
  /** Whether somebody has to be asked, who may say no. */
  readonly interactive: boolean;
  obtain(place: Place, scopes: readonly string[], signal: AbortSignal): Promise<Tokens>;
  /** The client that tokens were given to; `undefined` when it is no longer known. */
  identify(place: Place, signal: AbortSignal): Promise<Identity | undefined>;
  /** The issuer no longer knows the client. */
  forget?(place: Place): Promise<void>;
}
