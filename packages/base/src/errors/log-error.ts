import { TenonError } from './error.js';

declare const console: { error(...parts: unknown[]): void } | undefined;

/** Writes an error without its cause, which may contain text of another server: the default of `onError` of hosts. */
export function logErrorMessage({ code, message }: TenonError): void {
  console?.error(`tenon: ${code}: ${message}`);
}

/** Writes an error to standard error, or to the console of the runtime: the default of `onError`. */
export function logError(error: unknown): void {
  const { code, message, cause } = TenonError.from(error);
  // The message already has the text of a cause that is no object.
  console?.error(`tenon: ${code}: ${message}`, ...(typeof cause === 'object' && cause !== null ? [cause] : []));
}

/**
 * Creates a function that reports errors to `onError`. It never throws: an exception of `onError` is ignored, and so is a
 * promise that rejects, because no handler is left that could get it.
 */
export function createErrorReporter<T = TenonError>(onError: ((error: T) => void) | undefined): (error: T) => void {
  // A promise catches both. It calls `onError` at once.
  return error => void new Promise<unknown>(resolve => resolve(onError?.(error))).catch(() => undefined);
}
