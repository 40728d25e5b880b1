/** Request for which the transport needs authorization headers. */
export interface AuthorizerRequest {
  /** HTTP method. */
  readonly method: string;
  /** URL of the request. */
  readonly url: string;
  /**
   * The URL of the server as the user configured it.
   * @default `url`
   */
  readonly server?: string | undefined;
  /** Aborted when no caller waits for the request any more. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the authorizer has renewed an access token for the request, or could not. Hosts count it. */
  readonly onTokenRefresh?: ((outcome: TokenRefreshOutcome) => void) | undefined;
}

/** Outcome of an attempt to renew an access token with a refresh token. */
export type TokenRefreshOutcome = 'refreshed' | 'failed';

/** Request that the server refused with 401 or 403. */
export interface RefusedRequest extends AuthorizerRequest {
  /** HTTP status of the refusal: 401 or 403. */
  readonly status: number;
  /** Looks up a header of the refusal by its lower-case name. */
  header(name: string): string | undefined;
  /** Headers that `getHeaders` returned for the request. */
  readonly sentHeaders: Readonly<Record<string, string>>;
  /** Identifies the request: the same object each time that the server refuses it. Attempts are counted per object. */
  readonly request?: object | undefined;
  /** Value of the header `MCP-Protocol-Version` of the request. Absent if the request had none. */
  readonly protocolVersion?: string | undefined;
}

/** Adds credentials to the requests of a client. Pass it as `auth` to `connect({ url, auth })`. */
export interface Authorizer {
  /** Returns the headers for one request to the server, by lower-case names. Called for each request. */
  getHeaders(request: AuthorizerRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * Handles a refusal by the server.
   *
   * Resolves with true when the client should repeat the request with new headers. Rejects when the sign-in failed. The
   * caller gets that error.
   */
  handleRefusal(refusal: RefusedRequest): Promise<boolean>;
  /** Called with each response that is not a refusal. */
  readonly onResponse?:
    | ((response: { readonly url: string; header(name: string): string | undefined }) => void)
    | undefined;
  /** IDs of extensions to declare to the server. */
  readonly extensions?: readonly string[] | undefined;
  /**
   * Deletes the stored tokens, and revokes them if the authorization server supports revocation. Forgets a dynamic
   * registration too, so that the next sign-in registers the client again. Without `server`, it signs out of all servers
   * that this authorizer was used for.
   */
  readonly signOut?: ((server?: string | URL) => Promise<void>) | undefined;
}
