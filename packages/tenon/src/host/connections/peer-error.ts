import { rpcError, TenonError } from '../../jsonrpc/error.js';

/**
 * Converts an error for the server that sent the request. A protocol error of the caller is forwarded. Other errors are
 * not, because they may reveal details of the host.
 */
export function toPeerError(error: unknown): unknown {
  if (!TenonError.is(error) || error.code !== 'peer/error' || error.rpcCode === undefined) return error;
  return rpcError(error.rpcCode, error.summary, error.data);
}
