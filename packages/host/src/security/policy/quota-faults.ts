import { isObject, type JsonObject, parseDuration } from '@tenon/base';
import type { Quota } from './quotas.js';
import { findMatchFault, type RuleFault } from './rule-faults.js';

/** Maximum number of quotas and rate limits of a policy. */
const MAX_QUOTAS = 100;
const COUNTERS: readonly unknown[] = ['principal', 'server', 'tool'];
const SECOND = 1000;

/** Returns the first error of a quota, or `undefined` if it is valid. */
export function findQuotaFault(value: unknown): RuleFault | undefined {
  if (!isObject(value)) return { at: [], expected: 'an object', got: value };
  const { per, calls, window, match, ...others } = value;
  const other = Object.keys(others)[0];
  if (other !== undefined) return { at: [other], expected: 'per, calls, window or match' };
  if (!Number.isSafeInteger(calls) || Number(calls) < 1)
    return { at: ['calls'], expected: '`calls` as an integer of at least 1', got: calls };
  if (!Number.isFinite(window) || Number(window) <= 0)
    return {
      at: ['window'],
      expected: '`window` as a time such as `1h` or `1d`, or a number of milliseconds',
      got: window,
    };
  return findCounterFault(per) ?? findConditionFault(match);
}

/** Reads the quotas of a policy file. Their windows may be texts such as `1h`. */
export function readQuotas(value: unknown): readonly Quota[] | RuleFault {
  return readList(value, 'quotas', item => {
    const { window } = item;
    return { ...item, ...(typeof window === 'string' ? { window: parseDuration(window) ?? window } : {}) };
  });
}

/** Reads the rate limits of a policy file, as quotas. */
export function readRateLimits(value: unknown): readonly Quota[] | RuleFault {
  return readList(value, 'rateLimits', item => {
    const { perSecond, burst = perSecond, ...rest } = item;
    if (!Number.isFinite(perSecond) || Number(perSecond) <= 0)
      return { at: ['perSecond'], expected: 'a number of calls above 0', got: perSecond };
    const other = ['calls', 'window'].find(name => Object.hasOwn(rest, name));
    if (other !== undefined) return { at: [other], expected: 'per, perSecond, burst or match' };
    const calls = Math.max(1, Math.ceil(Number(burst)));
    if (!Number.isSafeInteger(calls) || typeof burst !== 'number' || burst <= 0)
      return { at: ['burst'], expected: 'a number of calls of at least 1', got: burst };
    return { ...rest, calls, window: (calls * SECOND) / Number(perSecond) };
  });
}

function readList(
  value: unknown,
  name: string,
  normalize: (item: JsonObject) => JsonObject | RuleFault,
): readonly Quota[] | RuleFault {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return { at: [name], expected: 'a list', got: value };
  if (value.length > MAX_QUOTAS) return { at: [name], expected: `at most ${MAX_QUOTAS}`, got: value.length };
  const read: Quota[] = [];
  for (const [place, item] of value.entries()) {
    const quota = isObject(item) ? normalize({ per: [], ...item }) : item;
    const fault = isObject(quota) && 'expected' in quota ? (quota as unknown as RuleFault) : findQuotaFault(quota);
    if (fault) return { ...fault, at: [name, place, ...fault.at] };
    // Safe, because `findQuotaFault` has found no error in it.
    read.push(quota as unknown as Quota);
  }
  return read;
}

function findCounterFault(per: unknown): RuleFault | undefined {
  if (Array.isArray(per) && per.every(each => COUNTERS.includes(each))) return undefined;
  return { at: ['per'], expected: '`per` as an array of principal, server and tool', got: per };
}

function findConditionFault(match: unknown): RuleFault | undefined {
  if (match === undefined) return undefined;
  if (!isObject(match)) return { at: ['match'], expected: 'an object of conditions', got: match };
  const fault = ['action', 'because'].some(name => Object.hasOwn(match, name))
    ? { at: [], expected: 'conditions without `action` and `because`' }
    : findMatchFault(match);
  return fault && { ...fault, at: ['match', ...fault.at] };
}
