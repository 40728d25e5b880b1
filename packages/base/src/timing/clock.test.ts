import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LATE_TIMER, systemClock } from './clock.js';

const timers = () => process.getActiveResourcesInfo().filter(kind => kind === 'Timeout').length;

describe('systemClock', () => {
  it('calls once after the time, and never after a cancellation', async () => {
    const called: string[] = [];
    systemClock.after(1, () => called.push('off'))();
    await new Promise<void>(resolve => systemClock.after(5, resolve));
    expect(called).toEqual([]);
  });

  it('keeps no process alive, unless `hold` is set', () => {
    const before = timers();
    const free = systemClock.after(60_000, () => {});
    expect(timers()).toBe(before);
    const held = systemClock.after(60_000, () => {}, { hold: true });
    expect(timers()).toBe(before + 1);
    free();
    held();
    expect(timers()).toBe(before);
  });

  it('measures durations in whole milliseconds, whatever the time of day', () => {
    const day = vi.spyOn(Date, 'now').mockReturnValue(0);
    const start = systemClock.elapsed();
    expect(Number.isInteger(start)).toBe(true);
    expect(systemClock.elapsed()).toBeGreaterThanOrEqual(start);
    expect(systemClock.now()).toBe(0);
    day.mockRestore();
  });

  describe('a timer of a process that did not run', () => {
    const called: string[] = [];
    /** Runs timers as if the process had not run for some time after they were due. */
    const wake = (late: number) => {
      const { now } = performance;
      vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + late);
      vi.advanceTimersByTime(10);
    };
    beforeEach(() => {
      called.length = 0;
      vi.useFakeTimers();
    });
    afterEach(() => {
      vi.restoreAllMocks();
      vi.useRealTimers();
    });

    it('waits once more, so that what arrived meanwhile is read first', () => {
      systemClock.after(10, () => called.push('first'));
      systemClock.after(10, () => called.push('second'));
      wake(LATE_TIMER);
      vi.advanceTimersByTime(LATE_TIMER - 1);
      expect(called).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(called).toEqual(['first', 'second']);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('can be cancelled meanwhile', () => {
      const cancel = systemClock.after(10, () => called.push('late'));
      wake(LATE_TIMER);
      cancel();
      vi.advanceTimersByTime(60_000);
      expect(called).toEqual([]);
    });

    it('fires at once when it is less late', () => {
      systemClock.after(10, () => called.push('on time'));
      wake(LATE_TIMER - 1);
      expect(called).toEqual(['on time']);
    });
  });

  it('waits for the maximum of a timer if the delay is longer', () => {
    let called = false;
    const off = systemClock.after(2 ** 40, () => {
      called = true;
    });
    expect(called).toBe(false);
    off();
  });
});
