declare const setImmediate: ((run: () => void) => unknown) | undefined;
declare function setTimeout(run: () => void, ms: number): unknown;

/**
 * Runs a function in the next turn of the event loop, after all microtasks. Runtimes without `setImmediate` use a
 * timer, which takes at least 1 ms.
 */
export function runNextTurn(run: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(run);
  else setTimeout(run, 0);
}
