import { vi } from 'vitest';

/** Tries again and again until it no longer throws: what another process does takes its time. */
export const retryUntilPasses = <T>(attempt: () => T | Promise<T>): Promise<T> => vi.waitFor(attempt);
