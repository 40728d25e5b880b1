import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { RefreshQueue } from './refresh-queue.js';

/** Lets all pending callbacks of promises run. */
const settle = () => new Promise(resolve => setImmediate(resolve));

function createQueue(work: () => Promise<void> = async () => {}) {
  const clock = fakeClock();
  let runs = 0;
  const queue = new RefreshQueue(async () => {
    runs += 1;
    await work();
  }, clock);
  return { clock, queue, countRuns: () => runs };
}

describe('a queue of refreshes', () => {
  it('runs once for all changes of a short time', async () => {
    const { clock, queue, countRuns } = createQueue();
    for (let count = 0; count < 50; count += 1) queue.request();
    clock.advance(250);
    await settle();
    clock.advance(60_000);
    expect(countRuns()).toBe(1);
  });

  it('runs less and less often while changes do not end, and at once again afterwards', async () => {
    const { clock, queue, countRuns } = createQueue();
    for (let elapsed = 0; elapsed < 60_000; elapsed += 50) {
      queue.request();
      clock.advance(50);
      await settle();
    }
    expect(countRuns()).toBeGreaterThan(5);
    expect(countRuns()).toBeLessThan(15);
    clock.advance(60_000);
    await settle();
    clock.advance(60_000);
    const before = countRuns();
    queue.request();
    clock.advance(250);
    expect(countRuns()).toBe(before + 1);
  });

  it('covers changes during a run by one further run, and none after its end', async () => {
    let finish = () => {};
    const { clock, queue, countRuns } = createQueue(
      () =>
        new Promise(resolve => {
          finish = resolve;
        }),
    );
    queue.request();
    clock.advance(250);
    queue.request();
    queue.request();
    finish();
    await settle();
    clock.advance(60_000);
    expect(countRuns()).toBe(2);
    queue.request();
    queue.stop();
    finish();
    await settle();
    clock.advance(60_000);
    expect(countRuns()).toBe(2);
  });
});
