import { TenonError } from '../../jsonrpc/error.js';
import { INVALID_PARAMS, INVALID_REQUEST } from '../../jsonrpc/error-codes.js';
import { isObject } from '../../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../../protocol/error-codes.js';
import type { Dialect } from '../../protocol/versions/dialect.js';

const REFUSAL_CODES: ReadonlySet<number | undefined> = new Set([INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION]);

/**
 * Tells if a server refused `initialize` because of the version. The specification requires -32602 with the supported
 * versions in `data.supported`, but not every server lists them.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#error-handling
 */
export function isVersionRefusal(error: unknown): error is TenonError {
  if (!TenonError.is(error) || error.rpcCode === undefined || error.status === 401 || error.status === 403)
    return false;
  // No MCP server exists at this path, so another version would not help.
  if (error.status === 404) return getSupportedVersions(error) !== undefined;
  return REFUSAL_CODES.has(error.rpcCode) || getSupportedVersions(error) !== undefined;
}

/** Returns the version to try after a refusal: the newest that both support, or the oldest if the server lists none. */
export function chooseAlternative(
  refusal: TenonError,
  tried: Dialect,
  wanted: readonly Dialect[],
): Dialect | undefined {
  const listed = getSupportedVersions(refusal);
  const candidates = wanted.filter(dialect => dialect !== tried);
  if (listed) return candidates.find(({ protocolVersion }) => listed.includes(protocolVersion));
  return candidates.findLast(({ opening }) => opening === 'handshake');
}

/** Creates the error that lists the versions of client and server, as far as they are known. */
export function createNoSharedVersionError(peer: string, refusal: TenonError, wanted: readonly Dialect[]): TenonError {
  const listed = getSupportedVersions(refusal);
  const hint =
    wanted.length === 1 ? 'remove the option `protocolVersion`, or update the server' : 'update the older side';
  return new TenonError('connect/no-shared-version', `the server refused \`initialize\`: ${refusal.summary}`, {
    peer,
    method: 'initialize',
    expected: `one of ${wanted.map(({ protocolVersion }) => protocolVersion).join(', ')}`,
    received: listed ? `a server that supports ${listed.join(', ').slice(0, 200) || 'no version'}` : undefined,
    hint,
    rpcCode: refusal.rpcCode,
    data: refusal.data,
    status: refusal.status,
    cause: refusal,
  });
}

/** Creates the error for a server that does not support the versions of this client. */
export function createUnsupportedVersionsError(
  peer: string,
  cause: TenonError,
  wanted: readonly Dialect[],
): TenonError {
  const expected = wanted.map(({ protocolVersion }) => protocolVersion).join(', ');
  return new TenonError('connect/no-shared-version', `the server does not support protocol version ${expected}`, {
    peer,
    expected,
    received: cause.message,
    hint: 'remove the option `protocolVersion`, or update the server',
    cause,
  });
}

function getSupportedVersions({ data }: TenonError): readonly string[] | undefined {
  if (!isObject(data) || !Array.isArray(data.supported)) return undefined;
  return data.supported.filter(version => typeof version === 'string');
}

/** Tells if the server itself rejected `server/discover`. It then runs but does not support that method. */
export function isDiscoverRefusal({ rpcCode, status = 0 }: TenonError): boolean {
  return rpcCode !== undefined && status !== 401 && status !== 403;
}
