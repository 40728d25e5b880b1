import type { ServerView } from '@tenon/console/api';

/** Returns the duration that half of the calls do not exceed, and the one that 95 % do not exceed. */
export function findQuantiles(durations: readonly number[]): Pick<ServerView, 'median' | 'p95'> {
  const sorted = [...durations].sort((a, b) => a - b);
  const find = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
  return { median: find(0.5), p95: find(0.95) };
}
