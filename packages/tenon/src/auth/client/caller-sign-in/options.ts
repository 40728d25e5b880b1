import type { CallerIdentity } from '@tenon/base';
import type { AuthEndpoint } from '@tenon/base/oauth';
import type { TokenVerifier } from '../../resource/request-authorizer.js';
import type { AuthExceptionsByServer } from '../auth-exceptions.js';
import type { Authorizer } from '../authorizer.js';
import type { AuthorizerOptions } from '../settings.js';
import type { RegisteredClient, SignInOptions } from '../sign-in/sign-in.js';

/** Options of `createCallerSignIn`. Times are in milliseconds. */
export interface CallerSignInOptions extends Pick<AuthorizerOptions, 'tokenStore' | 'fetch' | 'clock' | 'exceptions'> {
  /**
   * URL at which browsers reach the pages: `https://gateway.example/sign-in`. It must be an `https:` URL, or `http:` on
   * loopback.
   */
  readonly url: string;
  /**
   * URL of the resource that callers access, as in `protect`. A browser signs in for this resource to identify its
   * user.
   */
  readonly resource: string;
  /** Issuer of the authorization server of that resource. */
  readonly issuer: string;
  /** Verifies the access tokens of that resource. Pass the result of `protect`. */
  readonly tokenVerifier: TokenVerifier;
  /**
   * Client that is registered manually at `issuer`, with the redirect URI `<url>/callback`.
   * @default dynamic registration
   */
  readonly client?: SignInOptions['client'] | undefined;
  /**
   * Clients that are registered manually at the authorization servers of servers behind the gateway, by the name of
   * the server. Their redirect URI is `<url>/callback`. Set their `issuer`: otherwise the user confirms the host of the
   * authorization server if two of them use this redirect URI.
   * @default dynamic registration
   */
  readonly clients?: Readonly<Record<string, RegisteredClient>> | undefined;
  /**
   * Client name for dynamic registration, which sign-in pages show.
   * @default `MCP gateway`
   */
  readonly clientName?: string | undefined;
  /**
   * Maximum duration of a sign-in, in milliseconds.
   * @default 600,000 (10 minutes)
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum number of pending sign-ins of all callers.
   * @default 10,000
   */
  readonly maxPending?: number | undefined;
}

/** Sign-in or sign-out of a caller at a server. */
export interface CallerSignInChange {
  /** Kind of the change. */
  readonly action: 'signed-in' | 'signed-out' | 'failed';
  /** Name of the server. */
  readonly server: string;
  /** User, and OAuth client with which the user calls the gateway. */
  readonly caller: CallerIdentity;
  /** ID of the URL elicitation that the caller received. Absent for a sign-out. */
  readonly elicitationId?: string | undefined;
  /** Reason of a failed sign-in. Absent otherwise. */
  readonly error?: Error | undefined;
}

/** Signs each caller of a gateway in to the servers behind it. */
export interface CallerSignIn {
  /**
   * Returns the authorizer of one caller for one server. Tokens belong to the user and the OAuth client together.
   *
   * Requests reject with `auth/sign-in-required` until the user has signed in. Those of anonymous callers always
   * reject.
   *
   * @param exceptions Exceptions of the server, by its URL, in addition to those of the options.
   */
  getAuthorizer(server: string, caller: CallerIdentity, exceptions?: AuthExceptionsByServer): Authorizer;
  /** Tells if the last request of a caller to a server had a token. */
  isSignedIn(server: string, caller: CallerIdentity): boolean;
  /** Calls a listener after each sign-in and sign-out. Returns a function that removes the listener. */
  onChange(listener: (change: CallerSignInChange) => void): () => void;
  /**
   * Deletes the tokens of a caller for a server, and revokes them if the authorization server supports revocation. The
   * next sign-in registers the gateway again, if it registered itself. Tokens of other callers stay valid.
   */
  signOut(server: string, caller: CallerIdentity): Promise<void>;
  /** Endpoint of the sign-in pages. Pass it to `toNode`. */
  readonly endpoint: AuthEndpoint;
  /** Cancels all pending sign-ins. */
  close(): void;
}
