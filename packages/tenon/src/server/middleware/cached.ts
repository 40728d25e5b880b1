import { canonical } from '../../conversation/asking/canonical.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { list, optional, text } from '../../model/check.js';
import { getOwnerKey, identify } from '../../model/owner.js';
import type { Middleware, Operation } from '../middleware.js';
import { clock as clockOption, positive, requireOptions } from './options.js';

export interface Cached {
  /** Milliseconds for which a result is given again. */
  readonly ttlMs: number;
  /** The tools whose results may be given again: those that only read. */
  readonly tools: readonly string[];
  /** Results kept at the most. Default 1,000. */
  readonly size?: number | undefined;
  readonly clock?: Clock | undefined;
}

const KEYS = { ttlMs: positive, tools: list(text), size: optional(positive), clock: clockOption };

/** Gives the result of the same tool, arguments, user and OAuth client again for a while. Failures and questions are not kept. */
export function cached(options: Cached): Middleware {
  requireOptions('cached', '{ ttlMs, tools, size?, clock? }', options, KEYS);
  const { ttlMs, tools, size = 1000, clock = systemClock } = options;
  const kept = new Map<string, { result: JsonObject; until: number }>();
  return async (operation, next) => {
    if (operation.method !== 'tools/call' || !tools.includes(operation.name ?? '')) return next(operation);
    const key = keyOf(operation);
    const before = kept.get(key);
    if (before && before.until > clock.now()) return before.result;
    const result = await next(operation);
    kept.delete(key);
    if (result.isError || result.resultType === 'input_required') return result;
    kept.set(key, { result, until: clock.now() + ttlMs });
    const first = kept.keys().next().value;
    if (kept.size > size && first !== undefined) kept.delete(first);
    return result;
  };
}

function keyOf({ params, context }: Operation): string {
  return canonical([getOwnerKey(identify(context.auth)) ?? null, params.name, params.arguments ?? {}]);
}
