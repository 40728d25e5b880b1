import { isConnectionLoss, isRefusedForNow, type JsonObject, TenonError } from '@tenon/base';
import { HEADER_MISMATCH } from '../../protocol/error-codes.js';
import { isReadOnly } from '../../protocol/methods.js';
import type { Connection } from '../connection/connection.js';
import { getRefusalTimeout, repeatWhileRefused } from '../connection/refusal-wait.js';
import type { CallContext, CallState } from './call-context.js';
import { adviseOutcome, describeBothAttempts } from './call-outcome.js';
import { checkCursor } from './pages.js';

/**
 * Sends a failed call again if the server cannot have executed it, or if a repetition is harmless. Otherwise throws the
 * error, with the advice to check the effect if the server may have executed the call.
 */
export async function retryCall(
  pipeline: CallContext,
  connection: Connection,
  callState: CallState,
  error: unknown,
): Promise<JsonObject> {
  const { method, options } = callState;
  const isRepeatable = options.idempotent ?? isReadOnly(method);
  try {
    if (!TenonError.is(error)) throw error;
    if (error.code === 'session/gone' || (isRepeatable && isConnectionLoss(error)))
      return await sendAfterReconnect(pipeline, connection, callState, error);
    if (error.rpcCode === HEADER_MISMATCH && method === 'tools/call') {
      pipeline.toolCache.clear();
      pipeline.cache.invalidate({ methods: ['tools/list'] });
      return await pipeline.sendOnce(connection, callState);
    }
    if (isRepeatable && isRefusedForNow(error)) return await sendWhenAccepted(pipeline, callState, error);
    throw error;
  } catch (thrown) {
    throw isRepeatable || !TenonError.is(thrown) ? thrown : adviseOutcome(thrown);
  }
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

/** Sends the call again each time that the server has asked to wait, within the timeouts of the call. */
function sendWhenAccepted(pipeline: CallContext, callState: CallState, first: TenonError): Promise<JsonObject> {
  const { options, deadline } = callState;
  const { clock } = pipeline;
  const timeout = getRefusalTimeout(options.idleTimeout ?? pipeline.options.idleTimeout, deadline.remaining);
  const send = async () => pipeline.sendOnce(await pipeline.connections.getConnection(), callState);
  return repeatWhileRefused(first, send, { clock, until: clock.elapsed() + timeout, signals: [options.signal] });
}
