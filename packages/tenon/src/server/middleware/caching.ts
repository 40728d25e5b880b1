import {
  type Clock,
  checkArray,
  checkOptional,
  checkString,
  getOwnerKey,
  identifyCaller,
  type JsonObject,
  setNewest,
  systemClock,
  toCanonicalJson,
} from '@tenon/base';
import type { Middleware } from '../../handler/operation.js';
import { checkPositive, checkClock as clockOption, requireMiddlewareOptions } from './check-middleware-options.js';

export interface CachingOptions {
  /** Lifetime of a cached result, in milliseconds. */
  readonly ttl: number;
  /** Names of the tools whose results are cached. Name only tools without side effects. */
  readonly tools: readonly string[];
  /**
   * Maximum number of cached results.
   * @default 1,000
   */
  readonly maxEntries?: number | undefined;
  readonly clock?: Clock | undefined;
}

const OPTION_CHECKS = {
  ttl: checkPositive,
  tools: checkArray(checkString),
  maxEntries: checkOptional(checkPositive),
  clock: clockOption,
};

/**
 * Creates middleware that caches results by tool, arguments, user and OAuth client. Failed calls and input requests are
 * not cached.
 */
export function caching(options: CachingOptions): Middleware {
  requireMiddlewareOptions('caching', '{ ttl, tools, maxEntries?, clock? }', options, OPTION_CHECKS);
  const { ttl, tools, maxEntries = 1000, clock = systemClock } = options;
  const entries = new Map<string, { result: JsonObject; expiresAt: number }>();
  return async (operation, next) => {
    if (operation.method !== 'tools/call' || !tools.includes(operation.name ?? '')) return next(operation);
    const { params, context } = operation;
    const owner = getOwnerKey(identifyCaller(context.auth)) ?? null;
    const key = toCanonicalJson([owner, params.name, params.arguments ?? {}]);
    const entry = entries.get(key);
    if (entry && entry.expiresAt > clock.now()) return entry.result;
    const result = await next(operation);
    entries.delete(key);
    if (result.isError || result.resultType === 'input_required') return result;
    setNewest(entries, key, { result, expiresAt: clock.now() + ttl }, maxEntries);
    return result;
  };
}
