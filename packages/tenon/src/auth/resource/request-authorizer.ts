import type { AuthInfo } from '@tenon/base';

/** Request to authorize. */
export interface AuthRequest {
  /** HTTP method. */
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Query without the `?`. */
  readonly query: string;
  /** Path prefix that a router removed. */
  readonly mount?: string | undefined;
  /** Returns a header by its lower-case name. Repeated headers are joined with a comma. */
  header(name: string): string | undefined;
}

type AuthHeaders = Readonly<Record<string, string>>;

/**
 * Result of an authorization: the user with header fields for the response, or the response that refuses the request.
 */
export type AuthResult =
  | { readonly auth: AuthInfo; readonly headers?: AuthHeaders | undefined }
  | { readonly status: number; readonly headers?: AuthHeaders | undefined; readonly body?: string | undefined };

/** Authorizes requests to a server. `protect` creates one. Pass it to an HTTP endpoint as `auth`. */
export interface TokenVerifier {
  /** Authorizes one request. Called for each request. Returns a promise only if the result is not known at once. */
  authorize(request: AuthRequest): AuthResult | Promise<AuthResult>;
  /** Public JSON documents, by path. */
  readonly documents: ReadonlyMap<string, string>;
  /** Public documents of other parties, by path. Each document is loaded on request. */
  readonly remoteDocuments?: ReadonlyMap<string, () => Promise<string | undefined>> | undefined;
  /** Returns the header fields of a 403 response to a request that lacks scopes. */
  challenge(request: AuthRequest, scopes: readonly string[]): AuthHeaders;
}
