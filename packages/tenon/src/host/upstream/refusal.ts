import { rpcError, TenonError } from '../../jsonrpc/error.js';

/** The protocol error that a caller answered is meant for the server that asked; nothing else of an error is. */
export function toRefusal(error: unknown): unknown {
  if (!TenonError.is(error) || error.code !== 'peer/error' || error.rpc === undefined) return error;
  return rpcError(error.rpc, error.summary, error.data);
}
