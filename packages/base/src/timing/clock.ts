/** A source of time and timers. Tests pass their own clock. */
export interface Clock {
  /** Returns milliseconds since a fixed point in time. */
  now(): number;
  /**
   * Calls `run` once after `ms` milliseconds. Returns a function that cancels the timer. A waiting timer does not keep
   * the process alive, unless `hold` is set.
   */
  after(ms: number, run: () => void, options?: { readonly hold?: boolean | undefined }): () => void;
}

/** Maximum delay of a timer of the platform, nearly 25 days, in milliseconds. With a longer one a timer fires at once. */
export const MAX_TIMER_DELAY = 2 ** 31 - 1;

declare const setTimeout: (run: () => void, ms: number) => { unref?(): void } | number;
declare const clearTimeout: (timer: never) => void;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run, { hold = false } = {}) {
    const timer = setTimeout(run, Math.min(ms, MAX_TIMER_DELAY));
    if (typeof timer === 'object' && !hold) timer.unref?.();
    return () => clearTimeout(timer as never);
  },
};
