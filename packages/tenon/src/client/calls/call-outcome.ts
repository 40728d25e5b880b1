import { TenonError } from '../../jsonrpc/error.js';
import type { Connection } from '../connection/connection.js';
import { isReadOnly } from './call-checks.js';
import { CURSOR_EXPIRED } from './pages.js';

/** The connection was lost while the answer was awaited. A request that does no harm twice is sent again. */
const CONNECTION_LOSS = new Set([
  'call/outcome-unknown',
  'connection/closed',
  'connection/unresponsive',
  'http/interrupted',
  'session/rejected',
  'stdio/exited',
  'stdio/output-closed',
  'stdio/write-failed',
]);

/** The request was not sent, or was refused before anything was done. */
const NOT_EXECUTED =
  /^(auth|connect|host|config|lock|policy)\/|^call\/(not-.+|unwritable|cursor-gone)$|^connection\/(not-open|used)$|^http\/(unreachable|redirected|bad-url|no-endpoint|foreign-endpoint)$|^session\/gone$|^stdio\/(spawn|not-serializable|queue-full|unsafe-argument)$/;

/** The server answered. Other errors with a code of JSON-RPC are about what it sent instead of an answer. */
const ANSWERED = new Set(['peer/error', 'http/refused', 'rpc/error', 'tool/failed']);

const REQUEST_TIMEOUT = 408;

/** Tells if an error means that the connection was lost before the response came. */
export function isConnectionLoss({ code }: TenonError): boolean {
  return CONNECTION_LOSS.has(code);
}

/** Tells if the server may have executed a request that was passed to the transport and failed with this error. */
export function mayHaveExecuted({ code, status = 0 }: TenonError): boolean {
  if (ANSWERED.has(code) || NOT_EXECUTED.test(code)) return false;
  return code !== 'http/status' || status < 400 || status >= 500 || status === REQUEST_TIMEOUT;
}

export function toOutcomeUnknownError(
  cause: TenonError,
  { peer }: Pick<Connection, 'peer'>,
  method: string,
): TenonError {
  if (cause.code === 'call/outcome-unknown') return cause;
  return new TenonError(
    'call/outcome-unknown',
    `the connection broke before the response, and the server may have executed the call: ${cause.summary}`,
    {
      peer,
      method,
      hint: 'check the effect before you repeat the call, or pass `idempotent: true` if repeating is harmless',
      cause,
    },
  );
}

/** The error of a request that was sent twice: the second attempt decides, and the first may have been carried out. */
export function describeBothAttempts(first: TenonError, second: TenonError, method: string): TenonError {
  if (second.code === CURSOR_EXPIRED) return second;
  const mayHaveRun = mayHaveExecuted(first) && !isReadOnly(method);
  const { rpcCode, data, status, peer } = second;
  // The server's message stays as it is, because programs compare it and a gateway forwards it.
  const isAnswer = ANSWERED.has(second.code);
  const firstAttempt = `the first attempt failed (${first.code}: ${first.summary})`;
  const next = mayHaveRun
    ? 'check the effect before you repeat the call, because the server may have executed it once'
    : second.hint;
  return new TenonError(
    mayHaveRun && !isAnswer && second.code !== 'call/aborted' ? 'call/outcome-unknown' : second.code,
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
