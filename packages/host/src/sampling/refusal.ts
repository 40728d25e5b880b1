import { INVALID_PARAMS, rpcError, type TenonError, TOO_MANY_REQUESTS, takeBeginning } from '@tenon/base';
import { USER_REJECTED } from 'tenon/host-internals';

/** Refusal, which a reviewer returns instead of a request or result. */
export interface SamplingRefusal {
  readonly refused: true;
  /**
   * Reason for the server.
   * @default a text that the user rejected the request
   */
  readonly reason?: string | undefined;
}

const MAX_REASON = 200;

/** Creates a refusal of a sampling request or its result. The server receives the reason. */
export function rejectSampling(reason?: string): SamplingRefusal {
  return reason === undefined ? { refused: true } : { refused: true, reason };
}

export function isRefusal(value: unknown): value is SamplingRefusal {
  return typeof value === 'object' && value !== null && (value as { refused?: unknown }).refused === true;
}

export function createRejectedError(reason?: string): TenonError {
  const message = 'User rejected sampling request';
  return rpcError(USER_REJECTED, reason === undefined ? message : `${message}: ${takeBeginning(reason, MAX_REASON)}`);
}

/** Creates the error for a request that violates the protocol. */
export function createInvalidError(message: string): TenonError {
  return rpcError(INVALID_PARAMS, message);
}

/**
 * Creates the error for a request over a limit.
 *
 * @param after Time until a retry may succeed, in milliseconds.
 */
export function createLimitError(message: string, after: number | undefined): TenonError {
  return rpcError(TOO_MANY_REQUESTS, message, after === undefined ? undefined : { retryAfterMs: Math.ceil(after) });
}
