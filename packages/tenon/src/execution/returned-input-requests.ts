import { INVALID_PARAMS, isObject, type JsonObject, prependPath, rpcError } from '@tenon/base';
import type { InputRequests, InputResponses } from '../protocol/input-requests.js';
import type { MethodName } from '../protocol/method-types.js';
import { methods } from '../protocol/methods.js';
import type { RetryInputs } from '../protocol/params-and-results.js';

/** Input requests that a handler returned, combined with the answers of a retry. */
export interface AnsweredRequests {
  /** Inputs of the next run of the handler: its own state and the answers so far. */
  readonly inputs: RetryInputs;
  /** Input requests without an answer, to be sent again. Undefined when all are answered. */
  readonly unanswered: InputRequests | undefined;
}

/**
 * Adds the answers of a retry to those of earlier rounds. Answers without a request are dropped. Throws -32602 for an
 * answer that does not match its input request.
 */
export function addAnswers(
  inputRequests: InputRequests,
  inputs: RetryInputs,
  inputResponses: InputResponses = {},
): AnsweredRequests {
  const entries = Object.entries(inputRequests);
  const isAnswered = (key: string) => Object.hasOwn(inputResponses, key);
  const answers = entries
    .filter(([key]) => isAnswered(key))
    .map(([key, { method }]) => [key, readAnswer(key, method, inputResponses[key])] as const);
  const unanswered = entries.filter(([key]) => !isAnswered(key));
  const all = [...Object.entries(inputs.inputResponses ?? {}), ...answers];
  return {
    inputs: { ...inputs, inputResponses: Object.fromEntries(all) as InputResponses },
    unanswered: unanswered.length > 0 ? Object.fromEntries(unanswered) : undefined,
  };
}

/** Returns the answer if it is valid for an input request of this method. Throws -32602 otherwise. */
export function readAnswer(key: string, method: string, answer: unknown): JsonObject {
  const issue = methods[method as MethodName].result(answer);
  const where = issue && prependPath(`/inputResponses/${key}`, issue);
  if (where || !isObject(answer)) throw rpcError(INVALID_PARAMS, `Invalid params: ${where}`);
  return answer;
}
