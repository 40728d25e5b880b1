import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { createTokenBuckets } from './token-buckets.js';

it('adds tokens at the same rate when the time of day is set', () => {
  const clock = fakeClock(3_600_000);
  const buckets = createTokenBuckets({ burst: 1, perSecond: 1, clock });
  for (const time of [0, 7_200_000]) {
    expect([buckets.take('a'), buckets.take('a')]).toEqual([0, 1000]);
    clock.setTime(time);
    expect(buckets.take('a')).toBe(1000);
    clock.advance(1000);
  }
});
