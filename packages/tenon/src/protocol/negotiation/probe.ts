import { isAuthError, isObject, isTemporaryStatus, type JsonObject, METHOD_NOT_FOUND, TenonError } from '@tenon/base';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION } from '../error-codes.js';
import type { Dialect } from '../versions/dialect.js';

/** Conclusion from the server's response to the first `server/discover`. */
export type ProbeResult =
  | { readonly opening: 'per-request'; readonly dialect: Dialect }
  | { readonly opening: 'handshake'; readonly dialect: Dialect }
  /** The response shows nothing, because the network or the authorization failed. */
  | { readonly opening: 'unknown' };

const PER_REQUEST_ERRORS = new Set([HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION]);

/**
 * Interprets the response to a probe. Only a list of versions, or an error of the stateless versions, proves a
 * stateless server. Any other response means that the server requires a handshake, unless it is about something else.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function interpretProbe(answer: JsonObject | TenonError, wanted: readonly Dialect[]): ProbeResult {
  if (!TenonError.is(answer)) {
    const { supportedVersions } = answer;
    const handshake = selectHandshake(wanted);
    // Some servers return an empty result for every unknown method.
    if (!Array.isArray(supportedVersions) && handshake.opening === 'handshake') return handshake;
    return selectSharedVersion(supportedVersions, wanted);
  }
  const { status, rpcCode, data } = answer;
  if (isAuthError(answer) || isAboutAuthorization(status)) return { opening: 'unknown' };
  if (rpcCode !== undefined && PER_REQUEST_ERRORS.has(rpcCode))
    return selectSharedVersion(isObject(data) ? data.supported : undefined, wanted);
  return showsNoVersion(answer) ? { opening: 'unknown' } : selectHandshake(wanted);
}

/**
 * Selects the newest version that client and server support. If it has a handshake, the client opens the connection
 * with one.
 */
function selectSharedVersion(versions: unknown, wanted: readonly Dialect[]): ProbeResult {
  if (!Array.isArray(versions)) return toProbeResult(wanted[0]);
  const shared = wanted.find(({ protocolVersion }) => versions.includes(protocolVersion));
  if (shared) return toProbeResult(shared);
  throw new TenonError('connect/no-shared-version', 'the client and the server have no protocol version in common', {
    expected: `one of ${wanted.map(({ protocolVersion }) => protocolVersion).join(', ')}`,
    received: versions
      .filter(version => typeof version === 'string')
      .join(', ')
      .slice(0, 200),
    hint: 'update the older side, or set `protocolVersion` to one that the server lists',
  });
}

function toProbeResult(dialect: Dialect | undefined): ProbeResult {
  if (dialect === undefined) return { opening: 'unknown' };
  return { opening: dialect.opening, dialect };
}

function selectHandshake(wanted: readonly Dialect[]): ProbeResult {
  return toProbeResult(wanted.find(({ opening }) => opening === 'handshake'));
}

/** Tells if a status is about a sign-in, at the server or at a proxy. */
export const isAboutAuthorization = (status = 0): boolean => status === 401 || status === 403 || status === 407;

/**
 * Tells if an error shows nothing about the versions of a server: one of the network, of the authorization, of the load, or
 * a failure with 5xx. If the server itself says that it does not have the method, the status does not matter.
 *
 * A connection that ends during the probe is conclusive: some servers and proxies close it, or exit, when they get a
 * method or a header that they do not know.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#compatibility-matrix
 */
export function showsNoVersion(error: TenonError): boolean {
  const { code, status = 0, rpcCode } = error;
  if (isAuthError(error) || isAboutAuthorization(status)) return true;
  if (rpcCode === METHOD_NOT_FOUND) return false;
  if (isTemporaryStatus(status)) return true;
  return /^(http\/unreachable|call\/aborted|stdio\/spawn)$/.test(code);
}
