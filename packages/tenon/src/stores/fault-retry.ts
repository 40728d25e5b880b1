import type { Clock } from '../cancellation/clock.js';
import { TenonError } from '../jsonrpc/error.js';

/** Pause before the first repetition; each further one is twice as long, in milliseconds. */
const INITIAL_DELAY = 50;
/** Longest pause between two attempts, in milliseconds. */
const MAX_DELAY = 5000;

/** Repetition of failed calls of a store. */
export interface FaultRetryOptions {
  readonly clock: Clock;
  /** Time after which the fault is thrown, in milliseconds. Default: never. */
  readonly maxElapsed?: number | undefined;
  /** Called once, when the first attempt fails. */
  readonly onFault?: ((error: TenonError) => void) | undefined;
}

/** Errors about the call itself: to repeat it changes nothing. */
const PERMANENT = /^store\/(key|value|value-too-large|option|closed|schema|lease-lost|file-replaced)$/;

/** Repeats a call of a store for as long as the store has a fault: it is busy, full, locked or out of reach. */
export async function retryStoreFaults<T>(
  attempt: () => Promise<T>,
  { clock, maxElapsed = Number.POSITIVE_INFINITY, onFault }: FaultRetryOptions,
): Promise<T> {
  const startedAt = clock.now();
  for (let delay = INITIAL_DELAY; ; delay = Math.min(2 * delay, MAX_DELAY)) {
    try {
      return await attempt();
    } catch (error) {
      const fault = TenonError.from(error, 'store/failed');
      if (PERMANENT.test(fault.code) || clock.now() - startedAt >= maxElapsed) throw error;
      if (delay === INITIAL_DELAY) onFault?.(fault);
    }
    // Processes that failed together do not come back together.
    await new Promise<void>(resolve => clock.after(delay * (0.5 + Math.random() / 2), resolve));
  }
}
