import { isObject } from '../../jsonrpc/message.js';

/** The part of an HTTP exchange that is needed: what `toNode` and the fetch handler bring. */
export interface ServedExchange {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly mount: string;
  /** Address of the peer, where the runtime knows it. */
  readonly remote?: string | undefined;
  header(name: string): string | undefined;
  body(limit: number, read: (body: ServedBody) => void): void;
  reply(status: number, body?: string, headers?: Fields): void;
}

type ServedBody = { readonly text: string } | { readonly value: unknown } | { readonly status: 400 | 413 };

export type Fields = Readonly<Record<string, string>>;

/** A request, with its body read. */
export interface Asked {
  readonly method: string;
  readonly query: URLSearchParams;
  header(name: string): string | undefined;
  /** The fields of a form; none when the body is no form. */
  readonly form: URLSearchParams;
  /** The JSON of the body; `undefined` when there is none. */
  readonly json: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Fields;
  readonly body?: string;
}

/** How large a body may be, in bytes. */
const MAX_BODY = 64 * 1024;
const FORM = 'application/x-www-form-urlencoded';

/** Reads the request, or gives the status that says why it can not be. */
export function readAsked(exchange: ServedExchange): Promise<Asked | { readonly status: 400 | 413 | 415 }> {
  const facts = {
    method: exchange.method,
    query: new URLSearchParams(exchange.query),
    header: (name: string) => exchange.header(name),
  };
  if (exchange.method !== 'POST') {
    return Promise.resolve({ ...facts, form: new URLSearchParams(), json: undefined });
  }
  return new Promise(resolve =>
    exchange.body(MAX_BODY, body => {
      if ('status' in body) resolve(body);
      else resolve({ ...facts, ...contentOf(exchange.header('content-type') ?? '', body) });
    }),
  );
}

function contentOf(
  type: string,
  body: { readonly text: string } | { readonly value: unknown },
): Pick<Asked, 'form' | 'json'> {
  const kind = type.split(';')[0]?.trim().toLowerCase();
  if (kind === FORM)
    return { form: 'text' in body ? new URLSearchParams(body.text) : fieldsOf(body.value), json: undefined };
  const none = new URLSearchParams();
  if (kind !== 'application/json') return { form: none, json: undefined };
  return { form: none, json: 'text' in body ? parsed(body.text) : body.value };
}

/** What a body parser of a framework has made of a form. */
function fieldsOf(value: unknown): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, given] of Object.entries(isObject(value) ? value : {})) {
    for (const each of Array.isArray(given) ? given : [given]) if (typeof each === 'string') form.append(name, each);
  }
  return form;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One value of a parameter; more than one is as bad as none. https://www.rfc-editor.org/rfc/rfc6749#section-3.1 */
export function single(fields: URLSearchParams, name: string): string | undefined {
  const values = fields.getAll(name);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}

/** Answers that hold secrets, or that hold only for now, are kept by nobody. */
export const UNKEPT: Fields = { 'cache-control': 'no-store', pragma: 'no-cache' };

export function json(status: number, value: object, headers: Fields = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function redirect(to: string, headers: Fields = {}): Answer {
  return { status: 303, headers: { location: to, ...UNKEPT, 'referrer-policy': 'no-referrer', ...headers } };
}
