import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { InputRequiredResult } from '../model/asking.js';
import { answer } from './answering.js';
import type { Link } from './link.js';
import type { ClientOptions } from './options.js';

const MAX_ROUNDS = 10;

/**
 * Sends a request until its answer is final: each time the server asks, what it asks is answered with the handlers that
 * also answer its requests, and the request goes again. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function rounds(
  params: JsonObject,
  send: (params: JsonObject) => Promise<JsonObject>,
  link: Link,
  options: ClientOptions,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  const most = options.maxRounds ?? MAX_ROUNDS;
  let result = await send(params);
  for (let round = 0; result.resultType === 'input_required'; round++) {
    if (round === most) throw tooMany(link, most);
    const { inputRequests, requestState } = checked(result, link);
    const inputResponses = inputRequests && (await answers(inputRequests, link, options, signal));
    result = await send({
      ...params,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    });
  }
  return result;
}

async function answers(
  requests: NonNullable<InputRequiredResult['inputRequests']>,
  link: Link,
  options: ClientOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonObject> {
  const about = { signal, server: link.peer };
  const all = Object.entries(requests).map(async ([key, { method, params }]) => {
    try {
      return [key, await answer(method, (params ?? {}) as JsonObject, options, about)] as const;
    } catch (error) {
      throw unfulfilled(link, method, error);
    }
  });
  return Object.fromEntries(await unlessAborted(Promise.all(all), signal, link));
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal, { peer }: Link): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () =>
      reject(new TenonError('call/aborted', 'the caller gave the call up', { peer, cause: signal.reason }));
    const rest = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(rest);
    if (signal.aborted) abort();
  });
}

function checked(result: JsonObject, link: Link): InputRequiredResult {
  const { inputRequests, requestState } = result;
  const fine =
    (inputRequests === undefined || isQuestions(inputRequests)) &&
    (requestState === undefined || typeof requestState === 'string') &&
    (inputRequests !== undefined || requestState !== undefined);
  if (fine) return result as unknown as InputRequiredResult;
  throw new TenonError('peer/invalid-result', 'the server asks for input without saying which', { peer: link.peer });
}

function isQuestions(requests: unknown): boolean {
  const wellFormed = (each: unknown) =>
    isObject(each) && typeof each.method === 'string' && (each.params === undefined || isObject(each.params));
  return isObject(requests) && Object.values(requests).every(wellFormed);
}

function unfulfilled(link: Link, method: string, error: unknown): TenonError {
  return new TenonError('call/cannot-answer', `the server asked ${method}, which could not be answered`, {
    peer: link.peer,
    got: TenonError.is(error) ? error.message : undefined,
    next: 'give `connect` a handler for it, or make the call with `manual: true` and answer yourself',
    cause: error,
  });
}

function tooMany(link: Link, most: number): TenonError {
  return new TenonError('call/too-many-rounds', `the server still asks after ${most} rounds`, {
    peer: link.peer,
    next: 'raise `maxRounds` if the server has reason to ask that often',
  });
}
