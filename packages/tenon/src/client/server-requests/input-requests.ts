import type { AbortSignalLike } from '../../cancellation/lazy-abort-signal.js';
import { rejectOnAbort } from '../../cancellation/reject-on-abort.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import { INVALID_PARAMS } from '../../jsonrpc/error-codes.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type TolerantConnection, tolerate } from '../../jsonrpc/tolerance.js';
import { readMethod, readParams } from '../../protocol/tolerant-reading.js';
import type { Connection } from '../connection/connection.js';
import type { InternalRequestInfo } from '../options.js';
import { handleServerRequest, type ServerRequestOptions } from './request-handlers.js';

/** Default maximum number of times that a server may request input within one call. */
const MAX_ROUNDS = 10;

export function getMaxRounds({ maxRounds = MAX_ROUNDS }: { readonly maxRounds?: number | undefined }): number {
  return maxRounds;
}

/** Answers an input request in a result with the handler for the equivalent request of the server. */
export async function answerInputRequest(
  { method: requestedMethod, params }: { readonly method: string; readonly params?: object | null | undefined },
  connection: TolerantConnection & Pick<Connection, 'peer'>,
  answers: ServerRequestOptions,
  info: Pick<InternalRequestInfo, 'signal' | 'task'>,
): Promise<JsonObject> {
  const { peer } = connection;
  const method = readMethod(connection, requestedMethod);
  try {
    if (params === null && !tolerate(connection, 'null-member', method, 'null counts as absent at /params'))
      throw rpcError(INVALID_PARAMS, 'Invalid params: expected no null');
    const read = readParams(connection, method, { ...params });
    return await handleServerRequest(method, read, answers, {
      ...info,
      server: peer,
      progress: () => {},
    });
  } catch (error) {
    throw new TenonError('call/unanswered-request', `the client could not answer ${method}`, {
      peer,
      received: TenonError.is(error) ? error.message : undefined,
      hint: 'pass a handler for it to `connect`, or call with `resolveInputRequests: false` and answer it yourself',
      cause: error,
    });
  }
}

export function createTooManyRoundsError({ peer }: Pick<Connection, 'peer'>, maxRounds: number): TenonError {
  return new TenonError('call/too-many-rounds', `the server requested input in more than ${maxRounds} rounds`, {
    peer,
    hint: 'raise `maxRounds` if the server needs that many rounds',
  });
}

/** Waits for work until the caller's signal is aborted. The handler may still run after that. */
export function raceAbort<T>(work: Promise<T>, signal: AbortSignalLike | undefined, peer: string): Promise<T> {
  return rejectOnAbort(work, signal, cause => createCallAbortedError(peer, cause));
}

export function createCallAbortedError(peer: string, cause: unknown): TenonError {
  return new TenonError('call/aborted', 'the call was cancelled', { peer, cause });
}
