import type { Clock } from '../../cancellation/clock.js';
import { runWithTimeout } from '../../cancellation/run-with-timeout.js';
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
  return runWithTimeout(own => work(own.signal), {
    clock,
    timeout: ms,
    hold: true,
    signal,
    onTimeout() {
      throw new TenonError('sampling/timeout', `the model timed out after ${ms} ms`, {
        peer,
        hint: 'raise `timeout` of the sampling options',
      });
    },
    onAbort(cause) {
      throw new TenonError('sampling/aborted', 'the sampling request was cancelled', { peer, cause });
    },
  });
}
