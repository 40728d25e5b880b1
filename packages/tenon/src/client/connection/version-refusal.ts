import { TenonError } from '../../jsonrpc/error.js';
import { INVALID_PARAMS, INVALID_REQUEST } from '../../jsonrpc/error-codes.js';
import { isObject } from '../../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../../protocol/error-codes.js';
import type { Dialect } from '../../protocol/versions/dialect.js';

const REFUSAL_CODES: ReadonlySet<number | undefined> = new Set([INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION]);

/**
 * Tests whether a server refused `initialize` because of the version. The specification has -32602 with the versions that
 * it serves in `data.supported`; not every server lists them.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#error-handling
 */
export function isVersionRefusal(error: unknown): error is TenonError {
  if (!TenonError.is(error) || error.rpcCode === undefined || error.status === 401 || error.status === 403)
    return false;
  // Nothing is served at this path: no version would be.
  if (error.status === 404) return getSupportedVersions(error) !== undefined;
  return REFUSAL_CODES.has(error.rpcCode) || getSupportedVersions(error) !== undefined;
}

/** The version to try after a refusal: the best that both ends know, or the oldest where the server lists none. */
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

/** Names what both ends speak, as far as it is known. */
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

function getSupportedVersions({ data }: TenonError): readonly string[] | undefined {
  if (!isObject(data) || !Array.isArray(data.supported)) return undefined;
  return data.supported.filter(version => typeof version === 'string');
}
