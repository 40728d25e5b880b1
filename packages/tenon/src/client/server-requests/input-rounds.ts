import {
  type AbortSignalLike,
  checkNullable,
  checkObject,
  checkRecord,
  checkString,
  type JsonObject,
  LazyAbortSignal,
  rejectOnAbort,
  TenonError,
} from '@tenon/base';
import type { InputRequiredResult } from '../../protocol/input-requests.js';
import { isInputRequired } from '../../protocol/methods.js';
import type { CallDeadline } from '../calls/call-deadline.js';
import type { Connection } from '../connection/connection.js';
import type { ClientOptions } from '../options.js';
import {
  answerInputRequest,
  createCallAbortedError,
  createTooManyRoundsError,
  getMaxRounds,
  type ReadInputRequest,
  readInputRequest,
} from './input-requests.js';

/** An input request and its key. */
type NamedInputRequest = readonly [key: string, request: ReadInputRequest];

/**
 * Repeats a request until its result is final. The handlers for server requests answer the input requests of each
 * round.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function resolveInputRequests(
  first: JsonObject,
  params: JsonObject,
  send: (params: JsonObject) => Promise<JsonObject>,
  connection: Connection,
  options: ClientOptions,
  deadline: CallDeadline,
  signal: AbortSignalLike | undefined,
): Promise<JsonObject> {
  const maxRounds = getMaxRounds(options);
  let result = first;
  for (let round = 0; result.resultType === 'input_required'; round++) {
    if (round === maxRounds) throw createTooManyRoundsError(connection, maxRounds);
    const { inputRequests, requestState } = await readRound(result, connection);
    const inputResponses =
      inputRequests && (await answerInputRequests(inputRequests, connection, options, deadline, signal));
    result = await send({
      ...params,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    });
  }
  return result;
}

/**
 * Answers input requests, until the caller aborts the call or the connection ends. The timeout of the call is paused
 * meanwhile.
 */
async function answerInputRequests(
  requests: readonly NamedInputRequest[],
  connection: Connection,
  options: ClientOptions,
  { clock }: CallDeadline,
  signal: AbortSignalLike | undefined,
): Promise<JsonObject> {
  const { endSignal } = connection;
  const ending = new LazyAbortSignal();
  const abort = () => ending.abort(signal?.aborted ? signal.reason : endSignal.reason);
  const createError = (reason: unknown) =>
    signal?.aborted ? createCallAbortedError(connection.peer, reason) : endSignal.reason;
  const signals = signal === undefined ? [endSignal] : [signal, endSignal];
  for (const each of signals) {
    if (each.aborted) abort();
    each.addEventListener('abort', abort);
  }
  const resume = clock.pause();
  try {
    const all = requests.map(
      async ([key, request]) =>
        [key, await answerInputRequest(request, connection, options, { signal: ending })] as const,
    );
    return Object.fromEntries(await rejectOnAbort(Promise.all(all), ending, createError));
  } finally {
    resume();
    for (const each of signals) each.removeEventListener('abort', abort);
  }
}

/**
 * Reads a result that requests input, for a caller that answers it.
 * @throws TenonError `peer/invalid-result` for a malformed input request.
 */
export async function readInputRequired(result: JsonObject, connection: Connection): Promise<JsonObject> {
  const { inputRequests } = await readRound(result, connection);
  return inputRequests === undefined ? result : { ...result, inputRequests: Object.fromEntries(inputRequests) };
}

async function readRound(
  result: JsonObject,
  connection: Connection,
): Promise<{ readonly inputRequests?: readonly NamedInputRequest[]; readonly requestState?: string | undefined }> {
  const { inputRequests, requestState } = checkInputRequired(result, connection);
  if (inputRequests === undefined) return { requestState };
  const read = Object.entries(inputRequests).map(
    async ([key, request]) => [key, await readInputRequest(request, connection)] as const,
  );
  return { inputRequests: await Promise.all(read), requestState };
}

const checkMembers = checkObject({
  'inputRequests?': checkRecord(checkObject({ method: checkString, 'params?': checkNullable(checkObject()) })),
  'requestState?': checkString,
});

function checkInputRequired(result: JsonObject, connection: Connection): InputRequiredResult {
  const { inputRequests, requestState } = result;
  const isEmpty = inputRequests === undefined && requestState === undefined;
  const issue = isEmpty ? 'it has neither `inputRequests` nor `requestState`' : checkMembers(result);
  if (issue === undefined && isInputRequired(result)) return result;
  throw new TenonError('peer/invalid-result', `the result that requests input is malformed: ${issue}`, {
    peer: connection.peer,
  });
}
