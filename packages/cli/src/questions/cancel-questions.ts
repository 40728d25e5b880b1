import type { ClientOptions } from 'tenon';

const cancel = () => ({ action: 'cancel' as const });

/**
 * Handlers of a command that asks nobody. All commands declare these capabilities, because some servers offer tools that ask
 * questions only to clients with them, and because the daemon opens a connection for each set of capabilities.
 */
export const cancelQuestions: Required<Pick<ClientOptions, 'elicit' | 'elicitUrl'>> = {
  elicit: cancel,
  elicitUrl: cancel,
};
