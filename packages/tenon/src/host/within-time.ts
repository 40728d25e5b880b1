import type { Clock } from '../cancellation/clock.js';

/** Waits for work for so many milliseconds. Gives undefined when it takes longer: it goes on, and nobody hears how it ends. */
export function waitAtMost<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.after(ms, () => resolve(undefined));
    work.then(resolve, reject).finally(cancelTimer);
  });
}
