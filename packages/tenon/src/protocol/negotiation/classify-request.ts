import {
  type ErrorObject,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  type JsonObject,
  rpcError,
  type TenonError,
} from '@tenon/base';
import type { JsonRpcRequest } from '../../jsonrpc/message.js';
import { type Implementation, LOGGING_LEVELS, readLoggingLevel } from '../content.js';
import { UNSUPPORTED_VERSION } from '../error-codes.js';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from '../meta.js';
import type { RequestRoute, StatelessRoute } from '../request-handler.js';
import type { Dialect } from '../versions/dialect.js';
import { DEFAULT_HTTP_VERSION, dialects, getDialect, getNewestDialect } from '../versions/index.js';

type RefusedRoute = Extract<RequestRoute, { opening: 'refused' }>;

/** Facts about the client of a stateless request. */
export type RequestMetadata = Pick<StatelessRoute, 'capabilities' | 'client' | 'logLevel'>;

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
  const stateless = routeByMeta(request, served);
  if (stateless) return stateless;
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
  const route = routeInitialize(served);
  if (route.opening === 'refused') throw createRefusalError(route);
}

/**
 * Returns the route of a request that names its version in `_meta`. That version then applies, whatever was negotiated
 * before. Returns `undefined` for other requests. Throws the error for the peer if the version is not served.
 */
export function findStatelessRoute(request: JsonRpcRequest, served: readonly Dialect[]): StatelessRoute | undefined {
  const route = routeByMeta(request, served);
  if (route?.opening === 'refused') throw createRefusalError(route);
  return route;
}

function createRefusalError({ error: { code, message, data } }: RefusedRoute): TenonError {
  return rpcError(code, message, data);
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

/** Reads `_meta` of a request that names its protocol version there. Returns `undefined` for other requests. */
function routeByMeta(
  { params }: JsonRpcRequest,
  served: readonly Dialect[],
): StatelessRoute | RefusedRoute | undefined {
  const meta = params?._meta;
  if (!isObject(meta)) return undefined;
  const version = meta[PROTOCOL_VERSION];
  if (version === undefined) return undefined;
  if (typeof version !== 'string') return refuseRequest(createInvalidMetaError(PROTOCOL_VERSION, 'a string'));
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (!isObject(capabilities)) return refuseRequest(createInvalidMetaError(CLIENT_CAPABILITIES, 'an object'));
  const level = meta[LOG_LEVEL];
  const logLevel = level === undefined ? undefined : readLoggingLevel(level);
  if (level !== undefined && logLevel === undefined)
    return refuseRequest(createInvalidMetaError(LOG_LEVEL, `one of ${LOGGING_LEVELS.join(', ')}`));
  // `clientInfo` is only shown and logged, so a client may omit members of it.
  const info = meta[CLIENT_INFO];
  const client = isObject(info) ? (info as unknown as Implementation) : undefined;
  for (const dialect of served)
    if (dialect.opening === 'per-request' && dialect.protocolVersion === version)
      return { opening: 'per-request', dialect, capabilities, client, logLevel };
  return refuseRequest({
    code: UNSUPPORTED_VERSION,
    message: 'Unsupported protocol version',
    data: { supported: listVersions(served), requested: version },
  });
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

function refuseRequest(error: ErrorObject): RefusedRoute {
  return { opening: 'refused', error };
}
