import type { Clock } from '../../jsonrpc/clock.js';
import { fault, isBusy } from './faults.js';

/** How long to wait before trying again, at the most. SQLite itself has waited a little each time: see `ATTEMPT_MS`. */
const PAUSE_MS = 25;
/** How long one attempt may stand still in SQLite, and with it this process, while another process writes. */
export const ATTEMPT_MS = 25;

/** Runs work on a connection, in the order in which it comes. */
export type Line = <T>(work: () => T) => Promise<T>;

/**
 * A line in front of a connection. What finds the file held by another process is tried again, for `patience`
 * milliseconds from when it came; then it is given up with `store/busy`.
 */
export function createLine(clock: Clock, patience: number, file: string): Line {
  let last: Promise<unknown> = Promise.resolve();
  return work => {
    const until = clock.now() + patience;
    const turn = last.then(() => attempt(work, clock, until, file));
    last = turn.catch(() => undefined);
    return turn;
  };
}

async function attempt<T>(work: () => T, clock: Clock, until: number, file: string): Promise<T> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || clock.now() >= until) throw fault(error, file);
    }
    // Somebody waits for the outcome, so the process is to stay alive. Processes that met once are not to meet again.
    await new Promise<void>(resolve => clock.after(1 + Math.random() * PAUSE_MS, resolve, { hold: true }));
  }
}
