import type { ViewClock } from './view-options.js';

declare function setTimeout(callback: () => void, delay: number): unknown;
declare function clearTimeout(timer: unknown): void;
declare const performance: { now(): number };

/** The clock of the browser. */
export const browserClock: ViewClock = {
  now: () => performance.now(),
  setTimer(callback, delay) {
    const timer = setTimeout(callback, delay);
    return () => clearTimeout(timer);
  },
};
