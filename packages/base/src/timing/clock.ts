/** A source of time and timers. Tests pass their own clock. */
export interface Clock {
  /** Returns the time of day, in milliseconds since 1970. It goes back or jumps when the machine's clock is set. */
  now(): number;
  /**
   * Returns milliseconds since a fixed point in time, for durations: timeouts, rates, delays. It never goes back, and
   * does not jump when the machine's clock is set. It may stop while the machine sleeps, as timers do.
   */
  elapsed(): number;
  /**
   * Calls `run` once after `ms` milliseconds. Returns a function that cancels the timer. A waiting timer does not keep
   * the process alive, unless `hold` is set.
   */
  after(ms: number, run: () => void, options?: { readonly hold?: boolean | undefined }): () => void;
}

/** Maximum delay of a timer of the platform, nearly 25 days, in milliseconds. With a longer one a timer fires at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1;
/**
 * A timer that fires so late, in milliseconds, waits once more for as long: the process did not run, so a message that
 * arrived in time is not read yet.
 */
export const LATE_TIMER = 1000;

/** Returns a number in browsers and on Workers, which has no `unref`. */
declare const setTimeout: (run: () => void, ms: number) => { unref?(): void };
declare const clearTimeout: (timer: never) => void;
declare const performance: { now(): number };

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.trunc(performance.now()),
  after(ms, run, options) {
    const delay = Math.min(ms, MAX_TIMER_DELAY);
    const lateAt = systemClock.elapsed() + delay + LATE_TIMER;
    const timer = setTimeout(() => {
      if (systemClock.elapsed() < lateAt) run();
      else cancel = systemClock.after(LATE_TIMER, run, options);
    }, delay);
    let cancel = () => clearTimeout(timer as never);
    if (!options?.hold) timer.unref?.();
    return () => cancel();
  },
};
