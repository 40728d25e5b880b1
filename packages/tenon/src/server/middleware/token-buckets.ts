import type { Clock } from '../../cancellation/clock.js';

/** Keys that are remembered. The one that was used longest ago is forgotten first. */
const MAX_BUCKETS = 10_000;

export interface TokenBucketOptions {
  /** Tokens of a full bucket. */
  readonly burst: number;
  /** Tokens that come back per second. */
  readonly perSecond: number;
  readonly clock: Clock;
}

/** Token buckets by key. */
export interface TokenBuckets {
  /** Takes a token. Returns 0, or the milliseconds until there is one. */
  take(key: string): number;
}

export function createTokenBuckets({ burst, perSecond, clock }: TokenBucketOptions): TokenBuckets {
  const buckets = new Map<string, { tokens: number; updatedAt: number }>();
  return {
    take(key) {
      const now = clock.now();
      const bucket = buckets.get(key) ?? { tokens: burst, updatedAt: now };
      const tokens = Math.min(burst, bucket.tokens + ((now - bucket.updatedAt) / 1000) * perSecond);
      // The one that was used last goes to the end: the first is the one to forget.
      buckets.delete(key);
      buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, updatedAt: now });
      const oldestKey = buckets.keys().next().value;
      if (buckets.size > MAX_BUCKETS && oldestKey !== undefined) buckets.delete(oldestKey);
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000);
    },
  };
}
