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

declare const setTimeout: (run: () => void, ms: number) => { unref?(): void } | number;
declare const clearTimeout: (timer: never) => void;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run, { hold = false } = {}) {
    // A platform timer waits at most 2^31-1 ms. With a longer delay it fires at once.
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    if (typeof timer === 'object' && !hold) timer.unref?.();
    return () => clearTimeout(timer as never);
  },
};
