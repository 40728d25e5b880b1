import { TenonError } from '../../jsonrpc/error.js';
import { METHOD_NOT_FOUND } from '../../jsonrpc/error-codes.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION } from '../error-codes.js';
import type { Dialect } from '../versions/dialect.js';

/** Conclusion from a server's response to a first `server/discover`. */
export type ProbeResult =
  | { readonly opening: 'per-request'; readonly dialect: Dialect }
  | { readonly opening: 'handshake'; readonly dialect: Dialect }
  /** It says nothing: the network or the authorization failed. */
  | { readonly opening: 'unknown' };

const PER_REQUEST_ERRORS = new Set([HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION]);

/**
 * Judges the response to a probe. Only a result that lists versions, or one of the errors of stateless versions, shows
 * a stateless server. Any other response means that the server requires a handshake.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function interpretProbe(answer: JsonObject | TenonError, wanted: readonly Dialect[]): ProbeResult {
  if (!TenonError.is(answer)) return readDiscoverResult(answer, wanted);
  if (isInconclusive(answer)) return { opening: 'unknown' };
  if (answer.rpcCode !== undefined && PER_REQUEST_ERRORS.has(answer.rpcCode)) {
    const data = isObject(answer.data) ? answer.data : {};
    return selectSharedVersion(data.supported, wanted);
  }
  return selectHandshake(wanted);
}

/** Some servers answer every method that they do not know with an empty result. */
function readDiscoverResult({ supportedVersions }: JsonObject, wanted: readonly Dialect[]): ProbeResult {
  const handshake = selectHandshake(wanted);
  if (!Array.isArray(supportedVersions) && handshake.opening === 'handshake') return handshake;
  return selectSharedVersion(supportedVersions, wanted);
}

/** The newest version that both speak decides, also on the manner: one with handshakes is never stated per request. */
function selectSharedVersion(versions: unknown, wanted: readonly Dialect[]): ProbeResult {
  if (!Array.isArray(versions)) return toProbeResult(wanted[0]);
  return toProbeResult(
    wanted.find(({ protocolVersion }) => versions.includes(protocolVersion)) ?? throwNoSharedVersion(versions, wanted),
  );
}

function toProbeResult(dialect: Dialect | undefined): ProbeResult {
  if (dialect === undefined) return { opening: 'unknown' };
  return { opening: dialect.opening, dialect };
}

function selectHandshake(wanted: readonly Dialect[]): ProbeResult {
  return toProbeResult(wanted.find(({ opening }) => opening === 'handshake'));
}

function throwNoSharedVersion(versions: readonly unknown[], wanted: readonly Dialect[]): never {
  throw new TenonError('connect/no-shared-version', 'the client and the server have no protocol version in common', {
    expected: `one of ${wanted.map(({ protocolVersion }) => protocolVersion).join(', ')}`,
    received: versions
      .filter(version => typeof version === 'string')
      .join(', ')
      .slice(0, 200),
    hint: 'update the older side, or set `protocolVersion` to a version that the server lists',
  });
}

/**
 * Authorization and the network are no evidence of how a server opens. A server that fails with 500 or 501 may do so
 * because it does not know the method.
 */
function isInconclusive({ code, status = 0, rpcCode }: TenonError): boolean {
  if (status === 401 || status === 403) return true;
  if (status === 404 && rpcCode === METHOD_NOT_FOUND) return false;
  return /^(auth\/.+|http\/unreachable|http\/interrupted|call\/aborted|connection\/closed|stdio\/spawn)$/.test(code);
}
