import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  isAuthError,
  isObject,
  isSessionLoss,
  isTemporaryStatus,
  TenonError,
  withDetails,
} from '@tenon/base';
import { UNSUPPORTED_VERSION } from '../../protocol/error-codes.js';
import { isAboutAuthorization, showsNoVersion } from '../../protocol/negotiation/probe.js';
import type { Dialect } from '../../protocol/versions/dialect.js';

const REFUSAL_CODES: ReadonlySet<number> = new Set([INVALID_PARAMS, INVALID_REQUEST, UNSUPPORTED_VERSION]);

/** Statuses of servers that refuse the params of a request, also without a JSON-RPC error. */
const REFUSAL_STATUSES: ReadonlySet<number | undefined> = new Set([400, 422]);
/**
 * Tells if a server may have refused `initialize` because of the version. The specification requires -32602 with the
 * supported versions in `data.supported`, but servers send any error. Authorization and 5xx show nothing about versions.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#error-handling
 */
export function mayRefuseVersion(error: unknown): error is TenonError {
  if (!TenonError.is(error) || isAuthError(error) || isAboutAuthorization(error.status)) return false;
  if (getSupportedVersions(error) !== undefined) return true;
  // A 404 without a JSON-RPC error is about the path.
  const isAboutPath = error.status === 404 && error.rpcCode === undefined;
  if (isFailing(error) || isAboutPath || isSessionLoss(error)) return false;
  return error.rpcCode !== undefined || REFUSAL_STATUSES.has(error.status);
}

/**
 * Tells if an error of a remembered version shows that the server may have changed, so that the version is forgotten.
 * A server that cannot be reached, fails or requires a sign-in keeps its version.
 */
export function showsChangedServer(error: unknown): boolean {
  return TenonError.is(error) && !isFailing(error);
}

/**
 * Returns the version to try after a refusal: the newest that both support, or the next older one if the server lists
 * none.
 */
export function chooseAlternative(
  refusal: TenonError,
  tried: readonly Dialect[],
  wanted: readonly Dialect[],
  triesEarlier = true,
): Dialect | undefined {
  const listed = getSupportedVersions(refusal);
  const candidates = wanted.filter(dialect => !tried.includes(dialect));
  if (listed) return candidates.find(({ protocolVersion }) => listed.includes(protocolVersion));
  if (!triesEarlier) return undefined;
  const oldest = tried.reduce((index, dialect) => Math.max(index, wanted.indexOf(dialect)), 0);
  return wanted.slice(oldest).find(dialect => candidates.includes(dialect) && dialect.opening === 'handshake');
}

/**
 * Returns the error of a server that refused every version that was tried. It lists the versions of client and server, as
 * far as they are known. `refusal` is the error of the first version.
 */
export function createRefusalError(peer: string, refusal: TenonError, wanted: readonly Dialect[]): TenonError {
  // After all versions, a 404 is about the path.
  const isAboutVersion = refusal.status !== 404 && refusal.rpcCode !== undefined && REFUSAL_CODES.has(refusal.rpcCode);
  const listed = getSupportedVersions(refusal);
  if (!isAboutVersion && !listed) return refusal;
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
export function isDiscoverRefusal(error: TenonError): boolean {
  return error.rpcCode !== undefined && !showsNoVersion(error);
}

/** Tells if an error shows the versions of the server, and not only the state of the network or of the sign-in. */
export function isVersionError(error: unknown): boolean {
  return TenonError.is(error) && (error.code.startsWith('connect/') || isDiscoverRefusal(error));
}

/** Tells if an error comes from the network, the authorization, the load or a failure, whatever its JSON-RPC code is. */
function isFailing(error: TenonError): boolean {
  return showsNoVersion(error) || isTemporaryStatus(error.status ?? 0);
}

/** Returns the error of a probe that failed with a status, with the way on if the server always fails so. */
export function createFailedProbeError(error: TenonError): TenonError {
  const { status, received = `status ${status}` } = error;
  if (status === undefined || status < 408) return error;
  return withDetails(error, {
    received,
    method: 'server/discover',
    hint: 'try again later, or set `protocolVersion` if the server has earlier versions only and always responds so',
  });
}
