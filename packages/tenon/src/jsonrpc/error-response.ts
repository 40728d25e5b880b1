import { type ErrorObject, INTERNAL_ERROR, isForPeer, TenonError, UNAVAILABLE } from '@tenon/base';
import { createFailure, type Id, type JsonRpcFailure, type JsonRpcResponse } from './message.js';

/** Errors of a store that works again after some time. */
const STORE_OUTAGE = /^store\/(unavailable|busy|full|unknown-key)$/;

/** Describes the state of the store that caused an error, for peers. Undefined for other errors. */
export function describeStoreOutage(error: unknown): string | undefined {
  if (!TenonError.is(error) || !STORE_OUTAGE.test(error.code)) return undefined;
  return `The store of the server ${error.code === 'store/full' ? 'is full' : 'does not respond'}`;
}

/**
 * Converts an error to the JSON-RPC error object for the peer. Only errors of `rpcError` keep their code, message and
 * data. While a store does not respond, the peer gets 503.
 */
export function toErrorObject(error: unknown): ErrorObject {
  const outage = describeStoreOutage(error);
  if (outage) return { code: UNAVAILABLE, message: `${outage}. Retry later`, data: { retryAfterMs: 5000 } };
  if (!isForPeer(error)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  const { rpcCode, message, data } = error;
  return data === undefined ? { code: rpcCode, message } : { code: rpcCode, message, data };
}

/** Returns the errors that replace results that cannot be serialized. */
export function toErrorResponses(response: JsonRpcResponse | JsonRpcResponse[]): JsonRpcResponse | JsonRpcResponse[] {
  if (Array.isArray(response)) return response.map(each => toErrorResponses(each) as JsonRpcResponse);
  return createFailure(response.id, { code: INTERNAL_ERROR, message: 'Internal error' });
}

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
