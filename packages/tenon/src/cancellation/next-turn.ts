declare const setImmediate: ((run: () => void) => unknown) | undefined;
declare function setTimeout(run: () => void, ms: number): unknown;

/**
 * Runs a function in the next turn of the event loop, after all microtasks. A timer takes at least 1 ms, so it is used only
 * in runtimes without `setImmediate`.
 */
export function runNextTurn(run: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(run);
  else setTimeout(run, 0);
}
