import type { Clock } from '../../jsonrpc/clock.js';

/** What was answered, or why nothing was: too late, or the caller went away. */
export type InTime<T> = { readonly answer: T } | { readonly ended: 'late' | 'gone' };

/** Asks, and stops waiting when the time is up or the caller goes away: the signal that is handed on tells whoever is asked. */
export async function withinLife<T>(
  clock: Clock,
  life: number,
  signal: AbortSignal,
  ask: (signal: AbortSignal) => T | Promise<T>,
): Promise<InTime<T>> {
  const withdrawing = new AbortController();
  let end: (how: 'late' | 'gone') => void = () => {};
  const over = new Promise<InTime<T>>(resolve => {
    end = how => resolve({ ended: how });
  });
  const leave = () => end('gone');
  const stop = clock.after(life, () => end('late'));
  signal.addEventListener('abort', leave);
  try {
    const asked = Promise.resolve(ask(withdrawing.signal)).then(answer => ({ answer }));
    const first = await Promise.race([asked, over]);
    asked.catch(() => {});
    return first;
  } finally {
    stop();
    signal.removeEventListener('abort', leave);
    withdrawing.abort();
  }
}
