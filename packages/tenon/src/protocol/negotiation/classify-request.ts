import { type ErrorObject, INVALID_PARAMS, INVALID_REQUEST, isObject, type JsonObject, rpcError } from '@tenon/base';
import type { JsonRpcRequest } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../capabilities.js';
import { type Implementation, LOGGING_LEVELS, type LoggingLevel, readLoggingLevel } from '../content.js';
import { UNSUPPORTED_VERSION } from '../error-codes.js';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from '../meta.js';
import type { RequestRoute } from '../request-handler.js';
import type { Dialect } from '../versions/dialect.js';
import { DEFAULT_HTTP_VERSION, dialects, getDialect, getNewestDialect } from '../versions/index.js';

/** Route of a request that names its version in `_meta`. */
type MetadataRoute = Extract<RequestRoute, { opening: 'per-request' | 'refused' }>;

/** Metadata of a stateless request, by which it identifies its sender. */
export interface RequestMetadata {
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly logLevel: LoggingLevel | undefined;
}

/**
 * Tells if a request names its protocol version in `_meta`. That version then applies, whatever was negotiated before.
 */
export function hasProtocolVersion(request: JsonRpcRequest): boolean {
  const meta = request.params?._meta;
  return meta !== undefined && isObject(meta) && meta[PROTOCOL_VERSION] !== undefined;
}

const STATELESS_META = [PROTOCOL_VERSION, CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL];

/** Tells if `_meta` has a member of stateless requests, so that the request is none of a version with a handshake. */
function hasStatelessMeta(request: JsonRpcRequest): boolean {
  const meta = request.params?._meta;
  return isObject(meta) && STATELESS_META.some(key => meta[key] !== undefined);
}

/**
 * Determines the protocol version of a request.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function classifyRequest(
  request: JsonRpcRequest,
  served: readonly Dialect[],
  versionHeader?: string,
): RequestRoute {
  if (hasProtocolVersion(request)) return routeByMeta(request.params?._meta as JsonObject, served);
  // A version in the header belongs to stateless requests, unless it is one with a handshake.
  const namesStateless = versionHeader !== undefined && getDialect(versionHeader)?.opening !== 'handshake';
  // Some clients name their newest version in the header of every request, also of the handshake.
  const isHandshake = request.method === 'initialize' && !hasStatelessMeta(request);
  if (namesStateless && !isHandshake) return refuseRequest(createMissingMetaError(request));
  if (request.method === 'initialize') return routeInitialize(served);
  if (!served.some(({ opening }) => opening === 'handshake')) return refuseRequest(createMissingMetaError(request));
  if (versionHeader === undefined || served.some(({ protocolVersion }) => protocolVersion === versionHeader))
    return { opening: 'opened' };
  return refuseRequest({
    code: INVALID_REQUEST,
    message: `Invalid request: protocol version ${versionHeader} is not supported`,
  });
}

/** Throws the error for the peer if no served version has a handshake. */
export function requireHandshake(served: readonly Dialect[]): void {
  throwRefusal(routeInitialize(served));
}

/** Returns the dialect of a request that names its version in `_meta`. Throws the error for the peer if it is not served. */
export function requireStatelessDialect({ params }: JsonRpcRequest, served: readonly Dialect[]): Dialect {
  return throwRefusal(routeByMeta(params?._meta as JsonObject, served)).dialect;
}

function throwRefusal<Route extends RequestRoute>(route: Route): Exclude<Route, { opening: 'refused' }> {
  if (route.opening !== 'refused') return route as Exclude<Route, { opening: 'refused' }>;
  const { code, message, data } = route.error;
  throw rpcError(code, message, data);
}

/**
 * Determines the protocol version of a request to a server without sessions. `served` contains the dialects that need
 * no session.
 */
export function classifyWithoutSession(
  request: JsonRpcRequest,
  served: readonly Dialect[],
  versionHeader?: string,
): RequestRoute {
  const route = classifyRequest(request, served, versionHeader);
  if (route.opening !== 'opened') return route;
  const version = versionHeader ?? DEFAULT_HTTP_VERSION;
  const dialect = served.find(({ protocolVersion }) => protocolVersion === version);
  if (dialect !== undefined) return { opening: 'sessionless', dialect };
  return refuseRequest({
    code: INVALID_REQUEST,
    message: `Invalid request: without MCP-Protocol-Version the version is ${version}, which this server does not support`,
  });
}

function routeInitialize(served: readonly Dialect[]): RequestRoute {
  if (served.some(({ opening }) => opening === 'handshake')) return { opening: 'handshake' };
  return refuseRequest({
    code: UNSUPPORTED_VERSION,
    message: `Unsupported protocol version: this server supports ${listVersions(served).join(', ')}, which do not use initialize`,
    data: { supported: listVersions(served), requested: 'initialize' },
  });
}

function routeByMeta(meta: JsonObject, served: readonly Dialect[]): MetadataRoute {
  const version = meta[PROTOCOL_VERSION];
  if (typeof version !== 'string') return refuseRequest(createInvalidMetaError(PROTOCOL_VERSION, 'a string'));
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (!isObject(capabilities)) return refuseRequest(createInvalidMetaError(CLIENT_CAPABILITIES, 'an object'));
  const level = meta[LOG_LEVEL];
  if (level !== undefined && readLoggingLevel(level) === undefined)
    return refuseRequest(createInvalidMetaError(LOG_LEVEL, `one of ${LOGGING_LEVELS.join(', ')}`));
  const dialect = served.find(
    ({ protocolVersion, opening }) => opening === 'per-request' && protocolVersion === version,
  );
  if (dialect) return { opening: 'per-request', dialect };
  return refuseRequest({
    code: UNSUPPORTED_VERSION,
    message: 'Unsupported protocol version',
    data: { supported: listVersions(served), requested: version },
  });
}

export function readRequestMetadata(request: JsonRpcRequest): RequestMetadata {
  const meta = (request.params?._meta ?? {}) as JsonObject;
  const level = meta[LOG_LEVEL];
  return {
    capabilities: meta[CLIENT_CAPABILITIES] as ClientCapabilities,
    // `clientInfo` is only shown and logged, so a client may omit members of it.
    client: isObject(meta[CLIENT_INFO]) ? (meta[CLIENT_INFO] as unknown as Implementation) : undefined,
    logLevel: level === undefined ? undefined : readLoggingLevel(level),
  };
}

/** Lists the versions that a request may name. `server/discover` returns this list. */
export function listVersions(served: readonly Dialect[] = dialects): string[] {
  return served.map(({ protocolVersion }) => protocolVersion);
}

/** Creates the `_meta` of a stateless request that this client sends. */
export function createRequestMeta(
  metadata: RequestMetadata,
  dialect: Dialect = getNewestDialect('per-request'),
): JsonObject {
  return {
    [PROTOCOL_VERSION]: dialect.protocolVersion,
    [CLIENT_CAPABILITIES]: metadata.capabilities,
    ...(metadata.client === undefined ? {} : { [CLIENT_INFO]: metadata.client }),
    ...(metadata.logLevel === undefined ? {} : { [LOG_LEVEL]: metadata.logLevel }),
  };
}

function createMissingMetaError({ method }: JsonRpcRequest): ErrorObject {
  return {
    code: INVALID_PARAMS,
    message: `Invalid params: ${method} requires _meta with ${PROTOCOL_VERSION} and ${CLIENT_CAPABILITIES}`,
  };
}

function createInvalidMetaError(key: string, expected: string): ErrorObject {
  return { code: INVALID_PARAMS, message: `Invalid params: _meta["${key}"] must be ${expected}` };
}

function refuseRequest(error: ErrorObject): Extract<RequestRoute, { opening: 'refused' }> {
  return { opening: 'refused', error };
}
