import {
  type Clock,
  checkAnything,
  checkArray,
  checkObject,
  checkOptional,
  copyJson,
  getOwnerKey,
  hashSha256,
  requireArgument,
  requireKnownOptions,
  type Stores,
  systemClock,
  TenonError,
  toCanonicalJson,
} from '@tenon/base';
import type { ActionRequest } from './action-request.js';
import { type CompiledRule, compileMatch } from './matching/compiled-rule.js';
import { limitMatchWork } from './matching/match-work.js';
import { findQuotaFault } from './quota-faults.js';
import type { Match } from './rules.js';

/** Default maximum number of counters of one quota. */
const MAX_KEYS = 10_000;

/** Limit on the number of calls in a period. */
export interface Quota {
  /**
   * Members that have separate counters. Tools, resources and prompts are counted per server.
   *
   * All anonymous callers share one counter. A principal has one counter per OAuth client.
   */
  readonly per: readonly ('principal' | 'server' | 'tool')[];
  /** Maximum number of calls in a burst. They are refilled evenly over the window. */
  readonly calls: number;
  /** Period in which `calls` are refilled, in milliseconds. */
  readonly window: number;
  /**
   * Conditions of the requests that the quota counts.
   * @default all requests
   */
  readonly match?: Match | undefined;
}

export interface QuotaOptions {
  /**
   * Clock, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Maximum number of counters of each quota. Above it, further callers share one more counter.
   * @default 10,000
   */
  readonly maxKeys?: number | undefined;
}

/** Options of quotas that all processes count together. */
export interface SharedQuotaOptions {
  /**
   * Stores with the counters. They count by their own clock. Equal quotas with the same stores share their counters.
   * While the stores do not answer, calls are refused with 503.
   */
  readonly stores: Stores;
}

/** Counts calls against quotas. */
export interface Quotas {
  /**
   * Counts a call, or returns the time until the next one is allowed, in milliseconds. A call that one quota refuses is
   * counted by none.
   */
  consume(request: ActionRequest): QuotaRefusal | undefined;
}

/** Counts calls against quotas in stores. */
export interface SharedQuotas {
  /** Counts a call, as `consume` of `Quotas`. Rejects with the error of the stores while they do not answer. */
  consume(request: ActionRequest): Promise<QuotaRefusal | undefined>;
}

/** Reason why a quota refuses a call. */
export interface QuotaRefusal {
  /** Time until the next call is allowed, in milliseconds. */
  readonly retryAfter: number;
  /** The quota, for the caller. */
  readonly reason: string;
}

interface Bucket {
  tokens: number;
  updatedAt: number;
}

/** Key of the counter that callers above the maximum share. No other key has this form. */
const OVERFLOW_KEY = 'rest';
/** Number of tokens for one call. It is slightly below 1, because sums of fractions are not exact. */
const ONE_CALL = 1 - 1e-9;
/** Number of the oldest counters that are examined for one that may be dropped. */
const EVICTION_SCAN = 4;

/**
 * Creates quotas as token buckets.
 *
 * @throws TenonError `policy/quota` for an invalid limit.
 */
export function createQuotas(quotas: readonly Quota[], options?: QuotaOptions): Quotas;
/**
 * Creates quotas that all processes with the same stores count together.
 *
 * @throws TenonError `policy/quota` for an invalid limit, or for stores without `buckets`.
 */
export function createQuotas(quotas: readonly Quota[], options: SharedQuotaOptions): SharedQuotas;
export function createQuotas(
  quotas: readonly Quota[],
  options: QuotaOptions | SharedQuotaOptions = {},
): Quotas | SharedQuotas {
  const given: QuotaOptions & Partial<SharedQuotaOptions> = options;
  requireKnownOptions('createQuotas', given, { clock: true, maxKeys: true, stores: true });
  requireArgument('the list of quotas of createQuotas', quotas, checkArray(checkAnything), 'policy/quota');
  const checked = quotas.map(checkQuota);
  const { stores } = given;
  requireArgument('`stores` of createQuotas', stores, checkOptional(checkObject()), 'policy/quota');
  if (stores !== undefined) return createSharedQuotas(checked, stores);
  const { clock = systemClock, maxKeys = MAX_KEYS } = given;
  const meters = checked.map(quota => createMeter(quota, maxKeys));
  return {
    consume(proposal) {
      const now = clock.elapsed();
      const buckets = selectMatching(meters, proposal).map(({ take }) => take(proposal, now));
      const refused = buckets.filter(({ bucket }) => bucket.tokens < ONE_CALL);
      if (refused.length === 0) {
        for (const { bucket } of buckets) bucket.tokens -= 1;
        return undefined;
      }
      return createQuotaRefusal(
        refused.map(({ bucket, quota }) => ({ quota, wait: ((1 - bucket.tokens) * quota.window) / quota.calls })),
      );
    },
  };
}

/** Creates quotas whose counters are in a store. Each one is counted in one atomic step. */
function createSharedQuotas(quotas: readonly Quota[], { buckets }: Stores): SharedQuotas {
  if (buckets === undefined)
    throw new TenonError('policy/quota', 'the stores of quotas cannot count', { expected: 'stores with `buckets`' });
  const meters = quotas.map(quota => {
    const { per, calls, window, match } = quota;
    return {
      quota,
      prefix: `quota/${hashSha256(toCanonicalJson({ per, calls, window, match: match ?? null }))}/`,
      size: { burst: calls, perSecond: (calls * 1000) / window },
      findMismatch: compileMatch(match ?? {}, false),
    };
  });
  return {
    async consume(request) {
      const taken = await Promise.all(
        selectMatching(meters, request).map(async ({ quota, prefix, size }) => {
          const key = prefix + hashSha256(getQuotaKey(quota, request));
          return { quota, key, size, wait: await buckets.take(key, size) };
        }),
      );
      const refused = taken.filter(({ wait }) => wait > 0);
      if (refused.length === 0) return undefined;
      // A call that one quota refuses is counted by none.
      const counted = taken.filter(({ wait }) => wait === 0);
      await Promise.all(counted.map(({ key, size }) => buckets.take(key, size, -1)));
      return createQuotaRefusal(refused);
    },
  };
}

/** Selects the quotas that count a request. All count a request that takes too long to compare with them. */
function selectMatching<Meter extends { readonly findMismatch: CompiledRule['findMismatch'] }>(
  meters: readonly Meter[],
  request: ActionRequest,
): readonly Meter[] {
  return limitMatchWork(
    () => meters.filter(({ findMismatch }) => findMismatch(request) === undefined),
    () => meters,
  );
}

function createQuotaRefusal(waits: readonly { readonly quota: Quota; readonly wait: number }[]): QuotaRefusal {
  const longest = waits.reduce((longestWait, each) => (each.wait > longestWait.wait ? each : longestWait));
  return { retryAfter: Math.max(1, Math.ceil(longest.wait)), reason: describeQuota(longest.quota) };
}

interface QuotaMeter {
  readonly findMismatch: CompiledRule['findMismatch'];
  take(proposal: ActionRequest, now: number): { readonly bucket: Bucket; readonly quota: Quota };
}

function createMeter(quota: Quota, maxKeys: number): QuotaMeter {
  const buckets = new Map<string, Bucket>();
  const findMismatch = compileMatch(quota.match ?? {}, false);
  const refill = (bucket: Bucket, now: number) => {
    bucket.tokens = Math.min(quota.calls, bucket.tokens + ((now - bucket.updatedAt) * quota.calls) / quota.window);
    bucket.updatedAt = now;
    return bucket;
  };
  /** Drops full counters only. Otherwise a caller could reset its own counter by creating many others. */
  const makeRoom = (now: number): boolean => {
    if (buckets.size < maxKeys) return true;
    let looked = 0;
    for (const [key, bucket] of buckets) {
      if (looked++ === EVICTION_SCAN) return false;
      if (refill(bucket, now).tokens >= quota.calls) return buckets.delete(key);
    }
    return false;
  };
  const take: QuotaMeter['take'] = (proposal, now) => {
    const own = getQuotaKey(quota, proposal);
    const key = buckets.has(own) || makeRoom(now) ? own : OVERFLOW_KEY;
    const bucket = refill(buckets.get(key) ?? { tokens: quota.calls, updatedAt: now }, now);
    // Keeps the map sorted by last use.
    buckets.delete(key);
    buckets.set(key, bucket);
    return { bucket, quota };
  };
  return { findMismatch, take };
}

function getQuotaKey({ per }: Quota, request: ActionRequest): string {
  const { server, kind, name } = request;
  const parts = { principal: getOwnerKey(request) ?? null, server, tool: [server, kind, name] };
  return JSON.stringify(per.map(each => parts[each]));
}

/** Describes a quota: `no more than 5 calls in 1000 ms for one principal`. */
export function describeQuota({ per, calls, window }: Quota): string {
  return `no more than ${calls} calls in ${Math.round(window)} ms${per.length > 0 ? ` for one ${per.join(', ')}` : ''}`;
}

function checkQuota(quota: Quota, place: number): Quota {
  const fault = findQuotaFault(copyJson(quota));
  if (fault === undefined) return { ...quota };
  const { at, expected } = fault;
  const path = at.length > 1 ? { received: `an invalid value at /${at.join('/')}` } : {};
  throw new TenonError('policy/quota', `invalid quota ${place + 1}`, { expected, ...path });
}
