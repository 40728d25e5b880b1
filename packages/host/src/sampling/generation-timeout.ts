import { type Clock, runWithTimeout, TenonError } from '@tenon/base';

export interface GenerationTimeout {
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /**
   * Timeout in milliseconds.
   * @default none
   */
  readonly ms?: number;
  /** Name of the peer in errors. */
  readonly peer: string;
}

/**
 * Runs `work` until the signal aborts it or the timeout expires. The signal of the work is then aborted.
 *
 * @throws TenonError `sampling/aborted`, `sampling/timeout`
 */
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
