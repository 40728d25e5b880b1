import type { AbortSignalLike } from '../../../cancellation/lazy-abort-signal.js';

/** One HTTP request. Header names are lower-case. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Absolute, `http:` or `https:`. */
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Aborting ends the exchange wherever it is: the promise, the body, the connection. */
  readonly signal?: AbortSignalLike | undefined;
}

/** Reply to a request. Exactly one of `text`, `read` and `cancel` is to be called, or the connection stays taken. */
export interface HttpReply {
  readonly status: number;
  /** Looks up a header by its lower-case name. */
  header(name: string): string | undefined;
  /** The whole body as UTF-8 without a byte order mark. Rejects with `http/too-large` when it has more than `limit` bytes. */
  text(limit: number): Promise<string>;
  /** Reads the body as it comes. Resolves at its end, rejects when the connection breaks or `cancel` is called. */
  read(each: (chunk: Uint8Array) => void): Promise<void>;
  /** Lets go of what is left of the body. Safe at any time. */
  cancel(): void;
}

/**
 * The smallest thing that an HTTP client must be. It follows no redirects, keeps no cookies and adds no credentials.
 * Rejects with a `TenonError`: `http/unreachable` when nothing can have been sent, `http/interrupted` when the server
 * may have seen the request. Any other rejection counts as `http/interrupted`.
 */
export type Requester = (request: HttpRequest) => Promise<HttpReply>;
