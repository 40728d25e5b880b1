import { describe, expect, it } from 'vitest';
import { fakeClock } from '../testing/fake-clock.js';
import { deferred, turns } from './connections/fixtures/stand-in.js';
import { waitAtMost } from './within-time.js';

describe('waiting within a time', () => {
  it('gives what the work came to, and leaves no timer', async () => {
    const clock = fakeClock();
    expect(await waitAtMost(clock, 100, Promise.resolve('done'))).toBe('done');
    await expect(waitAtMost(clock, 100, Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await turns();
    expect(clock.timers).toBe(0);
  });

  it('ends at the time, and not before', async () => {
    const clock = fakeClock();
    const work = deferred<string>();
    const waited: unknown[] = [];
    void waitAtMost(clock, 100, work.promise).then(result => waited.push(result));
    clock.advance(99);
    await turns();
    expect(waited).toEqual([]);
    clock.advance(1);
    await turns();
    expect(waited).toEqual([undefined]);
    work.resolve('late');
    await turns();
    expect(waited).toEqual([undefined]);
  });

  it('lets what fails too late fail in silence', async () => {
    const clock = fakeClock();
    const unheard: unknown[] = [];
    const hear = (error: unknown) => void unheard.push(error);
    process.on('unhandledRejection', hear);
    try {
      const work = deferred<string>();
      const waited = waitAtMost(clock, 100, work.promise);
      clock.advance(100);
      expect(await waited).toBeUndefined();
      work.reject(new Error('too late'));
      await new Promise(setImmediate);
      expect(unheard).toEqual([]);
    } finally {
      process.off('unhandledRejection', hear);
    }
  });
});
