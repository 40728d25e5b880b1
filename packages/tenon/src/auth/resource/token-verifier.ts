import type { AuthInfo } from '../../jsonrpc/transport.js';

/** What is asked of a request to judge it. */
export interface AuthRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** What a router in front has cut off the path. */
  readonly mount?: string | undefined;
  /** Looks a header up by its lower-case name. Repeated ones are joined with a comma. */
  header(name: string): string | undefined;
}

type HeaderFields = Readonly<Record<string, string>>;

/** Who it is, with header fields for whatever is answered; or the answer that refuses. */
export type AuthResult =
  | { readonly auth: AuthInfo; readonly headers?: HeaderFields | undefined }
  | { readonly status: number; readonly headers?: HeaderFields | undefined; readonly body?: string | undefined };

/** What keeps strangers out of a server. `protect` makes one; an HTTP endpoint takes it as `auth`. */
export interface TokenVerifier {
  /** Judges one request. Asked anew for each. */
  authorize(request: AuthRequest): Promise<AuthResult>;
  /** What anybody may read: the text of a JSON document for each path. */
  readonly documents: ReadonlyMap<string, string>;
  /** Documents of others that anybody may read, by path. Each is loaded when it is asked for. */
  readonly remoteDocuments?: ReadonlyMap<string, () => Promise<string | undefined>> | undefined;
  /** The header fields of the 403 that answers a request which needs scopes that it does not have. */
  challenge(request: AuthRequest, scopes: readonly string[]): HeaderFields;
}
