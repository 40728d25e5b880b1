import { rpcError, type TenonError } from '../../jsonrpc/error.js';
import { INVALID_PARAMS, TOO_MANY_REQUESTS } from '../../jsonrpc/error-codes.js';
import { USER_REJECTED } from '../../protocol/error-codes.js';

/** What a reviewer returns instead of a request or a result that may go on. */
export interface SamplingRefusal {
  readonly refused: true;
  /** What the server is told. Absent: that the user rejected the request. */
  readonly reason?: string | undefined;
}

const MAX_REASON = 200;

/** Refuses a sampling request, or its result. The reason is told to the server. */
export function rejectSampling(reason?: string): SamplingRefusal {
  return reason === undefined ? { refused: true } : { refused: true, reason };
}

export function isRefusal(value: unknown): value is SamplingRefusal {
  return typeof value === 'object' && value !== null && (value as { refused?: unknown }).refused === true;
}

export function createRejectedError(reason?: string): TenonError {
  const message = 'User rejected sampling request';
  return rpcError(USER_REJECTED, reason === undefined ? message : `${message}: ${reason.slice(0, MAX_REASON)}`);
}

/** The request breaks a rule of the protocol. */
export function createInvalidError(message: string): TenonError {
  return rpcError(INVALID_PARAMS, message);
}

/** For now; `after` milliseconds may help. */
export function createLimitError(message: string, after: number | undefined): TenonError {
  return rpcError(TOO_MANY_REQUESTS, message, after === undefined ? undefined : { retryAfterMs: Math.ceil(after) });
}
