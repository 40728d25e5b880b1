import { INTERNAL_ERROR, isObject, rpcError, TenonError, toPublicText } from '@tenon/base';
import { isReservedCode } from '../protocol/reserved-codes.js';

/**
 * Tells if clients see the message of an error that is thrown in a handler. A function returns the text, or `undefined`
 * to hide the error.
 */
export type ExposeErrors = boolean | ((error: unknown) => string | undefined);

/**
 * Returns the text of a thrown error for clients, or `undefined` if they must not see it. It never contains more than
 * the message: no stack, cause, path of a file, or text that looks like a secret.
 */
export function describeExposedError(error: unknown, expose: ExposeErrors | undefined): string | undefined {
  if (expose === undefined || expose === false) return undefined;
  let message: unknown;
  try {
    if (expose !== true) message = expose(error);
    // The summary is the message without the peer and the other details that a `TenonError` adds to it.
    else if (TenonError.is(error)) message = error.summary;
    else message = isObject(error) || error instanceof Error ? error.message : error;
  } catch {
    // An error of the function itself, or of a getter of the thrown value, hides the error.
    return undefined;
  }
  if (typeof message !== 'string') return undefined;
  const text = toPublicText(message);
  return text === '' ? undefined : text;
}

/** Describes the error with which the client has answered an input request, for this client and its model. */
export function describeClientError({ method, summary, rpcCode }: TenonError): string {
  return `The client answered ${method ?? 'an input request'} with an error: ${toPublicText(summary)} (${rpcCode})`;
}

/** Returns the error of a client for this client, as the error of the request whose handler it ended. */
export function toClientError(error: TenonError): TenonError {
  const { rpcCode = INTERNAL_ERROR } = error;
  return rpcError(isReservedCode(rpcCode) ? INTERNAL_ERROR : rpcCode, describeClientError(error));
}

/**
 * Returns the error for the client if it may see the message of this error, else the error itself, which is masked.
 * `report` gets the original of an error that the client sees.
 */
export function exposeError(
  error: unknown,
  expose: ExposeErrors | undefined,
  report: (error: unknown) => void,
): unknown {
  if (TenonError.is(error) && (error.code === 'rpc/error' || error.code.startsWith('store/'))) return error;
  const message = describeExposedError(error, expose);
  if (message === undefined) return error;
  report(error);
  return rpcError(INTERNAL_ERROR, message);
}
