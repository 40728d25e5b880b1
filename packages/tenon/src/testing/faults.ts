import type { Channel, Envelope, Receiver, SendOptions } from '../jsonrpc/channel.js';
import { type Clock, systemClock } from '../jsonrpc/clock.js';
import type { Message, Response } from '../jsonrpc/message.js';

/** What happens to one message on its way. */
export type Fault =
  | { readonly kind: 'drop' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'garbage'; readonly value: unknown };

/** The message is lost. */
export const drop: Fault = { kind: 'drop' };
/** The message comes twice. */
export const duplicate: Fault = { kind: 'duplicate' };

/** The message comes later, behind those that were sent after it. */
export function delay(ms: number): Fault {
  return { kind: 'delay', ms };
}

/** Something else comes instead of the message. */
export function garbage(value: unknown): Fault {
  return { kind: 'garbage', value };
}

/** Decides what happens to a message; nothing, when it returns `undefined`. `index` counts those of its direction from 0. */
export type Plan = (message: unknown, index: number) => Fault | undefined;

export interface Faults {
  /** For what is sent on the channel. */
  readonly send?: Plan | undefined;
  /** For what it receives. */
  readonly receive?: Plan | undefined;
  /** For `delay`. */
  readonly clock?: Clock | undefined;
}

/** A channel on which things go wrong as planned. */
export function faulty(channel: Channel, { send, receive, clock = systemClock }: Faults): Channel {
  let sent = 0;
  let received = 0;
  return {
    peer: channel.peer,
    open(receiver: Receiver) {
      const deliver = (value: unknown, envelope?: Envelope) => receiver.message(value, envelope);
      return channel.open({
        message: (value, envelope) =>
          apply(receive?.(value, received++), value, each => deliver(each, envelope), clock),
        unreadable: error => receiver.unreadable(error),
        lost: (id, error) => receiver.lost(id, error),
        closed: error => receiver.closed(error),
      });
    },
    async send(message: Message | readonly Response[], options?: SendOptions) {
      const on: (void | Promise<void>)[] = [];
      apply(send?.(message, sent++), message, each => on.push(channel.send(each as Message, options)), clock);
      await Promise.all(on);
    },
    close: () => channel.close(),
  };
}

function apply(fault: Fault | undefined, value: unknown, pass: (value: unknown) => void, clock: Clock): void {
  switch (fault?.kind) {
    case undefined:
      return pass(value);
    case 'drop':
      return;
    case 'duplicate':
      pass(value);
      return pass(value);
    case 'delay':
      clock.after(fault.ms, () => pass(value));
      return;
    case 'garbage':
      return pass(fault.value);
  }
}
