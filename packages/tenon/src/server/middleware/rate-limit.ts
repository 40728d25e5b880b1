import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { getOwnerKey, identify } from '../../model/owner.js';
import type { Middleware, Operation } from '../middleware.js';

const MAX_BUCKETS = 10_000;

export interface RateLimit {
  /** Operations that may come at once. */
  readonly burst: number;
  /** Operations per second, over time. */
  readonly perSecond: number;
  /** What shares a limit. Default: user with OAuth client, method and tool. */
  readonly by?: (operation: Operation) => string;
  readonly clock?: Clock;
}

/** Refuses operations that come too fast, by a token bucket for each user with OAuth client, and tool. `data.retryAfterMs` says when to come again. */
export function rateLimit({ burst, perSecond, by = byPrincipalAndTool, clock = systemClock }: RateLimit): Middleware {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return (operation, next) => {
    const key = by(operation);
    const now = clock.now();
    const bucket = buckets.get(key) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    // The one that was used last goes to the end: the first is the one to forget.
    buckets.delete(key);
    buckets.set(key, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
    const first = buckets.keys().next().value;
    if (buckets.size > MAX_BUCKETS && first !== undefined) buckets.delete(first);
    if (tokens >= 1) return next(operation);
    const retryAfterMs = Math.ceil(((1 - tokens) / perSecond) * 1000);
    throw rpcError(TOO_MANY, `Too many requests: come again in ${retryAfterMs} ms`, { retryAfterMs });
  };
}

function byPrincipalAndTool({ method, name, context }: Operation): string {
  return JSON.stringify([getOwnerKey(identify(context.auth)), method, method === 'tools/call' ? name : undefined]);
}
