import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { TenonError } from '../errors/error.js';
import { runPeriodically } from './run-periodically.js';

const INTERVAL = 100;
const turns = () => new Promise(setImmediate);

function setUp() {
  const clock = fakeClock();
  const errors: unknown[] = [];
  const runs: { end(): void; fail(error: unknown): void }[] = [];
  const work = () =>
    new Promise<void>((end, fail) => {
      runs.push({ end, fail });
    });
  const run = runPeriodically({ clock, interval: INTERVAL, onError: error => errors.push(error) }, work);
  const advance = async (ms = INTERVAL) => {
    clock.advance(ms);
    await turns();
  };
  const settle = async (how: 'end' | Error) => {
    const last = runs.at(-1);
    if (how === 'end') last?.end();
    else last?.fail(how);
    await turns();
  };
  return { clock, errors, runs, run, advance, settle };
}

describe('runPeriodically', () => {
  it('begins each run after the interval, and the next one an interval after its end', async () => {
    const { clock, runs, advance, settle } = setUp();
    await advance(99);
    expect(runs).toHaveLength(0);
    await advance(1);
    expect(runs).toHaveLength(1);
    await advance(1000);
    expect([runs.length, clock.timers]).toEqual([1, 0]);
    await settle('end');
    await advance(99);
    expect(runs).toHaveLength(1);
    await advance(1);
    expect(runs).toHaveLength(2);
  });

  it('reports the first of several failures in a row, and goes on', async () => {
    const { errors, runs, advance, settle } = setUp();
    const [one, two] = [new Error('one'), new Error('two')];
    for (const outcome of [one, one, 'end', two, two] as const) {
      await advance();
      await settle(outcome);
    }
    expect([runs.length, errors]).toEqual([5, [one, two]]);
  });

  it('ends when the store is closed, with one report', async () => {
    const { clock, errors, runs, run, advance, settle } = setUp();
    const closed = new TenonError('store/closed', 'the store is closed', { hint: 'stop its users first' });
    await advance();
    await settle(closed);
    expect([clock.timers, errors]).toEqual([0, [closed]]);
    await run.runNow();
    expect(runs).toHaveLength(1);
  });

  it('runs once more after the run in progress, however often it is asked to run now', async () => {
    const { clock, runs, run, settle } = setUp();
    void run.runNow();
    await turns();
    const [second, third] = [run.runNow(), run.runNow()];
    expect(second).toBe(third);
    await settle('end');
    await settle('end');
    await second;
    expect([runs.length, clock.timers]).toEqual([2, 1]);
  });

  it('stops with no timer, reports nothing more, and waits for the run in progress', async () => {
    const { clock, errors, runs, run, advance, settle } = setUp();
    await advance();
    let isStopped = false;
    const stopped = run.stop().then(() => {
      isStopped = true;
    });
    await turns();
    expect(isStopped).toBe(false);
    await settle(new Error('late'));
    await stopped;
    await advance(1000);
    expect([clock.timers, errors, runs.length]).toEqual([0, [], 1]);
  });
});
