import type { Channel, Receiver, SendOptions } from '../jsonrpc/channel.js';
import { TenonError } from '../jsonrpc/error.js';
import { textOf } from '../jsonrpc/lasting.js';
import { isObject, type Message, type Response } from '../jsonrpc/message.js';

/** The client's end and the server's end of a road inside one process. */
export interface Pair {
  readonly client: Channel;
  readonly server: Channel;
}

/** Called with every message that crosses, as it will arrive, before it is delivered. */
export type Tap = (from: 'client' | 'server', message: Message | readonly Response[]) => void;

/** Settings of a pair of channels. */
export interface MemoryOptions {
  /**
   * Copies each message through JSON, so that the same data arrives as over any other transport: a `Date` as text, no
   * functions, and nothing that both ends share. A message that JSON cannot carry, such as one with a `BigInt` or a
   * circular value, fails in `send`. `false` passes messages by reference, which is faster: whoever sends a value must not
   * change it afterwards, and must not change what arrives. Default `true`.
   */
  readonly copyMessages?: boolean | undefined;
}

declare function queueMicrotask(run: () => void): void;

/** Messages that wait for an end to be opened, at the most. */
const MAX_EARLY = 1000;

/**
 * Two channels that are each other's other end. Messages cross as copies, in order, never within the call that sends
 * them.
 */
export function createPair(tap?: Tap, { copyMessages = true }: MemoryOptions = {}): Pair {
  const client = new End('in this process: server', copyMessages, message => tap?.('client', message));
  const server = new End('in this process: client', copyMessages, message => tap?.('server', message));
  client.joins(server);
  server.joins(client);
  return { client, server };
}

class End implements Channel {
  readonly peer: string;
  readonly #copies: boolean;
  readonly #tap: (message: Message | readonly Response[]) => void;
  #other: End | undefined;
  #receiver: Receiver | undefined;
  #early: (Message | readonly Response[])[] = [];
  #closed = false;
  /** Whether the other end has ended. */
  #left = false;

  constructor(peer: string, copies: boolean, tap: (message: Message | readonly Response[]) => void) {
    this.peer = peer;
    this.#copies = copies;
    this.#tap = tap;
  }

  joins(other: End): void {
    this.#other = other;
  }

  open(receiver: Receiver): void {
    this.#receiver = receiver;
    const early = this.#early;
    this.#early = [];
    if (this.#closed) return queueMicrotask(() => receiver.closed());
    for (const message of early) this.#deliver(message);
    if (this.#left) this.#hungUp();
  }

  send(sent: Message | readonly Response[], _options?: SendOptions): void {
    if (this.#closed || this.#left)
      throw new TenonError('connection/closed', 'the connection is closed', { peer: this.peer });
    const message = this.#copies ? copyMessage(sent) : sent;
    this.#tap(message);
    const other = this.#other as End;
    if (other.#receiver) return other.#deliver(message);
    if (other.#early.length >= MAX_EARLY) {
      throw new TenonError('connection/not-open', 'the other end is not open yet, and too much waits for it', {
        peer: this.peer,
      });
    }
    other.#early.push(message);
  }

  close(): void {
    if (this.#closed) return;
    this.#end();
    (this.#other as End).#hungUp();
  }

  #deliver(message: Message | readonly Response[]): void {
    queueMicrotask(() => {
      if (!this.#closed) this.#receiver?.message(message);
    });
  }

  /** The other end has ended. What it sent before comes first; to an end that is not open yet it comes at its opening. */
  #hungUp(): void {
    this.#left = true;
    if (this.#receiver) queueMicrotask(() => this.#end());
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#early = [];
    queueMicrotask(() => this.#receiver?.closed());
  }
}

/** Values that are no message cross too, because tests send them on purpose. */
function copyMessage(message: Message | readonly Response[]): Message | readonly Response[] {
  return JSON.parse(isObject(message) ? textOf(message) : JSON.stringify(message));
}
