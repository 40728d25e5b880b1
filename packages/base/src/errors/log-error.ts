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
