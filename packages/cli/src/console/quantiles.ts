import type { GatewayFigures } from '@tenon/console/api';

/** Returns the durations that half of the calls, 95 % and 99 % of them do not exceed. */
export function findQuantiles(durations: readonly number[]): Pick<GatewayFigures, 'median' | 'p95' | 'p99'> {
  const sorted = [...durations].sort((a, b) => a - b);
  const find = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
  return { median: find(0.5), p95: find(0.95), p99: find(0.99) };
}
