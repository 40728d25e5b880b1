import type { AbortSignalLike } from './lazy-abort-signal.js';

/**
 * Settles as `work` does, or rejects when the signal is aborted, whichever is first. The work itself continues.
 * @param createError Creates the error from the reason of the signal. Default: the reason itself.
 */
export function rejectOnAbort<T>(
  work: Promise<T>,
  signal: AbortSignalLike | undefined,
  createError: (reason: unknown) => unknown = reason => reason,
): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(createError(signal.reason));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
