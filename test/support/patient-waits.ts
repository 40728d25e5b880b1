import { vi } from 'vitest';

/**
 * Time for a condition to come true, in milliseconds: almost that of a test, because a busy machine is slow. A wait ends when its
 * condition holds, so a longer limit costs nothing but in a test that fails.
 */
const WAIT_TIMEOUT = 55_000;
const WAIT_INTERVAL = 20;

const { waitFor } = vi;

vi.waitFor = (callback, options) => {
  const interval = typeof options === 'object' ? options.interval : undefined;
  return waitFor(callback, { timeout: WAIT_TIMEOUT, interval: interval ?? WAIT_INTERVAL });
};
