import type { ClientOptions } from 'tenon';

const cancel = () => ({ action: 'cancel' as const });

/**
 * Handlers of a client without a user. All commands declare the same capabilities to the daemon, because it opens a
 * connection for each set of capabilities.
 */
export const keptHandlers: Required<Pick<ClientOptions, 'elicit' | 'elicitUrl'>> = {
  elicit: cancel,
  elicitUrl: cancel,
};
