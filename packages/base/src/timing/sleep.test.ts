import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { LazyAbortSignal } from './lazy-abort-signal.js';
import { sleep } from './sleep.js';

it('waits for the time, and leaves no timer', async () => {
  const clock = fakeClock();
  let isDone = false;
  const waiting = sleep(clock, 1000, undefined, new LazyAbortSignal()).then(() => {
    isDone = true;
  });
  clock.advance(999);
  await Promise.resolve();
  expect(isDone).toBe(false);
  clock.advance(1);
  await waiting;
  expect(clock.timers).toBe(0);
});

it('ends at once when one of its signals is aborted, and leaves no timer', async () => {
  const clock = fakeClock();
  const ending = new LazyAbortSignal();
  const controller = new AbortController();
  const waiting = [sleep(clock, 1000, ending), sleep(clock, 1000, undefined, controller.signal)];
  ending.abort();
  controller.abort();
  await Promise.all(waiting);
  await sleep(clock, 1000, ending);
  expect(clock.timers).toBe(0);
});
