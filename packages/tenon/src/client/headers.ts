import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { encodeHeaderValue } from '../model/header-value.js';
import { isExact, type Mirror, mirroredValue, NAMED_BY } from '../model/mirror.js';
import type { Link } from './link.js';

/** Names are lower-case, as all of them are that a channel is given. */
export function nameHeader(method: string, params: JsonObject): Record<string, string> {
  const member = NAMED_BY.get(method);
  const value = member === undefined ? undefined : params[member];
  return typeof value === 'string' ? { 'mcp-name': encodeHeaderValue(value) } : {};
}

/** The headers of a message that mirror it, where the transport has headers. `more` wins. */
export function requestHeaders(
  { endpoint, dialect }: Pick<Link, 'endpoint' | 'dialect'>,
  isOpen: boolean,
  method: string,
  params: JsonObject,
  more?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  if (endpoint.kind !== 'http') return more;
  const { http, revision } = dialect;
  const version = http.versionHeader && (isOpen || http.mirrors) ? { 'mcp-protocol-version': revision } : {};
  if (!http.mirrors) return more ? { ...version, ...more } : version;
  return { 'mcp-method': method, ...version, ...nameHeader(method, params), ...more };
}

/** The headers that mirror the arguments of a tool call. What is absent or null has none. */
export function argumentHeaders(mirrors: readonly Mirror[], args: JsonObject | undefined): Record<string, string> {
  const headers = mirrors.flatMap(({ header, path }) => {
    const value = mirroredValue(args, path);
    if (typeof value === 'number' && !isExact(value)) throw inexact(path, value);
    return value === undefined ? [] : [[header.toLowerCase(), encodeHeaderValue(String(value))]];
  });
  return Object.fromEntries(headers);
}

function inexact(path: readonly string[], value: number): TenonError {
  return new TenonError('call/inexact-argument', `the argument "${path.join('.')}" can not be mirrored in a header`, {
    expected: `an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
    got: String(value),
  });
}
