import type { Dialect } from '../../dialects/dialect.js';
import { dialectOf, dialects, newest, REVISION_WITHOUT_HEADER } from '../../dialects/index.js';
import { INVALID_PARAMS, INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { type ErrorObject, isObject, type JsonObject, type Request } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../../model/capabilities.js';
import { UNSUPPORTED_VERSION } from '../../model/codes.js';
import { type Implementation, LOGGING_LEVELS, type LoggingLevel, readLoggingLevel } from '../../model/content.js';
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from '../../model/meta.js';
import type { Manner } from '../service.js';

/** What a request of a per-request dialect says of its sender. */
export interface Facts {
  readonly capabilities: ClientCapabilities;
  readonly client: Implementation | undefined;
  readonly logLevel: LoggingLevel | undefined;
}

/** Whether a request says its revision itself: it then stands under the rules of that, whatever was agreed before. */
export function statesRevision(request: Request): boolean {
  const meta = request.params?._meta;
  return isObject(meta) && meta[PROTOCOL_VERSION] !== undefined;
}

/** Under which rules a request stands. https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
export function manner(request: Request, served: readonly Dialect[], versionHeader?: string): Manner {
  if (statesRevision(request)) return stated(request.params?._meta as JsonObject, served);
  if (versionHeader !== undefined && headerIsPerRequest(versionHeader)) return refused(missingMeta(request));
  if (request.method === 'initialize') return handshakeOr(served);
  if (!served.some(({ opening }) => opening === 'handshake')) return refused(missingMeta(request));
  if (versionHeader === undefined || versions(served).includes(versionHeader)) return { opening: 'opened' };
  return refused({ code: INVALID_REQUEST, message: `Invalid request: revision ${versionHeader} is not served` });
}

/** Returns the rules under which a request stands. Throws when it cannot be served. */
export function requireServed(request: Request, served: readonly Dialect[]): Exclude<Manner, { opening: 'refused' }> {
  const verdict = manner(request, served);
  if (verdict.opening !== 'refused') return verdict;
  const { code, message, data } = verdict.error;
  throw rpcError(code, message, data);
}

/** The same where the server keeps no sessions: `served` has dialects that need none. */
export function mannerWithoutSession(request: Request, served: readonly Dialect[], versionHeader?: string): Manner {
  const verdict = manner(request, served, versionHeader);
  if (verdict.opening !== 'opened') return verdict;
  const version = versionHeader ?? REVISION_WITHOUT_HEADER;
  const dialect = served.find(({ revision }) => revision === version);
  if (dialect !== undefined) return { opening: 'sessionless', dialect };
  return refused({
    code: INVALID_REQUEST,
    message: `Invalid request: without MCP-Protocol-Version the version is ${version}, which is not served`,
  });
}

/** A version in the header that is no revision with handshakes can only come from a sender that opens per request. */
function headerIsPerRequest(version: string): boolean {
  return dialectOf(version)?.opening !== 'handshake';
}

function handshakeOr(served: readonly Dialect[]): Manner {
  if (served.some(({ opening }) => opening === 'handshake')) return { opening: 'handshake' };
  return refused({
    code: UNSUPPORTED_VERSION,
    message: `Unsupported protocol version: initialize opens none of ${versions(served).join(', ')}, which this server serves`,
    data: { supported: versions(served), requested: 'initialize' },
  });
}

function stated(meta: JsonObject, served: readonly Dialect[]): Manner {
  const version = meta[PROTOCOL_VERSION];
  if (typeof version !== 'string') return refused(invalidMeta(PROTOCOL_VERSION, 'a string'));
  const capabilities = meta[CLIENT_CAPABILITIES];
  if (!isObject(capabilities)) return refused(invalidMeta(CLIENT_CAPABILITIES, 'an object'));
  const level = meta[LOG_LEVEL];
  if (level !== undefined && readLoggingLevel(level) === undefined)
    return refused(invalidMeta(LOG_LEVEL, `one of ${LOGGING_LEVELS.join(', ')}`));
  const dialect = served.find(({ revision, opening }) => opening === 'per-request' && revision === version);
  if (dialect) return { opening: 'per-request', dialect };
  return refused({
    code: UNSUPPORTED_VERSION,
    message: 'Unsupported protocol version',
    data: { supported: versions(served), requested: version },
  });
}

export function factsOf(request: Request): Facts {
  const meta = (request.params?._meta ?? {}) as JsonObject;
  return {
    capabilities: meta[CLIENT_CAPABILITIES] as ClientCapabilities,
    client: isObject(meta[CLIENT_INFO]) ? (meta[CLIENT_INFO] as unknown as Implementation) : undefined,
    logLevel: readLoggingLevel(meta[LOG_LEVEL]),
  };
}

/** The versions that a request may name: what `server/discover` lists. */
export function versions(served: readonly Dialect[] = dialects): string[] {
  return served.map(({ revision }) => revision);
}

/** The `_meta` that opens a request of ours. */
export function openingMeta(facts: Facts, dialect: Dialect = newest('per-request')): JsonObject {
  return {
    [PROTOCOL_VERSION]: dialect.revision,
    [CLIENT_CAPABILITIES]: facts.capabilities,
    ...(facts.client === undefined ? {} : { [CLIENT_INFO]: facts.client }),
    ...(facts.logLevel === undefined ? {} : { [LOG_LEVEL]: facts.logLevel }),
  };
}

function missingMeta({ method }: Request): ErrorObject {
  return {
    code: INVALID_PARAMS,
    message: `Invalid params: ${method} needs _meta with ${PROTOCOL_VERSION} and ${CLIENT_CAPABILITIES}`,
  };
}

function invalidMeta(key: string, expected: string): ErrorObject {
  return { code: INVALID_PARAMS, message: `Invalid params: _meta["${key}"] must be ${expected}` };
}

function refused(error: ErrorObject): Manner {
  return { opening: 'refused', error };
}
