import { TenonError } from '@tenon/base';

/** Errors with which a client has answered an input request. */
const clientErrors = new WeakSet<object>();

/** Marks an error as one that the client of the call has sent, so that it may be sent back to this client. */
export function markClientError(error: unknown): unknown {
  if (TenonError.is(error) && error.code === 'peer/error') clientErrors.add(error);
  return error;
}

/**
 * Tells if the client of the call has sent this error as the answer to an input request. Errors of other peers, which a
 * handler may have called, do not count.
 */
export function isClientError(error: unknown): error is TenonError {
  return typeof error === 'object' && error !== null && clientErrors.has(error);
}
