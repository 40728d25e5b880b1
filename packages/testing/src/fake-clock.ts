import { type Clock, requireArgument } from '@tenon/base';
import { checkMilliseconds } from './option-checks.js';

/** A clock that advances only when `advance` is called. */
export interface FakeClock extends Clock {
  /**
   * Advances the time by `ms` milliseconds and runs the due timers in order.
   * @throws TenonError `options/invalid` for a negative or infinite time.
   */
  advance(ms: number): void;
  /**
   * Sets the time of day, as when the clock of a machine is corrected. `elapsed` and the timers do not change.
   * @throws TenonError `options/invalid` for a negative or infinite time.
   */
  setTime(time: number): void;
  /** Number of pending timers. */
  readonly timers: number;
}

/** Value of `elapsed` when a clock is created, in milliseconds. */
const FIRST_ELAPSED = 1_000_000_000;

/** Creates a clock that stays at `start` milliseconds until it is advanced, so that tests need not wait. */
export function fakeClock(start = 0): FakeClock {
  requireArgument('`start` of fakeClock', start, checkMilliseconds);
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  // Other than the time of day, so that a test fails if code mixes the two.
  let time = FIRST_ELAPSED;
  /** Time of day when `elapsed` was 0. */
  let startTime = start - time;
  const findNextTimer = (end: number) => {
    const due = [...timers].filter(({ at }) => at <= end);
    return due.reduce<(typeof due)[number] | undefined>(
      (first, each) => (first && first.at <= each.at ? first : each),
      undefined,
    );
  };
  return {
    now: () => startTime + time,
    elapsed: () => time,
    after(ms, run) {
      const timer = { at: time + Math.max(0, ms), run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    get timers() {
      return timers.size;
    },
    setTime(now) {
      requireArgument('`time` of setTime', now, checkMilliseconds);
      startTime = now - time;
    },
    advance(ms) {
      requireArgument('`ms` of advance', ms, checkMilliseconds);
      const end = time + ms;
      for (let next = findNextTimer(end); next; next = findNextTimer(end)) {
        timers.delete(next);
        time = next.at;
        next.run();
      }
      time = end;
    },
  };
}
