import type { Dialect } from '../../dialects/dialect.js';
import { METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION } from '../../model/codes.js';

/** What a server's answer to a first `server/discover` says of how to open. */
export type Opening =
  | { readonly opening: 'per-request'; readonly dialect: Dialect }
  | { readonly opening: 'handshake'; readonly dialect: Dialect }
  /** It says nothing: the network or the authorization failed. */
  | { readonly opening: 'unknown' };

const OF_PER_REQUEST = new Set([HEADER_MISMATCH, MISSING_CLIENT_CAPABILITY, UNSUPPORTED_VERSION]);

/**
 * Judges an answer. Only a result that lists versions or one of the errors that came with per-request opening shows a server that has it;
 * whatever else a server says is said by one that wants a handshake.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function judge(answer: JsonObject | TenonError, wanted: readonly Dialect[]): Opening {
  if (!TenonError.is(answer)) return discovered(answer, wanted);
  if (saysNothing(answer)) return { opening: 'unknown' };
  if (answer.rpc !== undefined && OF_PER_REQUEST.has(answer.rpc)) {
    const data = isObject(answer.data) ? answer.data : {};
    return shared(data.supported, wanted);
  }
  return byHandshake(wanted);
}

/** Some servers answer every method that they do not know with an empty result. */
function discovered({ supportedVersions }: JsonObject, wanted: readonly Dialect[]): Opening {
  const handshake = byHandshake(wanted);
  if (!Array.isArray(supportedVersions) && handshake.opening === 'handshake') return handshake;
  return shared(supportedVersions, wanted);
}

/** The newest version that both speak decides, also on the manner: one with handshakes is never stated per request. */
function shared(versions: unknown, wanted: readonly Dialect[]): Opening {
  if (!Array.isArray(versions)) return opened(wanted[0]);
  return opened(wanted.find(({ revision }) => versions.includes(revision)) ?? nothingShared(versions, wanted));
}

function opened(dialect: Dialect | undefined): Opening {
  if (dialect === undefined) return { opening: 'unknown' };
  return { opening: dialect.opening, dialect };
}

function byHandshake(wanted: readonly Dialect[]): Opening {
  return opened(wanted.find(({ opening }) => opening === 'handshake'));
}

function nothingShared(versions: readonly unknown[], wanted: readonly Dialect[]): never {
  throw new TenonError('connect/no-shared-revision', 'there is no protocol version that both ends speak', {
    expected: `one of ${wanted.map(({ revision }) => revision).join(', ')}`,
    got: versions
      .filter(version => typeof version === 'string')
      .join(', ')
      .slice(0, 200),
    next: 'update the older end, or pin `revision` to one that the server lists',
  });
}

/**
 * Authorization and the network are no evidence of how a server opens. A server that fails with 500 or 501 may do so
 * because it does not know the method.
 */
function saysNothing({ code, status = 0, rpc }: TenonError): boolean {
  if (status === 401 || status === 403) return true;
  if (status === 404 && rpc === METHOD_NOT_FOUND) return false;
  return /^(auth\/.+|http\/unreachable|http\/interrupted|call\/aborted|connection\/closed|stdio\/spawn)$/.test(code);
}
