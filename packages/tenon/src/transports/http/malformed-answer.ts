import type { Receiver } from '../../jsonrpc/channel.js';
import { TenonError } from '../../jsonrpc/error.js';
import { isAnswer, malformation } from '../../jsonrpc/message.js';

/** Ends the request of ours that a malformed answer names: no other answer will come, so that waiting on would be in vain. */
export function failMalformedAnswer(receiver: Receiver | undefined, value: unknown, peer: string): void {
  if (!isAnswer(value)) return;
  const { why } = malformation(value);
  receiver?.lost(value.id, new TenonError('peer/malformed', `sent something that is no message: ${why}`, { peer }));
}
