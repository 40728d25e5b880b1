import { type AbortSignalLike, type Clock, isRefusedForNow, sleep, type TenonError } from '@tenon/base';
import { IDLE_TIMEOUT } from '../../jsonrpc/pending-requests.js';

/** Minimum delay between two attempts, in milliseconds. */
const MIN_DELAY = 100;

/** Limits of the wait for a server that refuses requests for now. */
export interface RefusalWait {
  readonly clock: Clock;
  /** Time on the clock at which the wait ends. */
  readonly until: number;
  /** Signals that end the wait. The next attempt then fails with their reason. */
  readonly signals: readonly (AbortSignalLike | undefined)[];
  /** Tells if a refusal permits another attempt. Default: each does. */
  readonly mayRepeat?: (refusal: TenonError) => boolean;
}

/**
 * Returns the time in milliseconds for which a refused request may be repeated: that for a response, or the total time if it is
 * shorter.
 */
export function getRefusalTimeout(idleTimeout: number | undefined, remaining = Number.POSITIVE_INFINITY): number {
  return Math.min(idleTimeout ?? IDLE_TIMEOUT, remaining);
}

/**
 * Repeats a request as often as the server has asked to wait with 503 and a time. Otherwise, and when the wait would exceed
 * its limit, throws the last error.
 *
 * @param first Error of the first attempt.
 */
export async function repeatWhileRefused<T>(
  first: unknown,
  send: () => Promise<T>,
  { clock, until, signals, mayRepeat = () => true }: RefusalWait,
): Promise<T> {
  for (let error = first; ; ) {
    if (!isRefusedForNow(error) || !mayRepeat(error)) throw error;
    const delay = Math.max(MIN_DELAY, error.retryAfterMs);
    if (clock.elapsed() + delay >= until) throw error;
    await sleep(clock, delay, ...signals);
    try {
      return await send();
    } catch (thrown) {
      error = thrown;
    }
  }
}
