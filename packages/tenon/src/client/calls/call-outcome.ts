import {
  hasExecuted,
  isConnectionLoss,
  isOwnError,
  isRefusedForNow,
  OUTCOME_ADVICE,
  OUTCOME_UNKNOWN,
  TenonError,
  UNKNOWN_OUTCOME,
  withDetails,
} from '@tenon/base';
import { isReadOnly } from '../../protocol/methods.js';
import { CURSOR_EXPIRED } from './pages.js';

/** Codes of errors that occur before the server executes a request. */
const NOT_EXECUTED =
  /^connect\/|^call\/(not-.+|unwritable|cursor-gone)$|^connection\/(not-open|used)$|^http\/(unreachable|redirected|bad-url|invalid-header|no-endpoint|foreign-endpoint)$|^session\/gone$|^stdio\/(spawn|not-serializable|queue-full|unsafe-argument)$/;

/** Codes of error responses. Other errors with a JSON-RPC code describe an invalid response. */
const ANSWERED = /^((peer|rpc)\/error|tool\/failed)$/;

const REQUEST_TIMEOUT = 408;

/** Requests that open a connection. If one fails, the call was not sent. */
const OPENING = /^(initialize|server\/discover)$/;

/** Tells if the server may have executed a request that failed with this error. */
export function mayHaveExecuted(error: TenonError): boolean {
  const { code, status = 0, method = '' } = error;
  if (ANSWERED.test(code) || NOT_EXECUTED.test(code) || OPENING.test(method) || isOwnError(error)) return false;
  if (isRefusedForNow(error)) return false;
  return code !== 'http/status' || status < 400 || status >= 500 || status === REQUEST_TIMEOUT;
}

/**
 * Adds to the error of a call that the server may have executed it, with the advice to check the effect. Its code stays,
 * unless the connection was lost. Returns other errors unchanged.
 */
export function adviseOutcome(error: TenonError, method = error.method): TenonError {
  const { code, hint, data, summary, peer } = error;
  // A caller that has aborted a call knows it, and the error of a refused result says that the server has executed it.
  if (!mayHaveExecuted(error) || code === OUTCOME_UNKNOWN || code === 'call/aborted' || hasExecuted(data)) return error;
  if (isConnectionLoss(error))
    return new TenonError(OUTCOME_UNKNOWN, summary, {
      peer,
      method,
      hint: `${OUTCOME_ADVICE}, or pass \`idempotent: true\` if repeating is harmless`,
      cause: error,
    });
  return withDetails(error, {
    method,
    hint: hint ? `${OUTCOME_ADVICE}; then ${hint}` : OUTCOME_ADVICE,
    data: Object.assign({}, data, UNKNOWN_OUTCOME),
  });
}

/**
 * Creates the error of a request that was sent twice. It has the code of the second attempt, and it says that the first
 * attempt may have been executed.
 */
export function describeBothAttempts(first: TenonError, second: TenonError, method: string): TenonError {
  if (second.code === CURSOR_EXPIRED) return second;
  const mayHaveRun = mayHaveExecuted(first) && !isReadOnly(method);
  // The server's message stays unchanged, because programs compare it and a gateway forwards it.
  const isAnswer = ANSWERED.test(second.code);
  const firstAttempt = `the first attempt failed (${first.code}: ${first.summary})`;
  const next = mayHaveRun ? `${OUTCOME_ADVICE} once` : second.hint;
  return new TenonError(
    mayHaveRun && !isAnswer && second.code !== 'call/aborted' ? OUTCOME_UNKNOWN : second.code,
    isAnswer ? second.summary : `${second.summary}; ${firstAttempt}`,
    {
      ...second,
      hint: isAnswer ? `${next ?? 'read the answer'} (${firstAttempt})` : next,
      cause: new AggregateError([first, second], 'both attempts failed'),
    },
  );
}
