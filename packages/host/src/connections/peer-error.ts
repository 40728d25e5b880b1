import { INTERNAL_ERROR, type JsonObject, OUTCOME_UNKNOWN, rpcError, TenonError, toPublicText } from '@tenon/base';

/** Codes of the errors of a request that got an error response. */
const PEER_ERRORS: ReadonlySet<string> = new Set(['peer/error', OUTCOME_UNKNOWN]);

/**
 * Converts an error for the server that sent the request. A protocol error of the caller is forwarded. Other errors are
 * not, because they may reveal details of the host.
 * @param params Params of the request.
 */
export function toPeerError(error: unknown, params: JsonObject): unknown {
  if (TenonError.is(error) && error.code === 'host/no-active-call')
    return rpcError(INTERNAL_ERROR, 'No active call can pass on the request. Send it during a call');
  if (!TenonError.is(error) || !PEER_ERRORS.has(error.code) || error.rpcCode === undefined) return error;
  return rpcError(error.rpcCode, toPublicText(error.summary, [params]), error.data);
}
