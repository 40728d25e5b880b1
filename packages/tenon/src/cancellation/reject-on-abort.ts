import type { AbortSignalLike } from './lazy-abort-signal.js';

/** Settles as the work does, or rejects with the reason of the signal, whichever is first. The work itself goes on. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignalLike | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
