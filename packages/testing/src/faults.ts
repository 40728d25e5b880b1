import { type Clock, checkFunction, checkObject, requireArgument, requireKnownOptions, systemClock } from '@tenon/base';
import { type JsonRpcMessage, type MessageContext, type SendOptions, type Transport, wrapTransport } from 'tenon';
import type { JsonRpcResponse } from 'tenon/testing-internals';

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

/** Delays a message, so that it arrives after later ones. */
export function delay(ms: number): MessageFault {
  return { kind: 'delay', ms };
}

/** Replaces a message by another value. */
export function replaceWith(value: unknown): MessageFault {
  return { kind: 'replace', value };
}

/** Returns the fault of a message, or `undefined` for none. `index` counts the messages of one direction from 0. */
export type FaultSchedule = (message: unknown, index: number) => MessageFault | undefined;

/** Faults for the two directions of a transport. */
export interface FaultOptions {
  /**
   * Faults of the messages that the transport sends.
   * @default none
   */
  readonly send?: FaultSchedule | undefined;
  /**
   * Faults of the messages that the transport receives.
   * @default none
   */
  readonly receive?: FaultSchedule | undefined;
  /**
   * Clock for `delay`.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Wraps a transport so that the scheduled faults happen. */
export function withFaults(transport: Transport, given: FaultOptions): Transport {
  requireKnownOptions('withFaults', given, { send: true, receive: true, clock: true });
  requireArgument('`transport` of withFaults', transport, checkObject({ open: checkFunction }));
  const { send, receive, clock = systemClock } = given;
  let sent = 0;
  let received = 0;
  return wrapTransport(transport, {
    receive: receiver => ({
      onMessage: (value: unknown, context?: MessageContext) =>
        applyFault(receive?.(value, received++), value, each => receiver.onMessage(each, context), clock),
    }),
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
  });
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
