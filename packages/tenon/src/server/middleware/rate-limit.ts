import {
  type Clock,
  checkFunction,
  checkObject,
  checkOptional,
  checkRange,
  checkString,
  getCallerKey,
  getOwnerKey,
  identifyCaller,
  requireResult,
  rpcError,
  type Stores,
  systemClock,
  type TenonError,
  TOO_MANY_REQUESTS,
  thenMaybe,
} from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import type { Middleware, Operation } from '../../handler/operation.js';
import { createSharedTokens } from '../../stores/shared-tokens.js';
import { checkPositive, checkClock as clockOption, requireMiddlewareOptions } from './check-middleware-options.js';
import { createTokenBuckets } from './token-buckets.js';

export interface RateLimitOptions {
  /** Maximum number of operations at once. */
  readonly burst: number;
  /** Average number of operations per second. */
  readonly perSecond: number;
  /**
   * Returns the key of the limit. Operations with the same key share one limit.
   * @default the user with the OAuth client, or the address of an anonymous caller, together with method and tool
   */
  readonly getKey?: ((operation: Operation) => string) | undefined;
  /**
   * Stores in which all processes count together. While they do not answer, operations fail with 503. A process takes
   * up to a twentieth of `burst` from the store at once. Limits with the same stores and `name` are one limit.
   * @default each process counts on its own
   */
  readonly stores?: Stores | undefined;
  /**
   * Name of the limit in `stores`.
   * @default `rate-limit`
   */
  readonly name?: string | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Methods that are never limited. If they were refused, a client would take the server for an older or a broken one.
 */
const EXEMPT_METHODS: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping']);

const OPTION_CHECKS = {
  burst: checkRange('a number of at least 1', 1),
  perSecond: checkPositive,
  getKey: checkOptional(checkFunction),
  stores: checkOptional(checkObject({ buckets: checkObject() })),
  name: checkOptional(checkString),
  clock: clockOption,
};

/**
 * Creates middleware that refuses operations above a rate with 429, by a token bucket per caller, method and tool.
 * `data.retryAfterMs` is the time to wait, in milliseconds. `initialize`, `ping` and `server/discover` are not limited.
 */
export function rateLimit(options: RateLimitOptions): Middleware {
  requireMiddlewareOptions(
    'rateLimit',
    '{ burst, perSecond, getKey?, stores?, name?, clock? }',
    options,
    OPTION_CHECKS,
  );
  const { burst, perSecond, stores, name = 'rate-limit', clock = systemClock } = options;
  const getCallerToolKey = ({ method, name: tool, context }: Operation): string =>
    JSON.stringify([getLimitKey(context), method, method === 'tools/call' ? tool : undefined]);
  const getKey = (operation: Operation): string => {
    if (options.getKey === undefined) return getCallerToolKey(operation);
    const key = options.getKey(operation);
    // Each promise would be a key of its own, and nothing would be limited.
    requireResult('the result of `getKey` of rateLimit', key, checkString, 'server/middleware-options');
    return key;
  };
  const shared = stores?.buckets;
  const buckets = shared
    ? createSharedTokens({ buckets: shared, scope: `rate/${name}`, burst, perSecond, clock })
    : createTokenBuckets({ burst, perSecond, clock });
  return (operation, next) => {
    if (EXEMPT_METHODS.has(operation.method)) return next(operation);
    return thenMaybe(buckets.take(getKey(operation)), retryAfterMs => {
      if (retryAfterMs === 0) return next(operation);
      throw createTooManyRequestsError(retryAfterMs);
    });
  };
}

/** Creates the error of a request above a rate. */
export function createTooManyRequestsError(retryAfterMs: number): TenonError {
  return rpcError(TOO_MANY_REQUESTS, `Too many requests. Retry after ${retryAfterMs} ms`, { retryAfterMs });
}

/** Returns the key of a caller: the user with the OAuth client, or the address of an anonymous caller. */
export function getLimitKey({ auth, address }: Pick<CallerInfo, 'auth' | 'address'>): string {
  return getOwnerKey(identifyCaller(auth)) ?? getCallerKey(undefined, address);
}
