import { isObject, type JsonObject } from '../json/json-object.js';
import { type ErrorDetails, rpcError, TenonError } from './error.js';
import { INTERNAL_ERROR } from './error-codes.js';
import type { ErrorObject } from './error-object.js';

/** Advice for a request that the peer may have executed. No other advice may lead to a second effect. */
export const OUTCOME_ADVICE =
  'check the effect before you send the request again, because the server may have executed it';

/** Code of the error of a request that the peer may have executed. */
export const OUTCOME_UNKNOWN = 'call/outcome-unknown';

/**
 * Codes of errors that lost the connection before the response arrived. A call without side effects is then sent again.
 */
const CONNECTION_LOSS =
  /^(call\/outcome-unknown|connection\/(closed|unresponsive)|http\/interrupted|session\/rejected|stdio\/(exited|output-closed|write-failed))$/;

/** Tells if an error lost the connection before the response arrived. */
export function isConnectionLoss({ code }: TenonError): boolean {
  return CONNECTION_LOSS.test(code);
}

/** Tells if an HTTP request got no response, or not the whole response, because of the connection. */
export function isConnectionFailure(error: unknown): boolean {
  return TenonError.is(error) && /^http\/(unreachable|interrupted)$/.test(error.code);
}

/** Tells if an error of this program, such as that of its sign-in or configuration, kept a request from being executed. */
export function isOwnError({ code }: TenonError): boolean {
  return /^(auth|cli|host|config|lock|policy)\//.test(code);
}

/** Creates the error of a request that got an error response, with any HTTP status. */
export function createPeerError(
  { code: rpcCode, message, data }: Pick<ErrorObject, 'message' | 'data'> & { readonly code?: number | undefined },
  details: ErrorDetails,
): TenonError {
  const isUnknown = hasUnknownOutcome(data);
  const advice = isUnknown ? OUTCOME_ADVICE : details.hint;
  const hint = hasExecuted(data) ? EXECUTED_ADVICE : advice;
  return new TenonError(isUnknown ? OUTCOME_UNKNOWN : 'peer/error', message, { ...details, rpcCode, data, hint });
}

/** Member of the data of an error response that says that the request may have been executed. */
export const UNKNOWN_OUTCOME = { outcome: 'unknown' } as const;

/** Tells if the data of an error response says that the request may have been executed. */
export function hasUnknownOutcome(data: unknown): boolean {
  return isObject(data) && data.outcome === 'unknown';
}

/** Advice for a request that the server has executed, and whose result was refused on its way. */
export const EXECUTED_ADVICE =
  'do not send the request again, because the server has executed it, and report the result to its author';

/** Member of the data of an error that says that the server has executed the request, and its result was refused. */
export const EXECUTED = { outcome: 'executed' } as const;

/** Tells if the data of an error says that the server has executed the request. */
export function hasExecuted(data: unknown): boolean {
  return isObject(data) && data.outcome === EXECUTED.outcome;
}

/** Creates the error for the peer whose request may have been executed. The data marks it for programs. */
export function createUnknownOutcomeError(summary: string, data: JsonObject = {}): TenonError {
  return rpcError(INTERNAL_ERROR, summary, { ...data, ...UNKNOWN_OUTCOME });
}

/** Creates the error object of a request that may have been executed, and whose process no longer responds. */
export function createUnknownOutcomeObject(summary: string, code = INTERNAL_ERROR): ErrorObject {
  return { code, message: `${summary}. The request may have taken effect`, data: UNKNOWN_OUTCOME };
}
