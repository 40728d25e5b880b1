import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { InputRequiredResult } from '../model/asking.js';
import type { Allowance } from './allowance.js';
import type { Link } from './link.js';
import type { ClientOptions } from './options.js';
import { answerTo, mostRounds, tooManyRounds, unlessAborted } from './questions.js';

/**
 * Sends a request again until its answer is final, which this one is not: each time the server asks, what it asks is answered with the handlers that
 * also answer its requests, and the request goes again. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function rounds(
  asking: JsonObject,
  params: JsonObject,
  send: (params: JsonObject) => Promise<JsonObject>,
  link: Link,
  options: ClientOptions,
  allowance: Allowance,
  signal: AbortSignal | undefined,
): Promise<JsonObject> {
  const most = mostRounds(options);
  let result = asking;
  for (let round = 0; result.resultType === 'input_required'; round++) {
    if (round === most) throw tooManyRounds(link, most);
    const { inputRequests, requestState } = checked(result, link);
    const inputResponses = inputRequests && (await answers(inputRequests, link, options, allowance, signal));
    result = await send({
      ...params,
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(requestState === undefined ? {} : { requestState }),
    });
  }
  return result;
}

/** The call's own time stands still until all are answered. */
async function answers(
  requests: NonNullable<InputRequiredResult['inputRequests']>,
  link: Link,
  options: ClientOptions,
  { clock }: Allowance,
  signal: AbortSignal = new AbortController().signal,
): Promise<JsonObject> {
  const goOn = clock.hold();
  const all = Object.entries(requests).map(
    async ([key, request]) => [key, await answerTo(request, link, options, { signal })] as const,
  );
  return Object.fromEntries(await unlessAborted(Promise.all(all), signal, link.peer).finally(goOn));
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
    isObject(each) && typeof each.method === 'string' && (each.params == null || isObject(each.params));
  return isObject(requests) && Object.values(requests).every(wellFormed);
}
