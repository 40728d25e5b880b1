import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';

export interface GenerationTimeout {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds; absent: for ever. */
  readonly ms?: number;
  /** Who is waited for, as errors name it. */
  readonly peer: string;
}

/** Waits for work until the signal or the clock ends it: `sampling/aborted`, `sampling/late`. The work's own signal is aborted then. */
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
      end(new TenonError('sampling/aborted', 'the answer is no longer wanted', { peer, cause: signal.reason }));
    const late = () =>
      end(new TenonError('sampling/late', `there was no answer within ${ms} ms`, { peer, hint: 'raise `timeout`' }));
    signal.addEventListener('abort', abort, { once: true });
    const off = ms === undefined ? () => {} : clock.after(ms, late, { hold: true });
    const rest = () => {
      off();
      signal.removeEventListener('abort', abort);
    };
    if (signal.aborted) abort();
    if (controller.signal.aborted) return rest();
    work(controller.signal).then(resolve, reject).finally(rest);
  });
}
