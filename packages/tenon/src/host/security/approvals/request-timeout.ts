import type { Clock } from '../../../cancellation/clock.js';

/** An answer, or the reason for its absence: a timeout or a cancelled call. */
export type TimedAnswer<T> = { readonly answer: T } | { readonly ended: 'late' | 'gone' };

/**
 * Requests an approval, and stops waiting on timeout or when the caller disconnects. The signal that is passed on
 * cancels the request.
 */
export async function requestWithTimeout<T>(
  clock: Clock,
  timeout: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => T | Promise<T>,
): Promise<TimedAnswer<T>> {
  const withdrawing = new AbortController();
  let end: (how: 'late' | 'gone') => void = () => {};
  const over = new Promise<TimedAnswer<T>>(resolve => {
    end = how => resolve({ ended: how });
  });
  const stopWaiting = () => end('gone');
  const stop = clock.after(timeout, () => end('late'));
  signal.addEventListener('abort', stopWaiting);
  try {
    const asked = Promise.resolve(ask(withdrawing.signal)).then(answer => ({ answer }));
    const first = await Promise.race([asked, over]);
    asked.catch(() => {});
    return first;
  } finally {
    stop();
    signal.removeEventListener('abort', stopWaiting);
    withdrawing.abort();
  }
}
