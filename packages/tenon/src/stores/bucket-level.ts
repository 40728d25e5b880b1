import { type BucketSize, checkKey, TenonError } from '@tenon/base';

/**
 * The state of a bucket is one time: when it is full again. To take a token moves that time by `cost`. A bucket is empty
 * when the time is `capacity` away.
 *
 * Times are in milliseconds, with fractions.
 * @see https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
 */
export interface BucketTimes {
  readonly cost: number;
  readonly capacity: number;
}

/** Tolerance for sums of fractions, in milliseconds. */
const TOLERANCE = 1e-3;

/** Checks the arguments of `take`, and converts them to times. */
export function toBucketTimes(key: string, { burst, perSecond }: BucketSize, count: number): BucketTimes {
  checkKey(key);
  if (!(burst >= 1 && perSecond > 0 && Number.isFinite(burst / perSecond)))
    throw createBucketError('size', 'burst ≥ 1 and perSecond > 0', `${burst} and ${perSecond}`);
  if (!(Number.isFinite(count) && count <= burst))
    throw createBucketError('count', `a number of at most ${burst}`, `${count}`);
  const interval = 1000 / perSecond;
  return { cost: count * interval, capacity: burst * interval + TOLERANCE };
}

/** Rounds a time to wait up to whole milliseconds. Returns 0 if no wait is necessary. */
export function toWait(excess: number): number {
  return excess > 0 ? Math.max(1, Math.ceil(excess)) : 0;
}

function createBucketError(name: string, expected: string, received: string): TenonError {
  return new TenonError('store/option', `invalid ${name} of a bucket`, { expected, received });
}
