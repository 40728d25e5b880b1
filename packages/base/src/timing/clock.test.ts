import { describe, expect, it } from 'vitest';
import { systemClock } from './clock.js';

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

  it('waits for the maximum of a timer if the delay is longer', () => {
    let called = false;
    const off = systemClock.after(2 ** 40, () => {
      called = true;
    });
    expect(called).toBe(false);
    off();
  });
});
