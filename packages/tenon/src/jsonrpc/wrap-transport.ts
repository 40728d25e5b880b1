import { checkFunction, checkObject, requireArgument } from '@tenon/base';
import type { MessageReceiver, Transport } from './transport.js';

/** Members of a transport that `wrapTransport` replaces. */
export interface TransportChanges {
  /** Sends in place of the transport. */
  readonly send?: Transport['send'] | undefined;
  /** Closes in place of the transport. */
  readonly close?: Transport['close'] | undefined;
  /**
   * Returns the members of the receiver to replace. Called when the transport is opened.
   * @default none
   */
  readonly receive?: ((receiver: MessageReceiver) => ReceiverChanges) | undefined;
}

/** Members of a receiver that `wrapTransport` replaces. */
export type ReceiverChanges = { readonly [K in keyof MessageReceiver]?: MessageReceiver[K] | undefined };

/**
 * Wraps a transport, to observe or change its messages. All other members stay those of `transport`, also those that only
 * some transports have.
 * @param transport Transport that was not opened yet.
 * @param changes Members to replace.
 */
export function wrapTransport(transport: Transport, given: TransportChanges): Transport {
  requireArgument('`transport` of wrapTransport', transport, checkObject({ open: checkFunction }));
  requireArgument('`changes` of wrapTransport', given, checkObject());
  const { receive, ...changes } = given;
  return replaceMembers(transport, {
    ...changes,
    open: receiver => transport.open(receive ? replaceMembers(receiver, receive(receiver)) : receiver),
  });
}

/** Returns an object with other implementations of some members. Optional members and getters stay as they are. */
function replaceMembers<T extends object>(target: T, members: { readonly [K in keyof T]?: T[K] | undefined }): T {
  return new Proxy(target, {
    get(object, name) {
      const member: unknown = Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
      if (member !== undefined) return member;
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
