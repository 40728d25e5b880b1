import { TenonError } from './error.js';
import { type Id, shownId } from './message.js';

/** Messages in one batch, at the most. */
export const MAX_BATCH = 50;

export function describeBatchFault(batch: readonly unknown[]): string {
  if (batch.length > MAX_BATCH) return `Invalid request: a batch of more than ${MAX_BATCH} messages`;
  return 'Invalid request: a batch is no message';
}

export function createUnreadableError(peer: string, message: string): TenonError {
  return new TenonError('peer/unreadable', `could not read a message of ours: ${message}`, { peer });
}

export function createUnaskedError(peer: string, id: Id): TenonError {
  return new TenonError('peer/unasked', `answered ${shownId(id)}, which nobody waits for`, { peer });
}

export function createMayNotAskError(peer: string, method: string): TenonError {
  const asked = method.slice(0, 128);
  return new TenonError('peer/may-not-ask', `asked ${asked}, which its revision has no requests for`, { peer });
}
