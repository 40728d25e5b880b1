import { systemClock } from '@tenon/base';

/** Milliseconds. No work of a measurement waits for longer. */
const LONGEST_WAIT = 1000;

/**
 * Sets no timers in this process but those that the work of a measurement waits for. Renewals, checks for lost processes and the
 * search for idle sessions come after seconds, so a busy machine would count them.
 */
export function omitLongTimers(): void {
  const { after } = systemClock;
  systemClock.after = (ms, run, options) => (ms < LONGEST_WAIT ? after(ms, run, options) : () => {});
}
