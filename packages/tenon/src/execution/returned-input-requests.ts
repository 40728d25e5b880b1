import type { TolerantConnection } from '../jsonrpc/tolerance.js';
import type { InputRequests, InputResponses } from '../protocol/input-requests.js';
import { readInputResponse } from '../protocol/input-responses.js';
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
  connection: TolerantConnection,
  inputRequests: InputRequests,
  inputs: RetryInputs,
  inputResponses: InputResponses = {},
): AnsweredRequests {
  const entries = Object.entries(inputRequests);
  const isAnswered = (key: string) => Object.hasOwn(inputResponses, key);
  const answers = entries
    .filter(([key]) => isAnswered(key))
    .map(([key, { method }]) => [key, readInputResponse(connection, key, method, inputResponses[key])] as const);
  const unanswered = entries.filter(([key]) => !isAnswered(key));
  const all = [...Object.entries(inputs.inputResponses ?? {}), ...answers];
  return {
    inputs: { ...inputs, inputResponses: Object.fromEntries(all) as InputResponses },
    unanswered: unanswered.length > 0 ? Object.fromEntries(unanswered) : undefined,
  };
}
