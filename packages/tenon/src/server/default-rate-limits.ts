import type { Clock } from '../cancellation/clock.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import { TOO_MANY_REQUESTS } from '../jsonrpc/error-codes.js';
import { isLoopbackAddress } from '../net/loopback.js';
import type { CallerInfo } from './caller-info.js';
import { getLimitKey } from './middleware/rate-limit.js';
import { createTokenBuckets, type TokenBuckets } from './middleware/token-buckets.js';

/** Rate of a token bucket. */
export interface Rate {
  /** Maximum number of operations at once. */
  readonly burst: number;
  /** Average number of operations per second. */
  readonly perSecond: number;
}

/**
 * Rate limits of one caller: a user with an OAuth client, or the address of an anonymous caller. `false` removes a
 * limit.
 */
export interface ServerRateLimits {
  /**
   * Rate of `tools/call`, `prompts/get` and `resources/read` together.
   * @default burst 1,000, then 100 per second
   */
  readonly calls?: Rate | false | undefined;
  /**
   * Rate of `completion/complete`.
   * @default burst 100, then 20 per second
   */
  readonly completions?: Rate | false | undefined;
  /**
   * Rate of the progress and log messages of one request, on every transport. Above the rate, only the last progress
   * report and the last message of each level and logger are kept. They are sent later, at the latest before the
   * response.
   * @default burst 100, then 20 per second
   */
  readonly notifications?: Rate | false | undefined;
}

const DEFAULT_CALL_RATE: Rate = { burst: 1_000, perSecond: 100 };
const DEFAULT_COMPLETION_RATE: Rate = { burst: 100, perSecond: 20 };
const DEFAULT_NOTIFICATION_RATE: Rate = { burst: 100, perSecond: 20 };

export interface RateLimits {
  /** Throws 429 with `data.retryAfterMs` for a request above the rate. Callers on this machine are not limited. */
  check(method: string, caller: CallerInfo): void;
  readonly notifications: Rate | undefined;
}

/** Creates the rate limits of a server. Throws `server/rate-limits` for an invalid rate. */
export function createRateLimits(configured: ServerRateLimits | false | undefined, clock: Clock): RateLimits {
  const { calls, completions, notifications } =
    configured === false ? ({ calls: false, completions: false, notifications: false } as const) : (configured ?? {});
  const callBuckets = createBuckets('calls', calls, DEFAULT_CALL_RATE, clock);
  const completionBuckets = createBuckets('completions', completions, DEFAULT_COMPLETION_RATE, clock);
  const buckets: { readonly [method: string]: TokenBuckets | undefined } = {
    'tools/call': callBuckets,
    'prompts/get': callBuckets,
    'resources/read': callBuckets,
    'completion/complete': completionBuckets,
  };
  let lastLoopback: string | undefined;
  const isLoopback = (address: string): boolean => {
    if (address === lastLoopback) return true;
    const found = isLoopbackAddress(address);
    if (found) lastLoopback = address;
    return found;
  };
  return {
    check(method, caller) {
      const { address } = caller;
      // Without an address there is only one peer, or another program in front of the server has to limit the rate.
      if (address === undefined || isLoopback(address)) return;
      const retryAfterMs = buckets[method]?.take(getLimitKey(caller)) ?? 0;
      if (retryAfterMs > 0)
        throw rpcError(TOO_MANY_REQUESTS, `Too many requests. Retry after ${retryAfterMs} ms`, { retryAfterMs });
    },
    notifications: checkRate('notifications', notifications, DEFAULT_NOTIFICATION_RATE),
  };
}

function createBuckets(name: string, configured: Rate | false | undefined, fallback: Rate, clock: Clock) {
  const rate = checkRate(name, configured, fallback);
  return rate && createTokenBuckets({ ...rate, clock });
}

function checkRate(name: string, configured: Rate | false | undefined, fallback: Rate): Rate | undefined {
  if (configured === false) return undefined;
  const rate = configured ?? fallback;
  if (rate.burst >= 1 && rate.perSecond > 0 && Number.isFinite(rate.perSecond)) return rate;
  throw new TenonError('server/rate-limits', `invalid rate in \`rateLimits.${name}\``, {
    expected: '{ burst, perSecond } with burst ≥ 1 and perSecond > 0, or false',
    received: JSON.stringify(rate),
  });
}
