import type { Clock, Stores } from '@tenon/base';

/** Time after which the clocks are compared again, in milliseconds. */
const MAX_AGE = 60_000;
/** Time after which the clocks are compared again when the store did not respond, in milliseconds. */
const RETRY_DELAY = 5000;
/** Milliseconds by which the time of day jumped, after which the clocks are compared again: it was set, or the machine slept. */
const MAX_JUMP = 100;

/** A clock that shows the time of a store, so that the clocks of two processes are never compared. */
export interface StoreClock extends Clock {
  /**
   * Compares the clock of this process with that of the store, if this was not done in the last minute. Returns
   * `undefined` if nothing has to be done. Rejects when the store does not respond.
   */
  sync(): Promise<void> | undefined;
}

/** Creates a clock with the time of the store. It is the clock of this process if the store has no time of its own. */
export function createStoreClock({ now: readTime }: Pick<Stores, 'now'>, clock: Clock): StoreClock {
  let offset = 0;
  let comparedAt = Number.NEGATIVE_INFINITY;
  let maxAge = MAX_AGE;
  let startOfDay = 0;
  let comparing: Promise<void> | undefined;

  const compareClocks = async (read: () => Promise<number>): Promise<void> => {
    maxAge = RETRY_DELAY;
    try {
      const time = await read();
      // The time is that before the response travelled, so this clock is never ahead of the store.
      offset = time - clock.now();
      maxAge = MAX_AGE;
    } finally {
      comparedAt = clock.elapsed();
      startOfDay = clock.now() - comparedAt;
      comparing = undefined;
    }
  };
  const sync = (): Promise<void> | undefined => {
    if (readTime === undefined) return undefined;
    const time = clock.elapsed();
    const hasJumped = Math.abs(clock.now() - time - startOfDay) > MAX_JUMP;
    if (!hasJumped && time - comparedAt < maxAge) return undefined;
    comparing ??= compareClocks(readTime);
    return comparing;
  };
  return {
    sync,
    now() {
      // The caller needs the time at once. The next caller gets the corrected one.
      sync()?.catch(() => {});
      return clock.now() + offset;
    },
    elapsed: () => clock.elapsed(),
    after: (ms, run, options) => clock.after(ms, run, options),
  };
}
