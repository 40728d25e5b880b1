import { type Clock, TenonError } from '@tenon/base';

/** Delay before the first repetition, in milliseconds. Each further delay is twice as long. */
const INITIAL_DELAY = 50;
/** Time for which a request waits for a store that has a fault, in milliseconds. */
const MAX_FAULT_TIME = 30_000;
/** Maximum delay between two attempts, in milliseconds. */
const MAX_DELAY = 5000;

/** Options for the repetition of failed store calls. */
export interface FaultRetryOptions {
  readonly clock: Clock;
  /**
   * Time after which the call fails with the fault, in milliseconds.
   * @default 30,000
   */
  readonly maxElapsed?: number | undefined;
  /** Called once, when the first attempt fails. */
  readonly onFault?: ((error: TenonError) => void) | undefined;
}

/** Errors that the call itself causes, and those of other parts than the store. A repetition would fail too. */
const PERMANENT =
  /^(?!store\/)|^store\/(key|value|value-too-large|option|closed|schema|unknown-format|lease-lost|file-replaced)$/;

/** Repeats a call of a store while the store has a fault: it is busy, full, locked or unreachable. */
export async function retryStoreFaults<T>(
  attempt: () => Promise<T>,
  { clock, maxElapsed = MAX_FAULT_TIME, onFault }: FaultRetryOptions,
): Promise<T> {
  const startedAt = clock.elapsed();
  for (let delay = INITIAL_DELAY; ; delay = Math.min(2 * delay, MAX_DELAY)) {
    try {
      return await attempt();
    } catch (error) {
      const fault = TenonError.from(error, 'store/failed');
      if (PERMANENT.test(fault.code) || clock.elapsed() - startedAt >= maxElapsed) throw error;
      if (delay === INITIAL_DELAY) onFault?.(fault);
    }
    // A random delay keeps processes that failed together from retrying together.
    await new Promise<void>(resolve => clock.after(delay * (0.5 + Math.random() / 2), resolve));
  }
}
