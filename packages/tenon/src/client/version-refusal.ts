import type { Dialect } from '../dialects/dialect.js';
import { INVALID_PARAMS, INVALID_REQUEST } from '../jsonrpc/codes.js';
import { TenonError } from '../jsonrpc/error.js';
import { isObject } from '../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../model/codes.js';

const REFUSALS: ReadonlySet<number | undefined> = new Set([INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION]);

/**
 * Tests whether a server refused `initialize` because of the version. The specification has -32602 with the versions that
 * it serves in `data.supported`; not every server lists them.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#error-handling
 */
export function isVersionRefusal(error: unknown): error is TenonError {
  if (!TenonError.is(error) || error.rpc === undefined || error.status === 401 || error.status === 403) return false;
  return REFUSALS.has(error.rpc) || supportedVersions(error) !== undefined;
}

/** The version to try after a refusal: the best that both ends know, or the oldest where the server lists none. */
export function chooseOther(refusal: TenonError, tried: Dialect, wanted: readonly Dialect[]): Dialect | undefined {
  const listed = supportedVersions(refusal);
  const candidates = wanted.filter(dialect => dialect !== tried);
  if (listed) return candidates.find(({ revision }) => listed.includes(revision));
  return candidates.findLast(({ opening }) => opening === 'handshake');
}

/** Names what both ends speak, as far as it is known. */
export function noSharedVersion(peer: string, refusal: TenonError, wanted: readonly Dialect[]): TenonError {
  const listed = supportedVersions(refusal);
  const next = wanted.length === 1 ? 'do not pin `revision`, or update the server' : 'update the older end';
  return new TenonError('connect/no-shared-revision', `the server refused \`initialize\`: ${refusal.summary}`, {
    peer,
    method: 'initialize',
    expected: `one of ${wanted.map(({ revision }) => revision).join(', ')}`,
    got: listed ? `a server of ${listed.join(', ').slice(0, 200) || 'none'}` : undefined,
    next,
    rpc: refusal.rpc,
    data: refusal.data,
    status: refusal.status,
    cause: refusal,
  });
}

function supportedVersions({ data }: TenonError): readonly string[] | undefined {
  if (!isObject(data) || !Array.isArray(data.supported)) return undefined;
  return data.supported.filter(version => typeof version === 'string');
}
