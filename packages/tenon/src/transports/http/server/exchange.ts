import { type AuthInfo, isObject, TenonError } from '@tenon/base';

/**
 * One HTTP request and its response, as the endpoint needs them. Each runtime has an adapter that creates exchanges.
 */
export interface Exchange extends RequestInfo {
  /** True if the client closed the connection. Nothing can be sent any more. */
  readonly clientClosed: boolean;
  /**
   * Reads the body as UTF-8, with U+FFFD for invalid bytes. Calls `read` once with the text, with the value that a
   * framework has parsed, or with an error. Never calls it if the client disconnects first.
   */
  body(limit: number, read: (body: RequestBody) => void): void;
  /** Sends a complete response. It is JSON unless `headers` contains another content type. */
  reply(status: number, body?: string, headers?: HeaderFields): void;
  /** Starts a streamed response. */
  stream(status: number, headers: HeaderFields): ResponseStream;
  /**
   * Calls `listener` once if the client disconnects, or the response is aborted, before it is complete. Calls it at
   * once if that has already happened.
   */
  onClientClosed(listener: () => void): void;
  /** True if a router selected the handler by the path of the request. Absent if that is not known. */
  readonly isRouted?: boolean | undefined;
  /**
   * Closes the connection after the response, so that the client opens the next one. Absent on runtimes that do not let
   * the server choose.
   */
  readonly closeConnection?: (() => void) | undefined;
  /** True if the runtime ends all work of a request with the request, so that no other request can continue it. */
  readonly ephemeral?: boolean | undefined;
  /**
   * Keeps the runtime at this request until the promise settles, even after the response. Absent on runtimes that do
   * not need it.
   */
  readonly waitUntil?: ((until: Promise<void>) => void) | undefined;
}

/** A request before its body is read. */
export interface RequestInfo {
  /** HTTP method, for example `POST`. */
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Query without the `?`. */
  readonly query: string;
  /** Path prefix that a router removed, for example `/api`. Usually empty. */
  readonly mount: string;
  /** Returns a header by its lower-case name. Repeated headers are joined with a comma. */
  header(name: string): string | undefined;
  /** Network address of the client. Undefined if the runtime does not provide it. */
  readonly remote: string | undefined;
  /** Port of the client. Undefined if the runtime does not provide it. */
  readonly remotePort?: number | undefined;
  /** Version of HTTP, such as `1.1`. Undefined if the runtime does not provide it. */
  readonly httpVersion?: string | undefined;
  /** User and token that a framework authenticated. */
  readonly auth: AuthInfo | undefined;
  /** The request object of the runtime: a `Request` or a Node `IncomingMessage`. */
  readonly raw: unknown;
}

/** HTTP header fields by lower-case name. */
export type HeaderFields = Readonly<Record<string, string>>;

export type RequestBody =
  | { readonly text: string }
  | { readonly value: unknown }
  | { readonly status: 413 }
  /** The body cannot be read any more. Only the operator gets the error. */
  | { readonly error: TenonError };

/** Creates the error of a body that other code has read. `hint` names the fix for the runtime. */
export function createBodyConsumedError(hint: string): TenonError {
  return new TenonError('serve/body-consumed', 'other code has already read the request body', { hint });
}

/** A streamed response. */
export interface ResponseStream {
  /** Writes text to the stream. If the buffer is full, it returns a promise that settles when there is room again. */
  write(text: string): void | Promise<void>;
  /** Number of bytes that wait to be sent. Some runtimes count characters. */
  readonly bufferedAmount: number;
  /** Completes the response. */
  end(): void;
  /** Aborts the response and discards its waiting data. */
  destroy(): void;
}

/** Returns the path as the client knows it. A router that has removed the whole path leaves a slash. */
export function resolveFullPath(path: string, mount: string): string {
  return mount !== '' && path === '/' ? mount : mount + path;
}

/**
 * Returns the caller that a framework authenticated. Frameworks and runtimes also set values without a principal, which
 * are ignored. The endpoint checks the others.
 */
export function readAuth({ auth }: { readonly auth?: unknown }): AuthInfo | undefined {
  return auth !== undefined && hasPrincipal(auth) ? auth : undefined;
}

const hasPrincipal = (auth: unknown): auth is AuthInfo => isObject(auth) && auth.principal !== undefined;
