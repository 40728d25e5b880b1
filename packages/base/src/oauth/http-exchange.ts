import { isObject } from '../json/json-object.js';
import { tryParseJson } from '../json/parse-json.js';

/** HTTP request and response of an authorization endpoint. `toNode` and `answerFetch` create it. */
export interface AuthExchange {
  /** HTTP method. */
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Query without the `?`. */
  readonly query: string;
  /** Path prefix that a router removed. Usually empty. */
  readonly mount: string;
  /** Address of the peer. Absent if the runtime does not provide it. */
  readonly remote?: string | undefined;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Reads at most `limit` bytes of the body, then calls `read` once. */
  body(limit: number, read: (body: AuthBody) => void): void;
  /** Sends the response. */
  reply(status: number, body?: string, headers?: ResponseHeaders): void;
}

type AuthBody =
  | { readonly text: string }
  | { readonly value: unknown }
  | { readonly status: 400 | 413 }
  | { readonly error: Error };

/** Header fields of a response, by lower-case name. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** Endpoint that `toNode` and `answerFetch` can serve. */
export interface AuthEndpoint {
  /** Handles one request. Never throws. */
  handle(exchange: AuthExchange): void;
  /**
   * Tells if the endpoint serves a path.
   *
   * @param mount Path prefix that a router removed.
   */
  serves(path: string, mount?: string): boolean;
}

/** Request with its body. */
export interface AuthHttpRequest {
  /** HTTP method. */
  readonly method: string;
  /** Parameters of the query. */
  readonly query: URLSearchParams;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Fields of a form body. Empty for a body of another type. */
  readonly form: URLSearchParams;
  /** Value of a JSON body. `undefined` for a body of another type. */
  readonly json: unknown;
}

/** A response that `AuthExchange.reply` sends. */
export interface AuthHttpResponse {
  /** HTTP status. */
  readonly status: number;
  /** Header fields. */
  readonly headers: ResponseHeaders;
  /**
   * Body.
   * @default none
   */
  readonly body?: string;
}

/** Maximum size of a body, in bytes. */
const MAX_BODY_BYTES = 64 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/**
 * Reads a request with its body, which is a form or JSON of at most 64 KiB. Resolves with an HTTP status when it cannot
 * read the body.
 */
export function readHttpRequest(
  exchange: AuthExchange,
): Promise<AuthHttpRequest | { readonly status: 400 | 413 | 415 }> {
  const base = {
    method: exchange.method,
    query: new URLSearchParams(exchange.query),
    header: (name: string) => exchange.header(name),
  };
  if (exchange.method !== 'POST') {
    return Promise.resolve({ ...base, form: new URLSearchParams(), json: undefined });
  }
  return new Promise((resolve, reject) =>
    exchange.body(MAX_BODY_BYTES, body => {
      if ('error' in body) reject(body.error);
      else if ('status' in body) resolve(body);
      else resolve({ ...base, ...parseContent(exchange.header('content-type') ?? '', body) });
    }),
  );
}

function parseContent(
  type: string,
  body: { readonly text: string } | { readonly value: unknown },
): Pick<AuthHttpRequest, 'form' | 'json'> {
  const kind = type.split(';')[0]?.trim().toLowerCase();
  if (kind === FORM_TYPE)
    return { form: 'text' in body ? new URLSearchParams(body.text) : toFormFields(body.value), json: undefined };
  const none = new URLSearchParams();
  if (kind !== 'application/json') return { form: none, json: undefined };
  return { form: none, json: 'text' in body ? tryParseJson(body.text) : body.value };
}

/** Converts a form that the body parser of a framework has already parsed. */
function toFormFields(value: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, fieldValue] of Object.entries(isObject(value) ? value : {})) {
    for (const each of Array.isArray(fieldValue) ? fieldValue : [fieldValue])
      if (typeof each === 'string') form.append(name, each);
  }
  return form;
}

/**
 * Returns the value of a parameter. `undefined` when the parameter is absent, empty or repeated.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.1
 */
export function getParameter(fields: URLSearchParams, name: string): string | undefined {
  const values = fields.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** Header fields that forbid caches to store a response. */
export const NO_STORE_HEADERS: ResponseHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** Creates a response with a JSON body. */
export function createJsonResponse(status: number, value: object, headers: ResponseHeaders = {}): AuthHttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** Creates a redirect with status 303, so that the browser uses GET. It is not cached and sends no `Referer`. */
export function createRedirect(location: string, headers: ResponseHeaders = {}): AuthHttpResponse {
  return {
    status: 303,
    headers: { location, ...NO_STORE_HEADERS, 'referrer-policy': 'no-referrer', ...headers },
  };
}
