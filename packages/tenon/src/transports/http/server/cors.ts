import type { AuthInfo } from '@tenon/base';
import type { Exchange, HeaderFields, RequestBody, ResponseStream } from './exchange.js';

/**
 * Options for web pages that may read responses.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export interface CorsOptions {
  /**
   * Origins whose pages may call the server and read responses: `https://app.example.com`. `'*'` opens the server to
   * every page that a user visits. Use it only if all data is public, or every call needs a token.
   */
  readonly origins: readonly string[] | '*';
  /**
   * Request headers that pages may send, in addition to those of the protocol.
   * @default none
   */
  readonly headers?: readonly string[] | undefined;
  /**
   * True if browsers may send cookies. Not possible with `'*'`.
   * @default `false`
   */
  readonly credentials?: boolean | undefined;
  /**
   * Time for which a browser caches the permission, in milliseconds.
   * @default 600,000 (10 minutes)
   */
  readonly maxAge?: number | undefined;
}

const DEFAULT_MAX_AGE = 600_000;
const REQUESTED_HEADERS = 'access-control-request-headers';
const REQUEST_HEADERS =
  'accept, authorization, content-type, dpop, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id';
const EXPOSED_HEADERS = 'mcp-session-id, mcp-protocol-version, www-authenticate, dpop-nonce, retry-after';

/** Returns the headers that let the page at `origin` read the response, if any. */
export function createCorsHeaders(cors: CorsOptions, origin: string | undefined): HeaderFields | undefined {
  const { origins, credentials } = cors;
  const isOpen = origins === '*';
  if (origin === undefined || !(isOpen || origins.includes(origin))) return undefined;
  return {
    'access-control-allow-origin': isOpen ? origins : origin,
    'access-control-expose-headers': EXPOSED_HEADERS,
    vary: 'Origin',
    ...(credentials === true && !isOpen && { 'access-control-allow-credentials': 'true' }),
  };
}

/** Responds to a preflight request of a browser. */
export function replyPreflight(cors: CorsOptions, exchange: Exchange): void {
  const requested = (exchange.header(REQUESTED_HEADERS) ?? '').split(',').map(name => name.trim().toLowerCase());
  // Names that begin with `Mcp-Param-` depend on the tools, so all of them are allowed.
  const params = requested.filter(name => /^mcp-param-[\w.!#$%&'*+^`|~-]+$/.test(name));
  exchange.reply(204, undefined, {
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-allow-headers': [REQUEST_HEADERS, ...(cors.headers ?? []), ...params].join(', '),
    'access-control-max-age': String(Math.floor((cors.maxAge ?? DEFAULT_MAX_AGE) / 1000)),
  });
}

/**
 * Wraps an exchange and adds headers to every response. A class, because V8 gives each object literal with an accessor a
 * hidden class of its own in the old generation.
 */
export class ExchangeWithHeaders implements Exchange {
  readonly #exchange: Exchange;
  readonly #fields: HeaderFields;

  constructor(exchange: Exchange, fields: HeaderFields) {
    this.#exchange = exchange;
    this.#fields = fields;
  }

  get method(): string {
    return this.#exchange.method;
  }

  get path(): string {
    return this.#exchange.path;
  }

  get query(): string {
    return this.#exchange.query;
  }

  get mount(): string {
    return this.#exchange.mount;
  }

  get remote(): string | undefined {
    return this.#exchange.remote;
  }

  get auth(): AuthInfo | undefined {
    return this.#exchange.auth;
  }

  get raw(): unknown {
    return this.#exchange.raw;
  }

  get clientClosed(): boolean {
    return this.#exchange.clientClosed;
  }

  get ephemeral(): boolean | undefined {
    return this.#exchange.ephemeral;
  }

  get waitUntil(): Exchange['waitUntil'] {
    return this.#exchange.waitUntil;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  body(limit: number, read: (body: RequestBody) => void): void {
    this.#exchange.body(limit, read);
  }

  reply(status: number, body?: string, headers?: HeaderFields): void {
    this.#exchange.reply(status, body, { ...headers, ...this.#fields });
  }

  stream(status: number, headers: HeaderFields): ResponseStream {
    return this.#exchange.stream(status, { ...headers, ...this.#fields });
  }

  onClientClosed(listener: () => void): void {
    this.#exchange.onClientClosed(listener);
  }
}
