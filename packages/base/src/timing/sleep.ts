import type { Clock } from './clock.js';
import type { AbortSignalLike } from './lazy-abort-signal.js';

/**
 * Waits for some time, in milliseconds, or until one of the signals is aborted. Keeps the process alive, as an open request
 * would.
 */
export function sleep(clock: Clock, ms: number, ...signals: readonly (AbortSignalLike | undefined)[]): Promise<void> {
  if (signals.some(signal => signal?.aborted)) return Promise.resolve();
  return new Promise(resolve => {
    const finish = () => {
      cancelTimer();
      for (const signal of signals) signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancelTimer = clock.after(ms, finish, { hold: true });
    for (const signal of signals) signal?.addEventListener('abort', finish);
  });
}
