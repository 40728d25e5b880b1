import { rpcError, TenonError } from '../../jsonrpc/error.js';

/** The protocol error that a caller answered is meant for the server that asked; nothing else of an error is. */
export function toPeerError(error: unknown): unknown {
  if (!TenonError.is(error) || error.code !== 'peer/error' || error.rpcCode === undefined) return error;
  return rpcError(error.rpcCode, error.summary, error.data);
}
