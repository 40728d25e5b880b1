import { getCallerKey } from '../../jsonrpc/caller-key.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TOO_MANY } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import { callable, numberIn, optional } from '../../model/check.js';
import { getOwnerKey, identify } from '../../model/owner.js';
import type { Caller } from '../caller.js';
import type { Middleware, Operation } from '../middleware.js';
import { clock as clockOption, positive, requireOptions } from './options.js';
import { createTokenBuckets } from './token-buckets.js';

export interface RateLimit {
  /** Operations that may come at once. */
  readonly burst: number;
  /** Operations per second, over time. */
  readonly perSecond: number;
  /** Key that shares a limit. Default: user with OAuth client, or address of an anonymous caller; method and tool. */
  readonly by?: ((operation: Operation) => string) | undefined;
  readonly clock?: Clock | undefined;
}

/** Methods that are never limited: a client that is refused there takes the server for an older or a dead one. */
const EXEMPT: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping']);

const KEYS = {
  burst: numberIn('a number of at least 1', 1),
  perSecond: positive,
  by: optional(callable),
  clock: clockOption,
};

/**
 * Refuses operations that come too fast with 429, by a token bucket for each caller, method and tool. `data.retryAfterMs` says
 * when to come again. Opening a connection, `ping` and `server/discover` are never refused.
 */
export function rateLimit(options: RateLimit): Middleware {
  requireOptions('rateLimit', '{ burst, perSecond, by?, clock? }', options, KEYS);
  const { burst, perSecond, by = byCallerAndTool, clock = systemClock } = options;
  const buckets = createTokenBuckets({ burst, perSecond, clock });
  return (operation, next) => {
    if (EXEMPT.has(operation.method)) return next(operation);
    const retryAfterMs = buckets.take(by(operation));
    if (retryAfterMs === 0) return next(operation);
    throw rpcError(TOO_MANY, `Too many requests: come again in ${retryAfterMs} ms`, { retryAfterMs });
  };
}

/** Names the user with the OAuth client, or the address of an anonymous caller. */
export function getLimitKey({ auth, address }: Pick<Caller, 'auth' | 'address'>): string {
  return getOwnerKey(identify(auth)) ?? getCallerKey(undefined, address);
}

function byCallerAndTool({ method, name, context }: Operation): string {
  return JSON.stringify([getLimitKey(context), method, method === 'tools/call' ? name : undefined]);
}
