import { type Buckets, type Clock, catchMaybe, isLoopbackAddress, isPromise, TenonError } from '@tenon/base';
import type { CallerInfo } from '../handler/context.js';
import { createSharedTokens, type SharedTokens } from '../stores/shared-tokens.js';
import { createTooManyRequestsError, getLimitKey } from './middleware/rate-limit.js';
import { createTokenBuckets, type Rate, type TokenBuckets } from './middleware/token-buckets.js';

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
  /**
   * Throws 429 with `data.retryAfterMs` for a request above the rate. Callers on this machine are not limited. Returns a
   * promise if the store has to be asked.
   */
  check(method: string, caller: CallerInfo): Promise<void> | undefined;
  readonly notifications: Rate | undefined;
}

/** Stores in which all processes of a server count together. */
export interface SharedRateStores {
  readonly buckets: Buckets;
  /** Identifies the server in keys. */
  readonly scope: string;
  readonly onError: (error: TenonError) => void;
}

/**
 * Creates the rate limits of a server. With `shared`, all processes count together. While the store does not answer,
 * each process counts on its own.
 *
 * Throws `server/rate-limits` for an invalid rate.
 */
export function createRateLimits(
  configured: ServerRateLimits | false | undefined,
  clock: Clock,
  shared?: SharedRateStores,
): RateLimits {
  const { calls, completions, notifications } =
    configured === false ? ({ calls: false, completions: false, notifications: false } as const) : (configured ?? {});
  const callBuckets = createBuckets('calls', calls, DEFAULT_CALL_RATE, clock, shared);
  const completionBuckets = createBuckets('completions', completions, DEFAULT_COMPLETION_RATE, clock, shared);
  const buckets: { readonly [method: string]: SharedTokens | undefined } = {
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
      if (address === undefined || isLoopback(address)) return undefined;
      const retryAfterMs = buckets[method]?.take(getLimitKey(caller)) ?? 0;
      return isPromise(retryAfterMs) ? retryAfterMs.then(requireNoWait) : requireNoWait(retryAfterMs);
    },
    notifications: checkRate('notifications', notifications, DEFAULT_NOTIFICATION_RATE),
  };
}

function requireNoWait(retryAfterMs: number): undefined {
  if (retryAfterMs > 0) throw createTooManyRequestsError(retryAfterMs);
}

function createBuckets(
  name: string,
  configured: Rate | false | undefined,
  fallback: Rate,
  clock: Clock,
  shared: SharedRateStores | undefined,
): SharedTokens | undefined {
  const rate = checkRate(name, configured, fallback);
  if (rate === undefined) return undefined;
  const own = createTokenBuckets({ ...rate, clock });
  return shared ? createFallback(name, rate, clock, shared, own) : own;
}

/** Time for which a store that failed is not asked again, in milliseconds. */
const PAUSE = 5000;

/** Counts in the store, and at this process while the store does not answer. */
function createFallback(
  name: string,
  rate: Rate,
  clock: Clock,
  { buckets, scope, onError }: SharedRateStores,
  own: TokenBuckets,
): SharedTokens {
  const tokens = createSharedTokens({ buckets, scope: `rate/${scope}/${name}`, ...rate, clock });
  let pausedUntil = Number.NEGATIVE_INFINITY;
  return {
    take(key) {
      if (clock.elapsed() < pausedUntil) return own.take(key);
      return catchMaybe(
        () => tokens.take(key),
        error => {
          if (clock.elapsed() >= pausedUntil) onError(TenonError.from(error, 'store/failed'));
          pausedUntil = clock.elapsed() + PAUSE;
          return own.take(key);
        },
      );
    },
  };
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
