import type { AbortSignalLike, Clock } from '@tenon/base';
import type { ReconnectPolicy } from './options.js';

/** Progress of one stream over all its connections. */
export interface StreamProgress {
  lastEventId: string | undefined;
  /** Delay before reconnects that the server requested, in milliseconds. */
  retry: number | undefined;
  /** Time of the last message, in milliseconds of the clock. */
  lastMessageAt: number;
  /** Number of consecutive connections without a message. */
  idleConnections: number;
  /** Number of consecutive failed attempts to open the stream. */
  failedAttempts: number;
  /** Number of consecutive connections and attempts without an event or a request to poll. */
  fruitlessAttempts: number;
}

/** Outcome of one connection, for the next delay. */
interface ConnectionOutcome {
  readonly message: boolean;
  /** True if the connection received a new event ID or a `retry`. */
  readonly hasProgress: boolean;
  /** Duration of the connection, in milliseconds. */
  readonly duration: number;
}

/**
 * Minimum duration of a stable connection, in milliseconds. Such a connection counts as successful even without
 * messages.
 */
const STABLE_AFTER = 10_000;
const MIN_POLL_DELAY = 10;
const MAX_POLL_DELAY = 1_000;

export function createStreamProgress(now: number): StreamProgress {
  return {
    lastEventId: undefined,
    retry: undefined,
    lastMessageAt: now,
    idleConnections: 0,
    failedAttempts: 0,
    fruitlessAttempts: 0,
  };
}

export function recordConnection(
  progress: StreamProgress,
  { message, hasProgress, duration }: ConnectionOutcome,
  now: number,
): void {
  if (message) progress.lastMessageAt = now;
  const wasStable = message || duration >= STABLE_AFTER;
  progress.failedAttempts = 0;
  progress.idleConnections = wasStable ? 0 : progress.idleConnections + 1;
  progress.fruitlessAttempts = wasStable || hasProgress ? 0 : progress.fruitlessAttempts + 1;
}

export function recordFailure(progress: StreamProgress): void {
  progress.failedAttempts += 1;
  progress.fruitlessAttempts += 1;
}

export function isExhausted(progress: StreamProgress, policy: ReconnectPolicy, now: number): boolean {
  return progress.fruitlessAttempts >= policy.maxAttempts || now - progress.lastMessageAt > policy.maxElapsed;
}

/**
 * Computes the delay before the next attempt, in milliseconds. A delay that the server requested is extended by up to a
 * tenth, so that its clients do not reconnect at the same time. If the server requests almost no delay and sends no
 * messages, the delay increases.
 */
export function computeDelay(progress: StreamProgress, policy: ReconnectPolicy, random: () => number): number {
  const { retry, failedAttempts, idleConnections } = progress;
  if (retry === undefined) return computeBackoff(policy, Math.max(1, failedAttempts, idleConnections), random);
  const requested = retry * (1 + random() / 10);
  if (failedAttempts > 0) return Math.max(requested, computeBackoff(policy, failedAttempts, random));
  const idleDelay = idleConnections < 2 ? MIN_POLL_DELAY : MIN_POLL_DELAY * 2 ** (idleConnections - 1);
  return Math.max(requested, Math.min(MAX_POLL_DELAY, idleDelay));
}

function computeBackoff({ initialDelay, maxDelay }: ReconnectPolicy, times: number, random: () => number): number {
  return Math.min(maxDelay, initialDelay * 2 ** (times - 1)) * (1 + random() / 2);
}

/**
 * Waits for some time, or until one of the signals is aborted. `hold` keeps the process alive while a call waits for
 * its response.
 */
export function pause(
  clock: Clock,
  ms: number,
  signal: AbortSignalLike,
  hold: boolean,
  ...others: readonly AbortSignalLike[]
): Promise<void> {
  const signals = [signal, ...others];
  return new Promise(resolve => {
    if (signals.some(({ aborted }) => aborted)) return resolve();
    const finishWait = () => {
      for (const signal of signals) signal.removeEventListener('abort', finishWait);
      cancelTimer();
      resolve();
    };
    const cancelTimer = clock.after(ms, finishWait, { hold });
    for (const signal of signals) signal.addEventListener('abort', finishWait);
  });
}
