import type { Clock } from '../jsonrpc/clock.js';

/** Waits for work for so many milliseconds. Gives undefined when it takes longer: it goes on, and nobody hears how it ends. */
export function withinTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const off = clock.after(ms, () => resolve(undefined));
    work.then(resolve, reject).finally(off);
  });
}
