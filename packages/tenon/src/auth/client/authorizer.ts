/** One request to the server, before it is sent. */
export interface AuthorizerRequest {
  /** HTTP method. */
  readonly method: string;
  /** URL of the request. */
  readonly url: string;
  /** The URL of the server as the user configured it. Default: `url`. */
  readonly server?: string | undefined;
  /** Aborted when no caller waits for the request. */
  readonly signal?: AbortSignal | undefined;
}

/** One request that the server has refused. */
export interface RefusedRequest extends AuthorizerRequest {
  /** HTTP status of the refusal: 401 or 403. */
  readonly status: number;
  /** Looks up a header of the refusal by its lower-case name. */
  header(name: string): string | undefined;
  /** Headers that `getHeaders` returned for the request. */
  readonly sentHeaders: Readonly<Record<string, string>>;
  /** Stands for the request: the same object each time that it is refused. By it attempts are counted. */
  readonly request?: object | undefined;
  /** The value of `MCP-Protocol-Version` in the request, if it had one. */
  readonly protocolVersion?: string | undefined;
}

/** Signs a client in. What `connect({ url, auth })` takes. */
export interface Authorizer {
  /** Returns the headers for one request to the server, by lower-case names. Called for each request. */
  getHeaders(request: AuthorizerRequest): Promise<Readonly<Record<string, string>>>;
  /**
   * Handles a refusal by the server. Resolves with true when the request should be sent once more, with new headers.
   * Rejects when the sign-in failed: the caller gets that error.
   */
  handleRefusal(refusal: RefusedRequest): Promise<boolean>;
  /** The server has answered a request otherwise. */
  readonly onResponse?:
    | ((response: { readonly url: string; header(name: string): string | undefined }) => void)
    | undefined;
  /** Ids of extensions to declare to the server. */
  readonly extensions?: readonly string[] | undefined;
  /**
   * Forgets the tokens that are kept, and revokes them where the authorization server can. Of all servers that this
   * authorizer has been used for, unless one is named.
   */
  readonly signOut?: ((server?: string | URL) => Promise<void>) | undefined;
}
