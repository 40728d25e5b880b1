import { type Clock, setNewest } from '@tenon/base';

/** Maximum number of keys with a bucket. Beyond it, the bucket with the oldest use is removed. */
const MAX_BUCKETS = 10_000;

/** Rate of a token bucket. */
export interface Rate {
  /** Maximum number of operations at once. */
  readonly burst: number;
  /** Average number of operations per second. */
  readonly perSecond: number;
}

export interface TokenBucketOptions extends Rate {
  readonly clock: Clock;
}

/** Token buckets, one for each key. */
export interface TokenBuckets {
  /** Takes a token. Returns 0, or the time until the next token in milliseconds. */
  take(key: string): number;
}

export function createTokenBuckets({ burst, perSecond, clock }: TokenBucketOptions): TokenBuckets {
  const buckets = new Map<string, { tokens: number; updatedAt: number }>();
  return {
    take(key) {
      const now = clock.elapsed();
      const bucket = buckets.get(key) ?? { tokens: burst, updatedAt: now };
      const tokens = Math.min(burst, bucket.tokens + ((now - bucket.updatedAt) / 1000) * perSecond);
      setNewest(buckets, key, { tokens: tokens < 1 ? tokens : tokens - 1, updatedAt: now }, MAX_BUCKETS);
      return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) / perSecond) * 1000);
    },
  };
}
