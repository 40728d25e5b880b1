import type { Clock } from '../cancellation/clock.js';

/**
 * Waits for work for at most this many milliseconds. Resolves with `undefined` when it takes longer. The work
 * continues, and its outcome is ignored.
 */
export function waitAtMost<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.after(ms, () => resolve(undefined));
    work.then(resolve, reject).finally(cancelTimer);
  });
}
