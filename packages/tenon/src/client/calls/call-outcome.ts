import { OUTCOME_UNKNOWN, TenonError } from '@tenon/base';
import type { Connection } from '../connection/connection.js';
import { isReadOnly } from './call-checks.js';
import { CURSOR_EXPIRED } from './pages.js';

/**
 * Codes of errors that lost the connection before the response arrived. A call without side effects is then sent again.
 */
const CONNECTION_LOSS = new Set([
  OUTCOME_UNKNOWN,
  'connection/closed',
  'connection/unresponsive',
  'http/interrupted',
  'session/rejected',
  'stdio/exited',
  'stdio/output-closed',
  'stdio/write-failed',
]);

/** Codes of errors that occur before the server executes a request. */
const NOT_EXECUTED =
  /^(auth|connect|host|config|lock|policy)\/|^call\/(not-.+|unwritable|cursor-gone)$|^connection\/(not-open|used)$|^http\/(unreachable|redirected|bad-url|no-endpoint|foreign-endpoint)$|^session\/gone$|^stdio\/(spawn|not-serializable|queue-full|unsafe-argument)$/;

/** Codes of error responses. Other errors with a JSON-RPC code describe an invalid response. */
const ANSWERED = new Set(['peer/error', 'http/refused', 'rpc/error', 'tool/failed']);

const REQUEST_TIMEOUT = 408;

/** Tells if an error lost the connection before the response arrived. */
export function isConnectionLoss({ code }: TenonError): boolean {
  return CONNECTION_LOSS.has(code);
}

/** Tells if the server may have executed a request that failed with this error. */
export function mayHaveExecuted({ code, status = 0 }: TenonError): boolean {
  if (ANSWERED.has(code) || NOT_EXECUTED.test(code)) return false;
  return code !== 'http/status' || status < 400 || status >= 500 || status === REQUEST_TIMEOUT;
}

export function toOutcomeUnknownError(
  cause: TenonError,
  { peer }: Pick<Connection, 'peer'>,
  method: string,
): TenonError {
  if (cause.code === OUTCOME_UNKNOWN) return cause;
  return new TenonError(
    OUTCOME_UNKNOWN,
    `the connection broke before the response, and the server may have executed the call: ${cause.summary}`,
    {
      peer,
      method,
      hint: 'check the effect before you repeat the call, or pass `idempotent: true` if repeating is harmless',
      cause,
    },
  );
}

/**
 * Creates the error of a request that was sent twice. It has the code of the second attempt, and it says that the first
 * attempt may have been executed.
 */
export function describeBothAttempts(first: TenonError, second: TenonError, method: string): TenonError {
  if (second.code === CURSOR_EXPIRED) return second;
  const mayHaveRun = mayHaveExecuted(first) && !isReadOnly(method);
  const { rpcCode, data, status, peer } = second;
  // The server's message stays unchanged, because programs compare it and a gateway forwards it.
  const isAnswer = ANSWERED.has(second.code);
  const firstAttempt = `the first attempt failed (${first.code}: ${first.summary})`;
  const next = mayHaveRun
    ? 'check the effect before you repeat the call, because the server may have executed it once'
    : second.hint;
  return new TenonError(
    mayHaveRun && !isAnswer && second.code !== 'call/aborted' ? OUTCOME_UNKNOWN : second.code,
    isAnswer ? second.summary : `${second.summary}; ${firstAttempt}`,
    {
      peer,
      method,
      expected: second.expected,
      received: second.received,
      hint: isAnswer ? `${next ?? 'read this as the answer to the second attempt'} (${firstAttempt})` : next,
      rpcCode,
      data,
      status,
      cause: new AggregateError([first, second], 'both attempts failed'),
    },
  );
}
