import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { OUTCOME_UNKNOWN } from '../../jsonrpc/outcome.js';
import { HEADER_MISMATCH } from '../../protocol/error-codes.js';
import type { Connection } from '../connection/connection.js';
import { isReadOnly } from './call-checks.js';
import { describeBothAttempts, isConnectionLoss, toOutcomeUnknownError } from './call-outcome.js';
import type { CallPipeline, CallState } from './call-pipeline.js';
import { checkCursor } from './pages.js';

/**
 * Sends a failed call again if the server cannot have executed it, or if a repetition is harmless. Otherwise throws the
 * error. After a lost connection the code of the error is `call/outcome-unknown`.
 */
export async function retryCall(
  pipeline: CallPipeline,
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
  const isLost = isConnectionLoss(error);
  if (isLost && (options.idempotent ?? isReadOnly(method)))
    return sendAfterReconnect(pipeline, connection, callState, error);
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
  pipeline: CallPipeline,
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
