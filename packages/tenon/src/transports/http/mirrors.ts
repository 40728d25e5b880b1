import type { Dialect } from '../../dialects/dialect.js';
import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { type ErrorObject, isObject, type Request } from '../../jsonrpc/message.js';
import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from '../../model/codes.js';
import { decodeHeaderValue, trimHeaderValue } from '../../model/header-value.js';
import { PROTOCOL_VERSION } from '../../model/meta.js';
import { NAMED_BY } from '../../model/mirror.js';
import type { Exchange } from './exchange.js';

/**
 * Says which header does not agree with the body, or nothing. The body is what counts: a header that differs would let
 * an intermediary decide about another request than the one that runs.
 */
export function checkMirrors(exchange: Exchange, request: Request, dialect: Dialect): ErrorObject | undefined {
  const { versionHeader, mirrors } = dialect.http;
  if (versionHeader && !says(exchange, 'mcp-protocol-version', dialect.revision)) {
    return mismatch('MCP-Protocol-Version', 'the protocol version in _meta');
  }
  if (!mirrors) return undefined;
  if (!says(exchange, 'mcp-method', request.method)) return mismatch('Mcp-Method', 'the method');
  const member = NAMED_BY.get(request.method);
  if (member === undefined) return undefined;
  const name = request.params?.[member];
  const header = exchange.header('mcp-name');
  // A name that is missing from both is the method's own affair.
  if (typeof name !== 'string' && header === undefined) return undefined;
  if (header !== undefined && decodeHeaderValue(header) === name) return undefined;
  return mismatch('Mcp-Name', `params.${member}`);
}

/**
 * Says that the header names another version than the body, or that neither names one, for a request that can not be
 * served: why not is the lesser news, but which versions are served is said all the same.
 */
export function checkVersion(exchange: Exchange, request: Request, refusal: ErrorObject): ErrorObject | undefined {
  const meta = request.params?._meta;
  const stated = isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
  const agrees =
    stated === undefined
      ? refusal.code === INVALID_REQUEST || exchange.header('mcp-protocol-version') !== undefined
      : refusal.code !== UNSUPPORTED_VERSION || says(exchange, 'mcp-protocol-version', String(stated));
  const wrong = agrees
    ? findDifference(exchange, request)
    : mismatch('MCP-Protocol-Version', 'the protocol version in _meta');
  if (wrong === undefined) return undefined;
  const { data } = refusal;
  // An older client knows neither that header nor its error: what helps is which versions are served.
  const isInitialize = stated === undefined && request.method === 'initialize';
  return {
    code: wrong.code,
    message: isInitialize ? `${wrong.message}. ${refusal.message}` : wrong.message,
    ...(data === undefined ? {} : { data }),
  };
}

/** Finds a header that is there and differs from the body, under whatever version. */
function findDifference(exchange: Exchange, request: Request): ErrorObject | undefined {
  const method = exchange.header('mcp-method');
  if (method !== undefined && trimHeaderValue(method) !== request.method) return mismatch('Mcp-Method', 'the method');
  const member = NAMED_BY.get(request.method);
  const header = exchange.header('mcp-name');
  if (member === undefined || header === undefined || decodeHeaderValue(header) === request.params?.[member]) {
    return undefined;
  }
  return mismatch('Mcp-Name', `params.${member}`);
}

function says(exchange: Exchange, name: string, value: string): boolean {
  const header = exchange.header(name);
  return header !== undefined && (header === value || trimHeaderValue(header) === value);
}

function mismatch(header: string, what: string): ErrorObject {
  return { code: HEADER_MISMATCH, message: `Header mismatch: ${header} must be there and equal ${what}` };
}
