import { toRefusal } from './error-response.js';
import { type Id, isBatch, isMessage, type JsonRpcMessage, type JsonRpcResponse } from './message.js';
import type { MessageContext, SendOptions, Transport } from './transport.js';
import { wrapTransport } from './wrap-transport.js';

/**
 * Called with each message of a connection, in the form of its protocol version. `relatedTo` is the ID of the client's
 * request on whose stream the server sent the message, if the transport knows it.
 */
export type MessageObserver = (
  from: 'client' | 'server',
  message: JsonRpcMessage | readonly JsonRpcResponse[],
  relatedTo?: Id,
) => void;

/** Passes each message of the client's end of a connection to an observer. */
export function observeTransport(transport: Transport, observer: MessageObserver): Transport {
  const observeReceived = (value: unknown, relatedTo?: Id): void => {
    if (Array.isArray(value)) for (const each of value) observeReceived(each, relatedTo);
    else if (isMessage(value)) observer('server', value, relatedTo);
  };
  const send = (message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions) => {
    for (const each of isBatch(message) ? message : [message]) observer('client', each);
    const sent = transport.send(message, options);
    if (!sent || isBatch(message) || !('method' in message) || !('id' in message)) return sent;
    return sent.catch(error => {
      const refusal = toRefusal(error, message.id);
      if (refusal) observer('server', refusal, message.id);
      throw error;
    });
  };
  return wrapTransport(transport, {
    send,
    receive: receiver => ({
      onMessage(value: unknown, context?: MessageContext) {
        observeReceived(value, context?.relatedTo);
        receiver.onMessage(value, context);
      },
    }),
  });
}
