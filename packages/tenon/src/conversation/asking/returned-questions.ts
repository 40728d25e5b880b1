import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { InputRequests, InputResponses } from '../../model/asking.js';
import { within } from '../../model/check.js';
import { type MethodName, methods } from '../../model/methods.js';
import type { Inputs } from '../../model/shapes.js';

/** Questions that a handler returned, with the answers that a retry brought. */
export interface AnsweredQuestions {
  /** Input of the next entry of the handler: its own state and the answers so far. */
  readonly inputs: Inputs;
  /** Questions without an answer, to be asked again. Undefined when all are answered. */
  readonly unanswered: InputRequests | undefined;
}

/**
 * Adds the answers of a retry to those of earlier rounds. Answers to other questions are dropped. Throws -32602 for an
 * answer that does not fit its question.
 */
export function addAnswers(
  questions: InputRequests,
  inputs: Inputs,
  inputResponses: InputResponses = {},
): AnsweredQuestions {
  const entries = Object.entries(questions);
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

/** Returns the answer if it is one to a question of this method. Throws -32602 otherwise. */
export function readAnswer(key: string, method: string, answer: unknown): JsonObject {
  const problem = methods[method as MethodName].result(answer);
  const where = problem && within(`/inputResponses/${key}`, problem);
  if (where || !isObject(answer)) throw rpcError(INVALID_PARAMS, `Invalid params: ${where}`);
  return answer;
}
