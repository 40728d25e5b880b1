import { vi } from 'vitest';

/** Tries again and again until it no longer throws: what another process does takes its time. */
export function retryUntilPasses<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 15_000, interval: 25 });
}
