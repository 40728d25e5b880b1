import { type ErrorObject, INVALID_REQUEST, isObject } from '@tenon/base';
import type { JsonRpcRequest } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from '../../../protocol/error-codes.js';
import { NAME_HEADER_PARAMS } from '../../../protocol/header-params.js';
import { decodeHeaderValue, trimHeaderValue } from '../../../protocol/header-value.js';
import { PROTOCOL_VERSION } from '../../../protocol/meta.js';
import type { Dialect } from '../../../protocol/versions/dialect.js';
import type { Exchange } from './exchange.js';

/** The headers of a message that is posted, read once. Header names are those of `Exchange.header`. */
export interface MessageHeaders {
  readonly contentType: string | undefined;
  readonly accept: string | undefined;
  readonly sessionId: string | undefined;
  /** Protocol version, without the white space around it. */
  readonly version: string | undefined;
  readonly method: string | undefined;
  readonly name: string | undefined;
}

/** Returns the protocol version in the headers, without the white space around it. */
export function readVersionHeader(exchange: Exchange): string | undefined {
  const version = exchange.header('mcp-protocol-version');
  return version === undefined ? undefined : trimHeaderValue(version);
}

/** Returns the protocol version in `_meta` of a request, which is not validated. */
export function readBodyVersion({ params }: JsonRpcRequest): unknown {
  const meta = params?._meta;
  return isObject(meta) ? meta[PROTOCOL_VERSION] : undefined;
}

/**
 * Returns the first header that does not match the body, if any. Otherwise a proxy could check another request than the
 * one that the server handles.
 */
export function validateHeaders(
  headers: MessageHeaders,
  request: JsonRpcRequest,
  dialect: Dialect,
): ErrorObject | undefined {
  const { versionHeader, mirrorHeaders } = dialect.http;
  if (versionHeader && headers.version !== dialect.protocolVersion) {
    return createMismatchError('MCP-Protocol-Version', 'the protocol version in _meta');
  }
  if (!mirrorHeaders) return undefined;
  const { method } = headers;
  const namesMethod = method !== undefined && (method === request.method || trimHeaderValue(method) === request.method);
  if (!namesMethod) return createMismatchError('Mcp-Method', 'the method');
  const member = NAME_HEADER_PARAMS.get(request.method);
  if (member === undefined) return undefined;
  const name = request.params?.[member];
  const header = headers.name;
  // If both have no name, the method itself reports the error.
  if (typeof name !== 'string' && header === undefined) return undefined;
  if (header !== undefined && decodeHeaderValue(header) === name) return undefined;
  return createMismatchError('Mcp-Name', `params.${member}`);
}

/**
 * Returns an error if the header names another version than the body, or if neither names one, for a request that
 * cannot be handled. The error also lists the supported versions, because the client needs them.
 */
export function validateVersionHeader(
  headers: MessageHeaders,
  request: JsonRpcRequest,
  refusal: ErrorObject,
): ErrorObject | undefined {
  const bodyVersion = readBodyVersion(request);
  const agrees =
    bodyVersion === undefined
      ? refusal.code === INVALID_REQUEST || headers.version !== undefined
      : refusal.code !== UNSUPPORTED_VERSION || headers.version === String(bodyVersion);
  const error = agrees
    ? findDifference(headers, request)
    : createMismatchError('MCP-Protocol-Version', 'the protocol version in _meta');
  if (error === undefined) return undefined;
  const { data } = refusal;
  // An older client knows neither this header nor its error. The list of supported versions helps it.
  const isInitialize = bodyVersion === undefined && request.method === 'initialize';
  return {
    code: error.code,
    message: isInitialize ? `${error.message}. ${refusal.message}` : error.message,
    ...(data === undefined ? {} : { data }),
  };
}

/** Finds a header that is present and differs from the body, on any version. */
function findDifference({ method, name: header }: MessageHeaders, request: JsonRpcRequest): ErrorObject | undefined {
  if (method !== undefined && trimHeaderValue(method) !== request.method)
    return createMismatchError('Mcp-Method', 'the method');
  const member = NAME_HEADER_PARAMS.get(request.method);
  if (member === undefined || header === undefined || decodeHeaderValue(header) === request.params?.[member]) {
    return undefined;
  }
  return createMismatchError('Mcp-Name', `params.${member}`);
}

function createMismatchError(header: string, bodyField: string): ErrorObject {
  return { code: HEADER_MISMATCH, message: `Header mismatch: ${header} must be present and equal to ${bodyField}` };
}

/** Tells if a content type is JSON. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  return contentType === 'application/json' || /^\s*application\/json\s*(?:;|$)/i.test(contentType);
}

/**
 * Creates a function that checks `Accept` for one of `types`. Clients must accept both JSON and event streams. A client
 * that lists none or only one is accepted too, because every client must be able to read both.
 */
export function createAcceptMatcher(...types: readonly string[]): (accept: string | undefined) => boolean {
  const ranges = new Set(['*/*', ...types, ...types.map(type => `${type.split('/')[0]}/*`)]);
  // The result is cached, because clients send the same value every time.
  let lastAccepted = '*/*';
  return accept => {
    if (accept === undefined || accept === lastAccepted || accept.trim() === '') return true;
    const isAccepted = accept.split(',').some(part => {
      const [range = '', ...params] = part.split(';').map(piece => piece.trim().toLowerCase());
      return ranges.has(range) && !params.some(param => /^q=0(?:\.0*)?$/.test(param));
    });
    if (!isAccepted) return false;
    lastAccepted = accept;
    return true;
  };
}

/** Tells if a client accepts JSON. Otherwise it accepts only event streams. */
export const acceptsJson = createAcceptMatcher('application/json');
