import { isObject } from '../../jsonrpc/message.js';

/** The part of an HTTP exchange that is needed: what `toNode` and the fetch handler bring. */
export interface IssuerExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mount: string;
  /** Address of the peer, where the runtime knows it. */
  readonly remote?: string | undefined;
  header(name: string): string | undefined;
  body(limit: number, read: (body: IssuerBody) => void): void;
  reply(status: number, body?: string, headers?: ResponseHeaders): void;
}

type IssuerBody = { readonly text: string } | { readonly value: unknown } | { readonly status: 400 | 413 };

export type ResponseHeaders = Readonly<Record<string, string>>;

/** A request, with its body read. */
export interface IssuerHttpRequest {
  readonly method: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** The fields of a form; none when the body is no form. */
  readonly form: URLSearchParams;
  /** The JSON of the body; `undefined` when there is none. */
  readonly json: unknown;
}

export interface IssuerHttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body?: string;
}

/** How large a body may be, in bytes. */
const MAX_BODY_BYTES = 64 * 1024;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Reads the request, or gives the status that says why it cannot be. */
export function readHttpRequest(
  exchange: IssuerExchange,
): Promise<IssuerHttpRequest | { readonly status: 400 | 413 | 415 }> {
  const base = {
    method: exchange.method,
    query: new URLSearchParams(exchange.query),
    header: (name: string) => exchange.header(name),
  };
  if (exchange.method !== 'POST') {
    return Promise.resolve({ ...base, form: new URLSearchParams(), json: undefined });
  }
  return new Promise(resolve =>
    exchange.body(MAX_BODY_BYTES, body => {
      if ('status' in body) resolve(body);
      else resolve({ ...base, ...parseContent(exchange.header('content-type') ?? '', body) });
    }),
  );
}

function parseContent(
  type: string,
  body: { readonly text: string } | { readonly value: unknown },
): Pick<IssuerHttpRequest, 'form' | 'json'> {
  const kind = type.split(';')[0]?.trim().toLowerCase();
  if (kind === FORM_TYPE)
    return { form: 'text' in body ? new URLSearchParams(body.text) : toFormFields(body.value), json: undefined };
  const none = new URLSearchParams();
  if (kind !== 'application/json') return { form: none, json: undefined };
  return { form: none, json: 'text' in body ? tryParseJson(body.text) : body.value };
}

/** What a body parser of a framework has made of a form. */
function toFormFields(value: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, fieldValue] of Object.entries(isObject(value) ? value : {})) {
    for (const each of Array.isArray(fieldValue) ? fieldValue : [fieldValue])
      if (typeof each === 'string') form.append(name, each);
  }
  return form;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One value of a parameter; more than one is as bad as none. https://www.rfc-editor.org/rfc/rfc6749#section-3.1 */
export function getSingle(fields: URLSearchParams, name: string): string | undefined {
  const values = fields.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** Answers that hold secrets, or that hold only for now, are kept by nobody. */
export const NO_STORE_HEADERS: ResponseHeaders = { 'cache-control': 'no-store', pragma: 'no-cache' };

export function createJsonResponse(status: number, value: object, headers: ResponseHeaders = {}): IssuerHttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function createRedirect(location: string, headers: ResponseHeaders = {}): IssuerHttpResponse {
  return {
    status: 303,
    headers: { location: location, ...NO_STORE_HEADERS, 'referrer-policy': 'no-referrer', ...headers },
  };
}
