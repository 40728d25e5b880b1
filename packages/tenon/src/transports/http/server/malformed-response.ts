import { TenonError } from '../../../jsonrpc/error.js';
import { diagnoseMessage, isResponseLike } from '../../../jsonrpc/message.js';
import type { MessageReceiver } from '../../../jsonrpc/transport.js';

/** Ends the request of ours that a malformed answer names: no other answer will come, so that waiting on would be in vain. */
export function failMalformedResponse(receiver: MessageReceiver | undefined, value: unknown, peer: string): void {
  if (!isResponseLike(value)) return;
  const { reason } = diagnoseMessage(value);
  receiver?.onResponseLost(
    value.id,
    new TenonError('peer/malformed', `received an invalid message: ${reason}`, { peer }),
  );
}
