import { describe, expect, it } from 'vitest';
import { createSingleFlight } from './single-flight.js';

describe('createSingleFlight', () => {
  it('runs once for concurrent callers, and again for later ones', async () => {
    const flight = createSingleFlight<number>();
    let runs = 0;
    const run = async () => {
      runs += 1;
      await Promise.resolve();
      return runs;
    };
    expect(await Promise.all([flight.join(run), flight.join(run)])).toEqual([1, 1]);
    expect(await flight.join(run)).toBe(2);
  });

  it('continues while a caller waits, and aborts without one', async () => {
    const flight = createSingleFlight<void>();
    let aborted = false;
    const run = (signal: AbortSignal) =>
      new Promise<void>(() =>
        signal.addEventListener('abort', () => {
          aborted = true;
        }),
      );
    const [one, two] = [new AbortController(), new AbortController()];
    const waits = [one, two].map(({ signal }) => flight.join(run, signal));
    one.abort(new Error('one'));
    await expect(waits[0]).rejects.toThrow('one');
    expect(aborted).toBe(false);
    two.abort(new Error('two'));
    await expect(waits[1]).rejects.toThrow('two');
    expect(aborted).toBe(true);
    expect(await flight.join(async () => undefined)).toBeUndefined();
  });
});
