import { TenonError } from './error.js';
import { hasUnknownOutcome, OUTCOME_UNKNOWN } from './outcome.js';

/** Codes of errors whose reason is the JSON-RPC code that a peer or a handler has chosen. */
const CHOSEN_BY_PEER: ReadonlySet<string> = new Set(['rpc/error', 'peer/error']);

/**
 * Creates an error for the peer with the text `message`. Metrics, traces and audit logs count it under the code of its
 * cause, which the peer gets only in `data`.
 */
export function createCausedError(cause: TenonError, rpcCode: number, message: string, data?: unknown): TenonError {
  return new TenonError('rpc/error', message, { rpcCode, data, cause });
}

/**
 * Returns the type of an error in metrics, traces and audit logs: the stable code of its cause, else the JSON-RPC code
 * of the peer.
 */
export function getErrorType(error: unknown): string {
  if (!TenonError.is(error)) return error instanceof Error ? error.name : '_OTHER';
  const { code, rpcCode, cause, data } = error;
  if (code === 'rpc/error' && TenonError.is(cause)) return getErrorType(cause);
  if (code === 'handler/threw' && cause !== undefined) return getErrorType(cause);
  if (rpcCode === undefined || !CHOSEN_BY_PEER.has(code)) return code;
  return hasUnknownOutcome(data) ? OUTCOME_UNKNOWN : String(rpcCode);
}
