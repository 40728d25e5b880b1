/** Time, as something that is handed in: tests bring their own. */
export interface Clock {
  /** Milliseconds since some fixed point. */
  now(): number;
  /**
   * Calls `run` once after `ms` milliseconds. Returns the function that calls it off. A waiting timer keeps no process
   * alive, unless `hold` is set.
   */
  after(ms: number, run: () => void, options?: { readonly hold?: boolean | undefined }): () => void;
}

declare const setTimeout: (run: () => void, ms: number) => { unref?(): void } | number;
declare const clearTimeout: (timer: never) => void;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run, { hold = false } = {}) {
    // A timer holds 2^31-1 ms at the most and fires at once beyond it.
    const timer = setTimeout(run, Math.min(ms, 2 ** 31 - 1));
    if (typeof timer === 'object' && !hold) timer.unref?.();
    return () => clearTimeout(timer as never);
  },
};
