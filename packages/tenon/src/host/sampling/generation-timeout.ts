import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';

export interface GenerationTimeout {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Timeout in ms. Default: none. */
  readonly ms?: number;
  /** Name of the peer in errors. */
  readonly peer: string;
}

/** Waits for work until the signal or the clock ends it: `sampling/aborted`, `sampling/timeout`. The signal of the work is aborted then. */
export function withGenerationTimeout<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { signal, clock, ms, peer }: GenerationTimeout,
): Promise<T> {
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const end = (error: TenonError) => {
      reject(error);
      controller.abort(error);
    };
    const abort = () =>
      end(new TenonError('sampling/aborted', 'the sampling request was cancelled', { peer, cause: signal.reason }));
    const expire = () =>
      end(
        new TenonError('sampling/timeout', `the model timed out after ${ms} ms`, {
          peer,
          hint: 'raise `timeout` of the sampling options',
        }),
      );
    signal.addEventListener('abort', abort, { once: true });
    const cancelTimer = ms === undefined ? () => {} : clock.after(ms, expire, { hold: true });
    const cleanup = () => {
      cancelTimer();
      signal.removeEventListener('abort', abort);
    };
    if (signal.aborted) abort();
    if (controller.signal.aborted) return cleanup();
    work(controller.signal).then(resolve, reject).finally(cleanup);
  });
}
