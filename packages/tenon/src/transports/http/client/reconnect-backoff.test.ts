import { getEventListeners } from 'node:events';
import type { Clock } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stillClock } from './fixtures/scripted-server.js';
import { LISTEN_POLICY, RESUME_POLICY } from './options.js';
import {
  computeDelay,
  createStreamProgress,
  isExhausted,
  pause,
  recordConnection,
  recordFailure,
} from './reconnect-backoff.js';

const outcome = fc.oneof(
  fc.constant('failed' as const),
  fc.record({ message: fc.boolean(), hasProgress: fc.boolean(), duration: fc.nat(20_000) }),
);

const after = (outcomes: readonly ('failed' | Parameters<typeof recordConnection>[1])[], retry?: number) => {
  const course = { ...createStreamProgress(0), retry };
  for (const one of outcomes) one === 'failed' ? recordFailure(course) : recordConnection(course, one, 0);
  return course;
};

describe('the delay before a reconnect', () => {
  it('lasts at least as long as the server requested, and has a maximum [http.sse.client-honours-retry]', () => {
    const any = fc.record({
      outcomes: fc.array(outcome, { maxLength: 60 }),
      retry: fc.nat(3_600_000),
      luck: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    });
    fc.assert(
      fc.property(any, ({ outcomes, retry, luck }) => {
        const wait = computeDelay(after(outcomes, retry), RESUME_POLICY, () => luck);
        expect(wait).toBeGreaterThanOrEqual(Math.max(10, retry));
        expect(wait).toBeLessThanOrEqual(Math.max(retry * 1.1, RESUME_POLICY.maxDelay * 1.5));
        const patient = computeDelay(after(outcomes), LISTEN_POLICY, () => luck);
        expect(patient).toBeGreaterThanOrEqual(1_000);
        expect(patient).toBeLessThanOrEqual(LISTEN_POLICY.maxDelay * 1.5);
      }),
    );
  });

  it('exceeds the requested delay by at most a tenth while the server responds', () => {
    fc.assert(
      fc.property(fc.array(outcome), fc.integer({ min: 1_000, max: 100_000 }), (outcomes, retry) => {
        const course = after([...outcomes, { message: false, hasProgress: false, duration: 0 }], retry);
        expect(computeDelay(course, RESUME_POLICY, () => 0)).toBe(retry);
        expect(computeDelay(course, RESUME_POLICY, () => 1)).toBeCloseTo(retry * 1.1);
      }),
    );
  });

  it('grows without messages, and starts again with a message', () => {
    const nothing = { message: false, hasProgress: false, duration: 0 };
    const waits = [1, 2, 3, 4, 9].map(n => computeDelay(after(Array(n).fill(nothing)), RESUME_POLICY, () => 0));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 30_000]);
    expect(computeDelay(after(['failed', 'failed', 'failed'], 100), RESUME_POLICY, () => 0)).toBe(4_000);
    const message = { ...nothing, message: true };
    expect(computeDelay(after([...Array(9).fill(nothing), message]), RESUME_POLICY, () => 0)).toBe(1_000);
  });

  it('grows to a second for a server that requests no delay and sends nothing', () => {
    const nothing = { message: false, hasProgress: true, duration: 0 };
    const waits = [1, 2, 3, 4, 20].map(n => computeDelay(after(Array(n).fill(nothing), 0), RESUME_POLICY, () => 0));
    expect(waits).toEqual([10, 20, 40, 80, 1_000]);
  });

  it('ends after a number of attempts without messages, and after a total time', () => {
    const nothing = { message: false, hasProgress: false, duration: 0 };
    expect(isExhausted(after(Array(7).fill(nothing)), RESUME_POLICY, 0)).toBe(false);
    expect(isExhausted(after(Array(8).fill(nothing)), RESUME_POLICY, 0)).toBe(true);
    expect(isExhausted(after(Array(8).fill('failed')), RESUME_POLICY, 0)).toBe(true);
    for (const good of [{ message: true }, { hasProgress: true }, { duration: 10_000 }]) {
      expect(isExhausted(after([...Array(7).fill(nothing), { ...nothing, ...good }, 'failed']), RESUME_POLICY, 0)).toBe(
        false,
      );
    }
    expect(isExhausted(after([{ ...nothing, hasProgress: true }]), RESUME_POLICY, RESUME_POLICY.maxElapsed + 1)).toBe(
      true,
    );
  });

  it('keeps the process alive for a pending response only', async () => {
    const clock = stillClock();
    const { signal } = new AbortController();
    const holds: unknown[] = [];
    const noting: Clock = {
      ...clock,
      after(ms, run, options) {
        holds.push(options?.hold);
        return clock.after(ms, run);
      },
    };
    const held = pause(noting, 1_000, signal, true);
    const free = pause(noting, 1_000, signal, false);
    expect(holds).toEqual([true, false]);
    clock.advance(1_000);
    await Promise.all([held, free]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends early when no caller waits', async () => {
    const clock = stillClock();
    const controller = new AbortController();
    const paused = pause(clock, 1_000, controller.signal, true);
    controller.abort();
    await paused;
    await pause(clock, 1_000, controller.signal, true);
    let over = false;
    const other = pause(clock, 1_000, new AbortController().signal, false).then(() => {
      over = true;
    });
    clock.advance(999);
    await Promise.resolve();
    expect(over).toBe(false);
    clock.advance(1);
    await other;
  });
});
