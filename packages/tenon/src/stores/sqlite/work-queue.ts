import type { Clock } from '../../cancellation/clock.js';
import { isBusy, toStoreError } from './errors.js';

/** Maximum delay before the next attempt, in milliseconds. SQLite itself has waited before: see `ATTEMPT_TIMEOUT`. */
const MAX_PAUSE = 25;
/**
 * Time that one attempt may block in SQLite, and with it this process, while another process writes, in milliseconds.
 */
export const ATTEMPT_TIMEOUT = 25;

/** Runs work on a connection, in the order in which it comes. */
export type WorkQueue = <T>(work: () => T) => Promise<T>;

/**
 * A line in front of a connection. What finds the file held by another process is tried again, for `patience`
 * milliseconds from when it came; then it is given up with `store/busy`.
 */
export function createWorkQueue(clock: Clock, timeout: number, file: string): WorkQueue {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const deadline = clock.now() + timeout;
    const turn = last.then(() => attemptWork(work, clock, deadline, file));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function attemptWork<T>(work: () => T, clock: Clock, deadline: number, file: string): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || clock.now() >= deadline) throw toStoreError(error, file);
    }
    // A caller waits for the result, so the process must stay alive. Processes that collided once should not collide
    // again.
    await new Promise<void>(resolve => clock.after(1 + Math.random() * MAX_PAUSE, resolve, { hold: true }));
  }
}
