import { TenonError } from '../errors/error.js';
import type { Clock } from './clock.js';

export interface PeriodicRunOptions {
  readonly clock: Clock;
  /** Time between the end of a run and the next one, in milliseconds. */
  readonly interval: number;
  /** Called for the first of several consecutive failures. */
  readonly onError: (error: unknown) => void;
}

/** Work that is repeated until `stop` is called. */
export interface PeriodicRun {
  /** Runs the work now, or again after the run in progress. Resolves after that run, even if it failed. */
  runNow(): Promise<void>;
  /** Ends the repetition. Resolves when the run in progress has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at intervals until it is stopped, one run at a time. A failed run is repeated after the interval. A closed
 * store stays closed, so a run that fails with `store/closed` is the last one.
 */
export function runPeriodically(
  { clock, interval, onError }: PeriodicRunOptions,
  work: () => void | Promise<void>,
): PeriodicRun {
  let isStopped = false;
  let hasFailed = false;
  let cancelTimer = () => {};
  let lastRun: Promise<void> = Promise.resolve();
  let nextRun: Promise<void> | undefined;

  async function runOnce(): Promise<void> {
    nextRun = undefined;
    if (isStopped) return;
    cancelTimer();
    try {
      await work();
      hasFailed = false;
    } catch (error) {
      const isFirst = !hasFailed && !isStopped;
      hasFailed = true;
      if (isStoreClosed(error)) isStopped = true;
      if (isFirst) onError(error);
    } finally {
      schedule();
    }
  }

  function runNow(): Promise<void> {
    if (nextRun === undefined) {
      nextRun = lastRun.then(runOnce, runOnce);
      lastRun = nextRun;
    }
    return nextRun;
  }

  function schedule(): void {
    if (!isStopped) cancelTimer = clock.after(interval, () => void runNow());
  }

  schedule();
  return {
    runNow,
    stop() {
      isStopped = true;
      cancelTimer();
      return lastRun;
    },
  };
}

/** Tells if a store was closed, so that no later call of it succeeds. */
export function isStoreClosed(error: unknown): boolean {
  return TenonError.is(error) && error.code === 'store/closed';
}
