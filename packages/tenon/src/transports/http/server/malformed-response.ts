import { TenonError } from '@tenon/base';
import { diagnoseMessage, isResponseLike } from '../../../jsonrpc/message.js';
import type { MessageReceiver } from '../../../jsonrpc/transport.js';

/** Fails the request that a malformed response names, because no other response will arrive. */
export function failMalformedResponse(receiver: MessageReceiver | undefined, value: unknown, peer: string): void {
  if (!isResponseLike(value)) return;
  const { reason } = diagnoseMessage(value);
  receiver?.onResponseLost(
    value.id,
    new TenonError('peer/malformed', `received an invalid message: ${reason}`, { peer }),
  );
}
