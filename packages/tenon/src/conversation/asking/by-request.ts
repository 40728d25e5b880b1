import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { InputRequiredResult, InputResponses } from '../../model/asking.js';
import type { Inputs } from '../../model/shapes.js';
import type { Ask, Asking } from './asking.js';

const MAX_ROUNDS = 32;

/**
 * A question is a request of its own, on the stream of the call. A handler that returns its questions instead has
 * them asked one by one, and is entered again with the answers.
 */
export function byRequest(ask: Ask): Asking {
  return async asker => {
    let inputs: Inputs = {};
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const result = await asker(ask, inputs);
      if (result.resultType !== 'input_required') return result;
      inputs = await answers(result as unknown as InputRequiredResult, ask);
    }
    throw new TenonError('handler/endless-questions', `the handler still asks after ${MAX_ROUNDS} rounds`);
  };
}

async function answers({ inputRequests = {}, requestState }: InputRequiredResult, ask: Ask): Promise<Inputs> {
  const asked = Object.entries(inputRequests).map(async ([key, { method, params }]) => {
    const answer = await ask(method, isObject(params) ? (params as JsonObject) : {});
    return [key, answer] as const;
  });
  const inputResponses = Object.fromEntries(await Promise.all(asked)) as unknown as InputResponses;
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}
