import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { ConnectionBackoff } from './connection-backoff.js';

describe('ConnectionBackoff', () => {
  it('doubles the delay after each failure, up to a minute', () => {
    const clock = fakeClock();
    const backoff = new ConnectionBackoff(clock, () => 1);
    expect(backoff.remaining).toBe(0);
    const pauses = Array.from({ length: 10 }, () => {
      backoff.recordFailure();
      return backoff.remaining;
    });
    expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(backoff.failures).toBe(10);
  });

  it('chooses a random delay between half and all of it', () => {
    const clock = fakeClock();
    const pauses = [0, 0.5, 1].map(random => {
      const backoff = new ConnectionBackoff(clock, () => random);
      backoff.recordFailure();
      return backoff.remaining;
    });
    expect(pauses).toEqual([250, 375, 500]);
  });

  it('has the same delay after the time of day was set back', () => {
    const clock = fakeClock(3_600_000);
    const backoff = new ConnectionBackoff(clock, () => 1);
    backoff.recordFailure();
    clock.setTime(0);
    expect(backoff.remaining).toBe(500);
  });

  it('ends in time, and starts again after a success', () => {
    const clock = fakeClock(1_000_000);
    const backoff = new ConnectionBackoff(clock, () => 1);
    backoff.recordFailure();
    backoff.recordFailure();
    clock.advance(999);
    expect(backoff.remaining).toBe(1);
    clock.advance(1);
    expect(backoff.remaining).toBe(0);
    backoff.reset();
    backoff.recordFailure();
    expect(backoff.remaining).toBe(500);
  });
});
