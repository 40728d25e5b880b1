import type { Clock } from './clock.js';
import { type AbortSignalLike, LazyAbortSignal } from './lazy-abort-signal.js';

export interface TimeoutOptions<R> {
  readonly clock: Clock;
  /** Timeout in ms. Default: none. */
  readonly timeout?: number | undefined;
  /** Keeps the process alive until the work or the timeout ends. Default false. */
  readonly hold?: boolean | undefined;
  /** Returns the result after the timeout, or throws the error. */
  readonly onTimeout: () => R;
  /** Ends the wait as the timeout does. */
  readonly signal?: AbortSignalLike | undefined;
  /** Returns the result after the signal is aborted, or throws the error. Default: throws the reason of the signal. */
  readonly onAbort?: ((reason: unknown) => R) | undefined;
}

/**
 * Runs work, and settles as it does unless the timeout or the signal is first. Then the signal of the work is aborted, with
 * the error that `onTimeout` or `onAbort` throws. Later results and errors of the work are dropped. When the signal is
 * aborted before, the work does not begin.
 */
export function runWithTimeout<T, R = never>(
  work: (signal: LazyAbortSignal) => Promise<T>,
  { clock, timeout = Number.POSITIVE_INFINITY, hold, onTimeout, signal, onAbort = throwReason }: TimeoutOptions<R>,
): Promise<T | R> {
  return new Promise((resolve, reject) => {
    const workSignal = new LazyAbortSignal();
    let cancelTimer: (() => void) | undefined;
    const cleanUp = () => {
      cancelTimer?.();
      signal?.removeEventListener('abort', abort);
    };
    const end = (getResult: () => R, reason?: unknown) => {
      cleanUp();
      try {
        resolve(getResult());
      } catch (error) {
        reason = error;
        reject(error);
      }
      workSignal.abort(reason);
    };
    const abort = () => end(() => onAbort(signal?.reason), signal?.reason);
    const fail = (error: unknown) => {
      cleanUp();
      reject(error);
    };

    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    if (timeout !== Number.POSITIVE_INFINITY) cancelTimer = clock.after(timeout, () => end(onTimeout), { hold });
    try {
      work(workSignal).then(result => {
        cleanUp();
        resolve(result);
      }, fail);
    } catch (error) {
      fail(error);
    }
  });
}

function throwReason(reason: unknown): never {
  throw reason;
}
