import type { Clock } from '@tenon/base';

/** Creates a clock on which each wait takes `step` milliseconds, and no real time, so that a test reaches long timeouts. */
export function createHurriedClock(step: number): Clock {
  let time = 0;
  return {
    now: () => time,
    elapsed: () => time,
    after(_ms, run) {
      time += step;
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
}
