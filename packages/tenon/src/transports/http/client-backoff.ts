import type { Clock } from '../../jsonrpc/clock.js';
import type { Signal } from '../../jsonrpc/recall.js';
import type { ReconnectPolicy } from './client-options.js';

/** One stream over all the connections that carry it. */
export interface Course {
  lastEventId: string | undefined;
  /** What the server asked reconnects to wait, in milliseconds. */
  retry: number | undefined;
  /** When the last message came. */
  heardAt: number;
  /** Connections in a row that carried no message. */
  idle: number;
  /** Attempts in a row that found no stream. */
  down: number;
  /** Connections and attempts in a row that brought neither an event nor a wish to be polled. */
  fruitless: number;
}

/** What one connection brought. */
export interface Yield {
  readonly message: boolean;
  /** A new event id, or a `retry`. */
  readonly sign: boolean;
  /** How long it stood, in milliseconds. */
  readonly stood: number;
}

/** A connection that stood this long was not closed at once, whatever it carried. */
const STOOD_LONG = 10_000;
const LEAST_POLL = 10;
const MOST_POLL = 1_000;

export function setOut(now: number): Course {
  return { lastEventId: undefined, retry: undefined, heardAt: now, idle: 0, down: 0, fruitless: 0 };
}

export function noteConnection(course: Course, { message, sign, stood }: Yield, now: number): void {
  if (message) course.heardAt = now;
  const lived = message || stood >= STOOD_LONG;
  course.down = 0;
  course.idle = lived ? 0 : course.idle + 1;
  course.fruitless = lived || sign ? 0 : course.fruitless + 1;
}

export function noteFailure(course: Course): void {
  course.down += 1;
  course.fruitless += 1;
}

export function isExhausted(course: Course, policy: ReconnectPolicy, now: number): boolean {
  return course.fruitless >= policy.attempts || now - course.heardAt > policy.patience;
}

/**
 * How long to wait, in milliseconds. A server that asked for a time gets that, and up to a tenth more, so that its
 * clients do not come together; only one that asks for next to none and never says anything is asked ever less often.
 */
export function waitBefore(course: Course, policy: ReconnectPolicy, random: () => number): number {
  const { retry, down, idle } = course;
  if (retry === undefined) return doubled(policy, Math.max(1, down, idle), random);
  const asked = retry * (1 + random() / 10);
  return Math.max(asked, down > 0 ? doubled(policy, down, random) : leastPoll(idle));
}

function doubled({ first, longest }: ReconnectPolicy, times: number, random: () => number): number {
  return Math.min(longest, first * 2 ** (times - 1)) * (1 + random() / 2);
}

function leastPoll(idle: number): number {
  return idle < 2 ? LEAST_POLL : Math.min(MOST_POLL, LEAST_POLL * 2 ** (idle - 1));
}

/**
 * Waits by the clock, or until one of the signals is aborted. While a call waits for its answer nothing else may keep the process alive: then
 * `hold` does.
 */
export function pause(
  clock: Clock,
  ms: number,
  signal: Signal,
  hold: boolean,
  ...others: readonly Signal[]
): Promise<void> {
  const signals = [signal, ...others];
  return new Promise(resolve => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const done = () => {
      for (const signal of signals) signal.removeEventListener('abort', done);
      callOff();
      resolve();
    };
    const callOff = clock.after(ms, done, { hold });
    for (const signal of signals) signal.addEventListener('abort', done);
  });
}
