import type { CallerIdentity } from '../../../protocol/caller-identity.js';
import type { AuthEndpoint } from '../../pages/http-exchange.js';
import type { TokenVerifier } from '../../resource/request-authorizer.js';
import type { Authorizer } from '../authorizer.js';
import type { AuthorizerOptions } from '../settings.js';
import type { SignInOptions } from '../sign-in/sign-in.js';

/** Options of `createCallerSignIn`. Times are milliseconds. */
export interface CallerSignInOptions extends Pick<AuthorizerOptions, 'tokenStore' | 'fetch' | 'clock'> {
  /** URL under which browsers reach the pages: `https://gateway.example/sign-in`. `https:`, or `http:` on loopback. */
  readonly url: string;
  /**
   * The resource that callers have access tokens for, as in `protect`: a browser signs in for it to show who its user
   * is.
   */
  readonly resource: string;
  /** The authorization server of that resource. */
  readonly issuer: string;
  /** Verifies those access tokens: what `protect` made for `resource`. */
  readonly tokenVerifier: TokenVerifier;
  /**
   * A client that was registered manually at `issuer`, with the redirect URI `<url>/callback`. Default: registers
   * itself.
   */
  readonly client?: SignInOptions['client'] | undefined;
  /** Name that users are shown where clients register themselves. Default `MCP gateway`. */
  readonly clientName?: string | undefined;
  /** Time that a user has for one sign-in, in milliseconds. Default 600,000: 10 minutes. */
  readonly timeout?: number | undefined;
  /** Sign-ins that may wait at one time, over all callers. Default 10,000. */
  readonly maxPending?: number | undefined;
}

/** A caller has signed in to a server, or out of it. */
export interface CallerSignInChange {
  /** Kind of the change. */
  readonly action: 'signed-in' | 'signed-out' | 'failed';
  /** Name of the server. */
  readonly server: string;
  /** User and OAuth client of the gateway. */
  readonly caller: CallerIdentity;
  /** The sign-in that was reported to callers. Absent for a sign-out. */
  readonly elicitationId?: string | undefined;
  /** Reason of a failure. */
  readonly error?: Error | undefined;
}

/** Signs each caller of a gateway in to the servers behind it. */
export interface CallerSignIn {
  /**
   * Gives the credentials of one caller for one server. Tokens belong to the user and the OAuth client together.
   * Requests reject with `auth/sign-in-required` until the user has signed in; those of anonymous callers always do.
   */
  getAuthorizer(server: string, caller: CallerIdentity): Authorizer;
  /** Tells if the last request of a caller to a server had a token. */
  isSignedIn(server: string, caller: CallerIdentity): boolean;
  /** Calls a listener after each sign-in and sign-out. Returns what removes it. */
  onChange(listener: (change: CallerSignInChange) => void): () => void;
  /**
   * Forgets the tokens of a caller for a server that was called, and revokes them where the authorization server can.
   */
  signOut(server: string, caller: CallerIdentity): Promise<void>;
  /** The pages, for `toNode`. */
  readonly endpoint: AuthEndpoint;
  /** Ends all sign-ins that wait. */
  close(): void;
}
