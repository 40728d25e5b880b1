import { TenonError } from '@tenon/base';
import { createFailure, type Id, type JsonRpcFailure } from './message.js';

/**
 * Returns the error response that refused a request. Transports with a status for each message report it as the error
 * of `send` instead.
 */
export function toRefusal(error: unknown, id: Id): JsonRpcFailure | undefined {
  if (!TenonError.is(error) || error.rpcCode === undefined) return undefined;
  const { rpcCode: code, summary, data, cause } = error;
  const message = cause instanceof Object && 'message' in cause ? String(cause.message) : summary;
  return createFailure(id, data === undefined ? { code, message } : { code, message, data });
}
