import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { MessageRateLimit } from './message-rate-limit.js';

describe('MessageRateLimit', () => {
  it('admits a limited number in each second, and reports the first drop', () => {
    const clock = fakeClock();
    let reportCount = 0;
    const flood = new MessageRateLimit(
      clock,
      () => {
        reportCount += 1;
      },
      3,
    );
    const admitted = () => Array.from({ length: 10 }, () => flood.tryConsume()).filter(Boolean).length;
    expect([admitted(), reportCount]).toEqual([3, 1]);
    clock.advance(999);
    expect([admitted(), reportCount]).toEqual([0, 1]);
    clock.advance(1);
    expect([admitted(), reportCount]).toEqual([3, 2]);
  });

  it('admits messages of the next second after the time of day was set back', () => {
    const clock = fakeClock(3_600_000);
    const limit = new MessageRateLimit(clock, () => {}, 1);
    const admit = () => [limit.tryConsume(), limit.tryConsume()];
    expect(admit()).toEqual([true, false]);
    clock.setTime(0);
    clock.advance(1000);
    expect(admit()).toEqual([true, false]);
  });

  it('reports nothing when nothing was dropped', () => {
    const clock = fakeClock();
    let reportCount = 0;
    const flood = new MessageRateLimit(clock, () => {
      reportCount += 1;
    });
    for (let at = 0; at < 200; at++) expect(flood.tryConsume()).toBe(true);
    expect(reportCount).toBe(0);
    expect([flood.tryConsume(), reportCount]).toEqual([false, 1]);
  });
});
