import type { AuthInfo } from '../../jsonrpc/transport.js';

/** A request to authorize. */
export interface AuthRequest {
  /** HTTP method. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the `?`. */
  readonly query: string;
  /** Path prefix that a router removed. */
  readonly mount?: string | undefined;
  /** Looks a header up by its lower-case name. Repeated ones are joined with a comma. */
  header(name: string): string | undefined;
}

type AuthHeaders = Readonly<Record<string, string>>;

/** The authorized user, with header fields for the response; or the response that refuses. */
export type AuthResult =
  | { readonly auth: AuthInfo; readonly headers?: AuthHeaders | undefined }
  | { readonly status: number; readonly headers?: AuthHeaders | undefined; readonly body?: string | undefined };

/** Authorizes requests to a server. `protect` makes one; an HTTP endpoint takes it as `auth`. */
export interface TokenVerifier {
  /** Authorizes one request. Called for each request. Returns no promise where the result is known at once. */
  authorize(request: AuthRequest): AuthResult | Promise<AuthResult>;
  /** Public JSON documents by path. */
  readonly documents: ReadonlyMap<string, string>;
  /** Public documents of other parties, by path. Each is loaded on request. */
  readonly remoteDocuments?: ReadonlyMap<string, () => Promise<string | undefined>> | undefined;
  /** The header fields of the 403 that answers a request which needs scopes that it does not have. */
  challenge(request: AuthRequest, scopes: readonly string[]): AuthHeaders;
}
