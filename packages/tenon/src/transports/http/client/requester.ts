import type { AbortSignalLike } from '@tenon/base';

/** An HTTP request. Header names are lower-case. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Absolute URL with `http:` or `https:`. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Signal that ends the request when it is aborted, in any phase: the promise, the body, the connection. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Reply to an HTTP request. Call exactly one of `text`, `read` and `cancel`, so that the connection is released. */
export interface HttpReply {
  readonly status: number;
  /** True if the request had an `authorization` header. The sender of the request sets it. */
  hadToken?: boolean | undefined;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /**
   * Returns the complete body as UTF-8 text without a byte order mark. Rejects with `http/too-large` if it has more
   * than `limit` bytes.
   */
  text(limit: number): Promise<string>;
  /**
   * Calls `each` with every chunk of the body. Resolves at the end of the body. Rejects when the connection breaks or
   * `cancel` is called.
   */
  read(each: (chunk: Uint8Array) => void): Promise<void>;
  /** Discards the rest of the body. You may call it at any time. */
  cancel(): void;
}

/**
 * A minimal HTTP client. It follows no redirects, keeps no cookies and adds no credentials.
 *
 * Rejects with a `TenonError`: `http/unreachable` if nothing was sent, `http/interrupted` if the server may have
 * received the request. Any other rejection counts as `http/interrupted`.
 */
export interface Requester {
  (request: HttpRequest): Promise<HttpReply>;
  /** Version of HTTP that it uses. Absent if it may use several. */
  readonly httpVersion?: string | undefined;
}
