import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { createStoreClock } from './store-clock.js';

const HOUR = 3_600_000;

it('returns the clock of the process if the store has none', () => {
  const clock = fakeClock(5);
  expect([createStoreClock({}, clock).now(), createStoreClock({}, clock).sync()]).toEqual([5, undefined]);
});

it('returns the time of the store, and compares once a minute [so.clock]', async () => {
  const clock = fakeClock(HOUR);
  let reads = 0;
  const readTime = async () => {
    reads += 1;
    return clock.now() - HOUR;
  };
  const store = createStoreClock({ now: readTime }, clock);
  await Promise.all([store.sync(), store.sync()]);
  clock.advance(59_999);
  expect([store.now(), store.sync(), reads]).toEqual([59_999, undefined, 1]);
  clock.advance(1);
  await store.sync();
  expect([store.now(), reads]).toEqual([60_000, 2]);
});

it.each([0, 2 * HOUR])(
  'compares at once when the time of day is set to %i ms, or after the machine slept',
  async time => {
    const clock = fakeClock(HOUR);
    const store = createStoreClock({ now: async () => 5 * HOUR }, clock);
    await store.sync();
    clock.setTime(time);
    await store.sync();
    expect(store.now()).toBe(5 * HOUR);
  },
);

it('is never ahead of the store, however long the response takes', async () => {
  const clock = fakeClock(0);
  const store = createStoreClock(
    {
      async now() {
        const time = clock.now() + HOUR;
        clock.advance(200);
        return time;
      },
    },
    clock,
  );
  await store.sync();
  expect(store.now()).toBe(HOUR);
});

it('keeps the last difference while the store does not respond, and tries again after 5 seconds', async () => {
  const clock = fakeClock(0);
  let fault: Error | undefined;
  let reads = 0;
  const readTime = async () => {
    reads += 1;
    if (fault) throw fault;
    return clock.now() + HOUR;
  };
  const store = createStoreClock({ now: readTime }, clock);
  await store.sync();
  fault = new Error('gone');
  clock.advance(60_000);
  await expect(store.sync()).rejects.toThrow('gone');
  expect([store.now(), store.sync(), reads]).toEqual([HOUR + 60_000, undefined, 2]);
  clock.advance(5000);
  fault = undefined;
  await store.sync();
  expect([store.now(), reads]).toEqual([HOUR + 65_000, 3]);
});
