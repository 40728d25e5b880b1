import type { Clock } from './clock.js';
import { type AbortSignalLike, LazyAbortSignal } from './lazy-abort-signal.js';

export interface TimeoutOptions<R> {
  readonly clock: Clock;
  /**
   * Timeout in milliseconds.
   * @default none
   */
  readonly timeout?: number | undefined;
  /**
   * Keeps the process alive until the work or the timeout ends.
   * @default `false`
   */
  readonly hold?: boolean | undefined;
  /** Called after the timeout. Returns the result or throws the error. */
  readonly onTimeout: () => R;
  /** Aborting this signal ends the wait. */
  readonly signal?: AbortSignalLike | undefined;
  /**
   * Called after the signal is aborted. Returns the result or throws the error.
   * @default throws the reason of the signal
   */
  readonly onAbort?: ((reason: unknown) => R) | undefined;
}

/**
 * Runs work with a timeout. After the timeout or an abort, the signal of the work is aborted with the error that
 * `onTimeout` or `onAbort` throws.
 *
 * Later results and errors of the work are dropped. Work with an already aborted signal does not start.
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
