import { TenonError } from './error.js';
import { type Id, shownId } from './message.js';

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
