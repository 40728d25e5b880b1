import { stringifyJson } from '@tenon/base';
import { toolError } from 'tenon';
import type { ApiOperation } from '../operations/operation.js';
import type { RequestCredentials } from './credentials.js';
import { encodeBody } from './encode-body.js';
import { encodeQuery, encodeText, toHeaderText, toPairs, toPathText } from './serialize-value.js';

/** Request of an operation. */
export interface ApiRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | ArrayBuffer;
}

/**
 * Builds the request of an operation. Arguments never add a segment to the path, a parameter to the query or a line to the
 * headers.
 *
 * @param headers Header fields of all requests. Credentials replace them.
 * @throws a tool error for a value that a path or a header cannot contain
 */
export function buildRequest(
  { method, path, parameters, body }: ApiOperation,
  args: object,
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  credentials: RequestCredentials,
): ApiRequest {
  const pathTexts = new Map<string, string>();
  const query: string[] = [];
  const cookies: string[] = [];
  const sent = new Headers({ accept: 'application/json, text/*;q=0.8, */*;q=0.5', ...headers });
  for (const parameter of parameters) {
    const { property, name, in: place, json } = parameter;
    // Every object inherits members such as `constructor`.
    const value: unknown = Object.hasOwn(args, property) ? Reflect.get(args, property) : undefined;
    if (value === undefined || (value === null && json !== true && place !== 'path')) continue;
    /** A value that is sent as JSON is a text for the style. */
    const [owner, key] = json === true ? [{ json: stringifyJson(value) }, 'json'] : [args, property];
    if (place === 'path') pathTexts.set(name, requireSegment(property, value, toPathText(name, owner, key, parameter)));
    else if (place === 'query') query.push(...toPairs(name, owner, key, parameter).map(pair => pair.join('=')));
    else if (place === 'header') {
      const text = toHeaderText(owner, key, parameter);
      // A list or an object without members is absent, as in a query.
      if (text !== '' || typeof value !== 'object') setHeader(sent, property, name, text);
    }
    // Lists in cookies are one value, because a cookie has one value.
    else cookies.push(...toPairs(name, owner, key, { explode: false }, encodeText).map(pair => pair.join('=')));
  }
  const filled = path.split('#', 1)[0]!.replace(/\{([^{}]+)\}/g, (text, name: string) => pathTexts.get(name) ?? text);
  requirePath(filled);
  query.push(...credentials.query.map(([name, value]) => `${encodeQuery(name)}=${encodeQuery(value)}`));
  cookies.push(...credentials.cookies.map(([name, value]) => `${name}=${encodeText(value)}`));
  for (const [name, value] of Object.entries(credentials.headers)) setHeader(sent, 'a credential', name, value);
  if (cookies.length > 0) sent.set('cookie', cookies.join('; '));
  const encoded = body === undefined ? undefined : encodeBody(body, args);
  if (encoded !== undefined) sent.set('content-type', encoded.type);
  const separator = filled.includes('?') ? '&' : '?';
  return {
    url: `${baseUrl.replace(/\/+$/, '')}${filled.replace(/^(?!\/)/, '/')}${query.length > 0 ? `${separator}${query.join('&')}` : ''}`,
    method,
    headers: toRecord(sent),
    ...(encoded === undefined ? {} : { body: encoded.body }),
  };
}

/** A segment of dots would lead to another path, and an empty one to the list above. */
function requireSegment(property: string, value: unknown, text: string): string {
  const parts: readonly unknown[] = [text, ...(Array.isArray(value) ? value : [value])];
  if (parts.some(each => each === null || /^\.*$/.test(String(each))))
    throw toolError(`"${property}": expected a value for the path, got ${JSON.stringify(value)}.`);
  return text;
}

function requirePath(filled: string): void {
  const [path = ''] = filled.split('?', 1);
  const segment = path.split('/').find(each => /^(?:\.|%2e){1,2}$/i.test(each));
  if (segment !== undefined)
    throw toolError(`The path would have the segment ${JSON.stringify(segment)}: expected a value for the path.`);
}

function toRecord(headers: Headers): Record<string, string> {
  const record: Record<string, string> = {};
  headers.forEach((value, name) => {
    record[name] = value;
  });
  return record;
}

function setHeader(headers: Headers, property: string, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw toolError(`"${property}": expected one line of Latin-1 characters, which a header can contain.`);
  }
}
