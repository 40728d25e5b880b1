import { isRefusedForNow, type JsonObject, OUTCOME_UNKNOWN, rejectOnAbort, TenonError } from '@tenon/base';
import { IDLE_TIMEOUT } from '../../jsonrpc/pending-requests.js';
import { HEADER_MISMATCH } from '../../protocol/error-codes.js';
import type { Connection } from '../connection/connection.js';
import { isReadOnly } from './call-checks.js';
import type { CallContext, CallState } from './call-context.js';
import { describeBothAttempts, isConnectionLoss, toOutcomeUnknownError } from './call-outcome.js';
import { checkCursor } from './pages.js';

/**
 * Sends a failed call again if the server cannot have executed it, or if a repetition is harmless. Otherwise throws the
 * error. After a lost connection the code of the error is `call/outcome-unknown`.
 */
export async function retryCall(
  pipeline: CallContext,
  connection: Connection,
  callState: CallState,
  error: unknown,
): Promise<JsonObject> {
  const { method, options } = callState;
  if (!TenonError.is(error)) throw error;
  if (error.code === 'session/gone') return sendAfterReconnect(pipeline, connection, callState, error);
  if (error.rpcCode === HEADER_MISMATCH && method === 'tools/call') {
    pipeline.toolCache.clear();
    pipeline.cache.invalidate({ methods: ['tools/list'] });
    return pipeline.sendOnce(connection, callState);
  }
  const isRepeatable = options.idempotent ?? isReadOnly(method);
  if (isRepeatable && isRefusedForNow(error)) return sendWhenAccepted(pipeline, callState, error);
  const isLost = isConnectionLoss(error);
  if (isLost && isRepeatable) return sendAfterReconnect(pipeline, connection, callState, error);
  throw isLost ? toOutcomeUnknownError(error, connection, method) : error;
}

/**
 * Tells if a call may be sent again after the task that it became has failed. The outcome of a task is unknown if its
 * process has stopped and no other process may continue it.
 */
export function mayRepeatTask({ options, isTask }: CallState, error: unknown): boolean {
  return options.idempotent === true && isTask === true && TenonError.is(error) && error.code === OUTCOME_UNKNOWN;
}

/** Sends the call on a new connection. An error of the second attempt includes the first one. */
async function sendAfterReconnect(
  pipeline: CallContext,
  previous: Connection,
  callState: CallState,
  first: TenonError,
): Promise<JsonObject> {
  const { method, params } = callState;
  try {
    const connection = checkCursor(await pipeline.connections.getConnection(), previous, params);
    return await pipeline.sendOnce(connection, callState);
  } catch (second) {
    throw describeBothAttempts(first, TenonError.from(second), method);
  }
}

/** Minimum delay between two attempts, in milliseconds. */
const MIN_DELAY = 100;

/**
 * Sends the call again each time that the server has asked to wait, within the timeouts of the call. Otherwise throws
 * the last refusal, which has the time to wait.
 */
async function sendWhenAccepted(
  pipeline: CallContext,
  callState: CallState,
  first: TenonError & { readonly retryAfterMs: number },
): Promise<JsonObject> {
  const { options, deadline } = callState;
  const { clock } = pipeline;
  const idleTimeout = options.idleTimeout ?? pipeline.options.idleTimeout ?? IDLE_TIMEOUT;
  const until = clock.now() + Math.min(idleTimeout, deadline.remaining);
  for (let refusal = first; ; ) {
    const delay = Math.max(MIN_DELAY, refusal.retryAfterMs);
    if (clock.now() + delay >= until) throw refusal;
    const waited = new Promise<void>(resolve => clock.after(delay, resolve, { hold: true }));
    // An aborted call ends the wait, and is refused below with the error of an aborted call.
    await rejectOnAbort(waited, options.signal).catch(() => {});
    try {
      return await pipeline.sendOnce(await pipeline.connections.getConnection(), callState);
    } catch (error) {
      if (!isRefusedForNow(error)) throw error;
      refusal = error;
    }
  }
}
