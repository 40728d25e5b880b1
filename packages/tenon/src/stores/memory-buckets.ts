import type { Buckets, Clock } from '@tenon/base';
import { toBucketTimes, toWait } from './bucket-level.js';

/** Maximum number of buckets that are not full. Beyond it, the one with the oldest use is removed. */
const MAX_BUCKETS = 100_000;
/** Number of buckets that each call checks for being full. */
const SWEPT_PER_CALL = 2;

/** Creates buckets in the memory of this process. Each call runs `check` first. */
export function createMemoryBuckets(clock: Clock, check: () => void): Buckets & { clear(): void } {
  const times = new Map<string, number>();

  /** Removes full buckets, which are like new ones, from those with the oldest use. */
  function sweep(now: number): void {
    let looked = 0;
    for (const [key, fullAt] of times) {
      if (looked++ === SWEPT_PER_CALL) return;
      if (fullAt <= now || times.size > MAX_BUCKETS) times.delete(key);
    }
  }

  return {
    async take(key, size, count = 1) {
      check();
      const { cost, capacity } = toBucketTimes(key, size, count);
      const now = clock.elapsed();
      const fullAt = Math.max(times.get(key) ?? now, now) + cost;
      const wait = toWait(fullAt - now - capacity);
      if (wait > 0) return wait;
      // The bucket moves to the end, so that the first one is the one with the oldest use.
      times.delete(key);
      times.set(key, fullAt);
      sweep(now);
      return 0;
    },
    clear: () => times.clear(),
  };
}
