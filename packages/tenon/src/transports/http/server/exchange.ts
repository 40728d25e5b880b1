import type { AuthInfo } from '../../../jsonrpc/transport.js';

/**
 * One HTTP request and the answer to it, as small as the endpoint needs it. Each runtime is an adapter that makes
 * these.
 */
export interface Exchange extends RequestInfo {
  /** True if the client closed the connection. Nothing that is sent arrives any more. */
  readonly clientClosed: boolean;
  /**
   * Reads the body as UTF-8, with U+FFFD for invalid bytes, and calls `read` once: with the text, with the value if a
   * framework has already parsed it, or with the status of the error. Never calls it when the client disconnects first.
   */
  body(limit: number, read: (body: RequestBody) => void): void;
  /** Answers in one go. JSON unless `headers` name another content type. */
  reply(status: number, body?: string, headers?: HeaderFields): void;
  /** Begins an answer that is written piece by piece. */
  stream(status: number, headers: HeaderFields): ResponseStream;
  /**
   * Calls `listener` once if the client goes away, or the answer is cut off, before it is complete; at once if so
   * already.
   */
  onClientClosed(listener: () => void): void;
  /** Set where what was begun in one request cannot go on in another: the runtime ends it with the request. */
  readonly ephemeral?: boolean | undefined;
  /** Keeps the runtime at this request until the promise settles, though it is answered. Only where it would let go. */
  readonly waitUntil?: ((until: Promise<void>) => void) | undefined;
}

/** A request before its body is read. */
export interface RequestInfo {
  /** HTTP method. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Without the `?`. */
  readonly query: string;
  /** Path prefix that a router removed: `/api` when it is mounted there. Empty as a rule. */
  readonly mount: string;
  /** Looks a header up by its lower-case name. Repeated ones are joined with a comma. */
  header(name: string): string | undefined;
  /** The address of the client, if the runtime provides it. */
  readonly remote: string | undefined;
  /** User and token that a framework authenticated. */
  readonly auth: AuthInfo | undefined;
  /** The runtime's own request: a `Request`, a Node `IncomingMessage`. */
  readonly raw: unknown;
}

/** HTTP header fields by lower-case name. */
export type HeaderFields = Readonly<Record<string, string>>;

export type RequestBody = { readonly text: string } | { readonly value: unknown } | { readonly status: 413 };

/** An answer that is written piece by piece. */
export interface ResponseStream {
  /** Writes text to the stream. A promise settles when there is room again. */
  write(text: string): void | Promise<void>;
  /** Number of bytes (or characters, where the runtime counts so) that wait to be sent. */
  readonly bufferedAmount: number;
  /** Completes the answer. */
  end(): void;
  /** Cuts the answer off, and what waits with it. */
  destroy(): void;
}
