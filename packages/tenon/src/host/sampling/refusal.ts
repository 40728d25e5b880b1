import { INVALID_PARAMS, TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError, type TenonError } from '../../jsonrpc/error.js';
import { USER_REJECTED } from '../../model/codes.js';

/** What a reviewer returns instead of a request or a result that may go on. */
export interface Refusal {
  readonly refused: true;
  /** What the server is told. Absent: that the user rejected the request. */
  readonly reason?: string | undefined;
}

const MAX_REASON = 200;

/** Refuses a sampling request, or its result. The reason is told to the server. */
export function refuse(reason?: string): Refusal {
  return reason === undefined ? { refused: true } : { refused: true, reason };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as { refused?: unknown }).refused === true;
}

export function rejected(reason?: string): TenonError {
  const message = 'User rejected sampling request';
  return rpcError(USER_REJECTED, reason === undefined ? message : `${message}: ${reason.slice(0, MAX_REASON)}`);
}

/** The request breaks a rule of the protocol. */
export function invalid(message: string): TenonError {
  return rpcError(INVALID_PARAMS, message);
}

/** For now; `after` milliseconds may help. */
export function tooMuch(message: string, after: number | undefined): TenonError {
  return rpcError(TOO_MANY, message, after === undefined ? undefined : { retryAfterMs: Math.ceil(after) });
}
