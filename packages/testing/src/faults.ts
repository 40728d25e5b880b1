import {
  type Clock,
  checkFunction,
  checkObject,
  requireArgument,
  requirePresentOptions,
  systemClock,
  TenonError,
} from '@tenon/base';
import {
  type JsonRpcMessage,
  type MessageContext,
  type MessageReceiver,
  type SendOptions,
  type Transport,
  wrapTransport,
} from 'tenon';
import type { Id, JsonRpcResponse } from 'tenon/testing-internals';
import { malformMessage } from './malform-message.js';
import { checkMilliseconds, optionalClock, optionalFunction } from './option-checks.js';

/** Fault of one message. */
export type MessageFault =
  | { readonly kind: 'drop' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'replace'; readonly value: unknown }
  | { readonly kind: 'cut' };

/** Drops a message. */
export const drop: MessageFault = { kind: 'drop' };
/** Sends a message twice. */
export const duplicate: MessageFault = { kind: 'duplicate' };
/**
 * Makes a message invalid JSON-RPC. It keeps its ID: a response has a result and an error, and the params of another
 * message are a text.
 */
export const malformed: MessageFault = { kind: 'malformed' };
/**
 * Breaks the connection before a message, which is lost. Over HTTP, only the request or the stream of the message
 * breaks, and the client resumes a stream whose events have IDs. Any other connection is closed with
 * `connection/closed`.
 */
export const cut: MessageFault = { kind: 'cut' };

/** Delays a message, so that it arrives after later ones. */
export function delay(ms: number): MessageFault {
  requireArgument('`ms` of delay', ms, checkMilliseconds);
  return { kind: 'delay', ms };
}

/** Replaces a message by another value. */
export function replaceWith(value: unknown): MessageFault {
  return { kind: 'replace', value };
}

/** Returns the fault of a message, or `undefined` for none. `index` counts the messages of one direction from 0. */
export type FaultSchedule = (message: unknown, index: number) => MessageFault | undefined;

/** A fault that happens to a message. */
export interface InjectedFault {
  /** Direction of the message, as seen from the transport. */
  readonly direction: 'send' | 'receive';
  /** The fault. */
  readonly fault: MessageFault;
  /** The message before the fault. */
  readonly message: unknown;
  /** The value that takes its place. Absent if the message stays the same, or is lost. */
  readonly replacement?: unknown;
  /** The sent request on whose stream the message arrived. Absent if it is not known. */
  readonly relatedTo?: Id | undefined;
}

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
   * Called before each fault happens.
   * @default nothing is called
   */
  readonly onFault?: ((injected: InjectedFault) => void) | undefined;
  /**
   * Clock for `delay`.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Wraps a transport so that the scheduled faults happen. */
export function withFaults(transport: Transport, given: FaultOptions): Transport {
  requirePresentOptions<FaultOptions>('withFaults', given, {
    send: optionalFunction,
    receive: optionalFunction,
    onFault: optionalFunction,
    clock: optionalClock,
  });
  requireArgument('`transport` of withFaults', transport, checkObject({ open: checkFunction }));
  const { send, receive, onFault, clock = systemClock } = given;
  let sent = 0;
  let received = 0;
  let receiver: MessageReceiver | undefined;
  let isCut = false;

  /** Closes the connection, for a transport that has only one. */
  const closeWith = (error: TenonError): void => {
    if (isCut) return;
    isCut = true;
    receiver?.onClose(error);
    void transport.close();
  };
  const cutReceived = (context: MessageContext | undefined): void => {
    if (transport.cutStream?.()) return;
    if (context?.relatedTo === undefined) closeWith(createCutError(transport, 'connection/closed'));
    else receiver?.onResponseLost(context.relatedTo, createCutError(transport, 'http/interrupted'));
  };
  const cutSent = (): never => {
    const error = createCutError(transport, transport.cutStream ? 'http/interrupted' : 'connection/closed');
    if (!transport.cutStream) closeWith(error);
    throw error;
  };
  const report = (
    direction: InjectedFault['direction'],
    fault: MessageFault,
    message: unknown,
    context?: MessageContext,
  ): void => {
    const { relatedTo } = context ?? {};
    onFault?.({
      direction,
      fault,
      message,
      ...(fault.kind === 'malformed' ? { replacement: malformMessage(message) } : {}),
      ...(fault.kind === 'replace' ? { replacement: fault.value } : {}),
      ...(relatedTo === undefined ? {} : { relatedTo }),
    });
  };

  return wrapTransport(transport, {
    receive(opened) {
      receiver = opened;
      return {
        onMessage(value: unknown, context?: MessageContext) {
          if (isCut) return;
          const fault = receive?.(value, received++);
          if (fault) report('receive', fault, value, context);
          if (fault?.kind === 'cut') cutReceived(context);
          else applyFault(fault, value, each => opened.onMessage(each, context), clock);
        },
        onClose(error) {
          if (!isCut) opened.onClose(error);
        },
      };
    },
    async send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions) {
      const sends: (void | Promise<void>)[] = [];
      const fault = send?.(message, sent++);
      if (fault) report('send', fault, message);
      if (fault?.kind === 'cut') return cutSent();
      let isLate = false;
      const deliver = (each: unknown): void => {
        if (isLate) void sendLate(transport, receiver, each as JsonRpcMessage, options);
        else sends.push(transport.send(each as JsonRpcMessage, options));
      };
      applyFault(fault, message, deliver, clock);
      isLate = true;
      await Promise.all(sends);
    },
  });
}

/** Sends a delayed message. The sender waits for it no more, so a failure is reported for its request. */
async function sendLate(
  transport: Transport,
  receiver: MessageReceiver | undefined,
  message: JsonRpcMessage,
  options: SendOptions | undefined,
): Promise<void> {
  try {
    await transport.send(message, options);
  } catch (error) {
    if ('method' in message && 'id' in message) receiver?.onResponseLost(message.id, TenonError.from(error));
  }
}

function createCutError({ peer }: Transport, code: 'http/interrupted' | 'connection/closed'): TenonError {
  return new TenonError(code, 'the connection was cut by a fault of the test', { peer });
}

function applyFault(
  fault: Exclude<MessageFault, { readonly kind: 'cut' }> | undefined,
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
    case 'malformed':
      return deliver(malformMessage(value));
    case 'replace':
      return deliver(fault.value);
  }
}
