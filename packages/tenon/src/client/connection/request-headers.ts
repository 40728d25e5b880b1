import { type JsonObject, TenonError } from '@tenon/base';
import {
  getHeaderArgument,
  type HeaderParam,
  isExactNumber,
  NAME_HEADER_PARAMS,
} from '../../protocol/header-params.js';
import { encodeHeaderValue } from '../../protocol/header-value.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ServerEndpoint } from './endpoint.js';

/** Returns the headers for the name in a request. Header names are lower-case, as transports expect. */
export function createNameHeader(method: string, params: JsonObject): Record<string, string> {
  const member = NAME_HEADER_PARAMS.get(method);
  const value = member === undefined ? undefined : params[member];
  return typeof value === 'string' ? { 'mcp-name': encodeHeaderValue(value) } : {};
}

/** Returns the headers that repeat parts of a message, for transports with headers. `more` takes precedence. */
export function createRequestHeaders(
  { endpoint, dialect }: { readonly endpoint: ServerEndpoint; readonly dialect: Dialect },
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

/** Returns the headers that repeat the arguments of a tool call. Absent and null arguments have none. */
export function createArgumentHeaders(
  headerParams: readonly HeaderParam[],
  args: JsonObject | undefined,
): Record<string, string> {
  const headers = headerParams.flatMap(({ header, path }) => {
    const value = getHeaderArgument(args, path);
    if (typeof value === 'number' && !isExactNumber(value))
      throw new TenonError('call/inexact-argument', `the argument "${path.join('.')}" cannot be sent in a header`, {
        expected: `an integer between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
        received: String(value),
      });
    return value === undefined ? [] : [[header.toLowerCase(), encodeHeaderValue(String(value))]];
  });
  return Object.fromEntries(headers);
}
