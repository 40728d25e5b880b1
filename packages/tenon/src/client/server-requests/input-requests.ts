import { type JsonObject, TenonError } from '@tenon/base';
import { type TolerantConnection, tolerate } from '../../jsonrpc/tolerance.js';
import { readMethod, readParams } from '../../protocol/tolerant-reading.js';
import type { Connection } from '../connection/connection.js';
import type { InternalRequestInfo } from '../options.js';
import { findIssue, findMissingHandler, handleServerRequest, type ServerRequestOptions } from './request-handlers.js';

/** Default maximum number of times that a server may request input within one call. */
const MAX_ROUNDS = 10;

export function getMaxRounds({ maxRounds = MAX_ROUNDS }: { readonly maxRounds?: number | undefined }): number {
  return maxRounds;
}

/** An input request in a result, with the members that it may lack. */
export interface ReceivedInputRequest {
  readonly method: string;
  readonly params?: object | null | undefined;
}

/** An input request in the form of the newest version, without an issue. */
export interface ReadInputRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Reads an input request in a result, in the form of the newest version.
 * @throws TenonError `peer/invalid-result` for a malformed one, so that no handler gets it.
 */
export async function readInputRequest(
  { method: receivedMethod, params: received, ...rest }: ReceivedInputRequest,
  connection: TolerantConnection,
): Promise<ReadInputRequest> {
  const method = readMethod(connection, receivedMethod);
  const createError = (issue: string): TenonError =>
    new TenonError('peer/invalid-result', `the input request ${method} is malformed: ${issue}`, {
      peer: connection.peer,
    });
  if (received === null && !tolerate(connection, 'null-member', method, 'null counts as absent at /params'))
    throw createError('at /params: expected no null');
  const params = readParams(connection, method, { ...received });
  const issue = await findIssue(method, params);
  if (issue !== undefined) throw createError(issue);
  return { ...rest, method, params };
}

/** Answers an input request in a result with the handler for the equivalent request of the server. */
export async function answerInputRequest(
  { method, params }: ReadInputRequest,
  { peer }: Pick<Connection, 'peer'>,
  answers: ServerRequestOptions,
  info: Pick<InternalRequestInfo, 'signal' | 'task'>,
): Promise<JsonObject> {
  try {
    return await handleServerRequest(method, params, answers, { ...info, server: peer, progress: () => {} }, true);
  } catch (error) {
    // The caller has ended the call, and gets no error of the handler.
    if (info.signal.aborted) throw error;
    // Few input requests fail, so the text of their error is loaded on first use.
    const { createUnansweredRequestError } = await import('./unanswered-request-error.js');
    throw createUnansweredRequestError(method, peer, findMissingHandler(method, params, answers), error);
  }
}

export function createTooManyRoundsError({ peer }: Pick<Connection, 'peer'>, maxRounds: number): TenonError {
  return new TenonError('call/too-many-rounds', `the server requested input in more than ${maxRounds} rounds`, {
    peer,
    hint: 'raise `maxRounds` if the server needs that many rounds',
  });
}

export function createCallAbortedError(peer: string, cause: unknown): TenonError {
  return new TenonError('call/aborted', 'the call was cancelled', { peer, cause });
}
