import { type Clock, systemClock } from '../cancellation/clock.js';
import type { JsonRpcMessage, JsonRpcResponse } from '../jsonrpc/message.js';
import type { MessageContext, MessageReceiver, SendOptions, Transport } from '../jsonrpc/transport.js';

/** Fault of one message. */
export type MessageFault =
  | { readonly kind: 'drop' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'replace'; readonly value: unknown };

/** Drops a message. */
export const drop: MessageFault = { kind: 'drop' };
/** Sends a message twice. */
export const duplicate: MessageFault = { kind: 'duplicate' };

/** Delays a message behind those that are sent after it. */
export function delay(ms: number): MessageFault {
  return { kind: 'delay', ms };
}

/** Replaces a message by another value. */
export function replaceWith(value: unknown): MessageFault {
  return { kind: 'replace', value };
}

/** Decides what happens to a message; nothing, when it returns `undefined`. `index` counts those of its direction from 0. */
export type FaultSchedule = (message: unknown, index: number) => MessageFault | undefined;

/** Faults for the two directions of a transport. */
export interface FaultOptions {
  /** For what is sent on the channel. */
  readonly send?: FaultSchedule | undefined;
  /** For what it receives. */
  readonly receive?: FaultSchedule | undefined;
  /** For `delay`. */
  readonly clock?: Clock | undefined;
}

/** Wraps a transport so that faults happen as scheduled. */
export function withFaults(transport: Transport, { send, receive, clock = systemClock }: FaultOptions): Transport {
  let sent = 0;
  let received = 0;
  return {
    peer: transport.peer,
    open(receiver: MessageReceiver) {
      const deliver = (value: unknown, envelope?: MessageContext) => receiver.onMessage(value, envelope);
      return transport.open({
        onMessage: (value, envelope) =>
          applyFault(receive?.(value, received++), value, each => deliver(each, envelope), clock),
        onParseError: error => receiver.onParseError(error),
        onResponseLost: (id, error) => receiver.onResponseLost(id, error),
        onClose: error => receiver.onClose(error),
      });
    },
    async send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions) {
      const sends: (void | Promise<void>)[] = [];
      applyFault(
        send?.(message, sent++),
        message,
        each => sends.push(transport.send(each as JsonRpcMessage, options)),
        clock,
      );
      await Promise.all(sends);
    },
    close: () => transport.close(),
  };
}

function applyFault(
  fault: MessageFault | undefined,
  value: unknown,
  deliver: (value: unknown) => void,
  clock: Clock,
): void {
  switch (fault?.kind) {
    case undefined:
      return deliver(value);
    case 'drop':
      return;
    case 'duplicate':
      deliver(value);
      return deliver(value);
    case 'delay':
      clock.after(fault.ms, () => deliver(value));
      return;
    case 'replace':
      return deliver(fault.value);
  }
}
