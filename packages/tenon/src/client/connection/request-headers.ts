import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import {
  getHeaderArgument,
  type HeaderParam,
  isExactNumber,
  NAME_HEADER_PARAMS,
} from '../../protocol/header-params.js';
import { encodeHeaderValue } from '../../protocol/header-value.js';
import type { Connection } from './connection.js';

/** Names are lower-case, as all of them are that a channel is given. */
export function createNameHeader(method: string, params: JsonObject): Record<string, string> {
  const member = NAME_HEADER_PARAMS.get(method);
  const value = member === undefined ? undefined : params[member];
  return typeof value === 'string' ? { 'mcp-name': encodeHeaderValue(value) } : {};
}

/** The headers of a message that mirror it, where the transport has headers. `more` wins. */
export function createRequestHeaders(
  { endpoint, dialect }: Pick<Connection, 'endpoint' | 'dialect'>,
  isOpen: boolean,
  method: string,
  params: JsonObject,
  extra?: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  if (endpoint.kind !== 'http') return extra;
  const { http, protocolVersion } = dialect;
  const version =
    http.versionHeader && (isOpen || http.mirrorHeaders) ? { 'mcp-protocol-version': protocolVersion } : {};
  if (!http.mirrorHeaders) return extra ? { ...version, ...extra } : version;
  return { 'mcp-method': method, ...version, ...createNameHeader(method, params), ...extra };
}

/** The headers that mirror the arguments of a tool call. What is absent or null has none. */
export function createArgumentHeaders(
  headerParams: readonly HeaderParam[],
  args: JsonObject | undefined,
): Record<string, string> {
  const headers = headerParams.flatMap(({ header, path }) => {
    const value = getHeaderArgument(args, path);
    if (typeof value === 'number' && !isExactNumber(value)) throw createInexactArgumentError(path, value);
    return value === undefined ? [] : [[header.toLowerCase(), encodeHeaderValue(String(value))]];
  });
  return Object.fromEntries(headers);
}

function createInexactArgumentError(path: readonly string[], value: number): TenonError {
  return new TenonError('call/inexact-argument', `the argument "${path.join('.')}" cannot be sent in a header`, {
    expected: `an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
    received: String(value),
  });
}
