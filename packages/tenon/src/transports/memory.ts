import { type AuthInfo, copyThroughJson, requireKnownOptions, TenonError } from '@tenon/base';
import { createUnserializableError, type JsonRpcMessage, type JsonRpcResponse } from '../jsonrpc/message.js';
import type { MessageObserver } from '../jsonrpc/observe-transport.js';
import type { MessageReceiver, SendOptions, Transport } from '../jsonrpc/transport.js';

/** The two connected transports of a client and a server in one process. */
export interface TransportPair {
  /** The client's end. */
  readonly client: Transport;
  /** The server's end. */
  readonly server: Transport;
}

/** Options of a pair of memory transports. */
export interface MemoryOptions {
  /**
   * Copies each message through JSON, so that the same data arrives as over any other transport. A `Date` becomes
   * text, and no objects are shared. A client rejects with `call/unwritable` if JSON cannot represent a part of its
   * message, such as a `BigInt` or a `Map`. Other messages with a `BigInt` fail in `send`.
   *
   * `false` passes messages by reference, which is faster. Neither side may then change a value after sending or
   * receiving it.
   *
   * @default `true`
   */
  readonly copyMessages?: boolean | undefined;
  /**
   * The caller that the server sees, for tests: its principal, scopes and OAuth client, as if it had sent a token.
   * Rejects with `connect/caller` for a server that is not in this process, because only a token identifies its caller.
   * @default none
   */
  readonly caller?: AuthInfo | undefined;
}

declare function queueMicrotask(run: () => void): void;

/** Maximum number of messages that wait for a transport to be opened. */
const MAX_PENDING = 1000;

/**
 * Creates two connected transports. Messages are copied and keep their order. They are never delivered during the call
 * of `send`.
 */
export function createTransportPair(onMessage?: MessageObserver, options: MemoryOptions = {}): TransportPair {
  requireKnownOptions('createTransportPair', options, { copyMessages: true, caller: true });
  const { copyMessages = true } = options;
  const client = new MemoryTransport('in this process: server', copyMessages, message =>
    onMessage?.('client', message),
  );
  const server = new MemoryTransport('in this process: client', copyMessages, message =>
    onMessage?.('server', message),
  );
  client.connectTo(server);
  server.connectTo(client);
  return { client, server };
}

class MemoryTransport implements Transport {
  readonly peer: string;
  readonly #copyMessages: boolean;
  readonly #onMessage: (message: JsonRpcMessage | readonly JsonRpcResponse[]) => void;
  #other: MemoryTransport | undefined;
  #receiver: MessageReceiver | undefined;
  #pending: (JsonRpcMessage | readonly JsonRpcResponse[])[] = [];
  #closed = false;
  /** True if the peer was closed. */
  #otherClosed = false;

  constructor(
    peer: string,
    copyMessages: boolean,
    onMessage: (message: JsonRpcMessage | readonly JsonRpcResponse[]) => void,
  ) {
    this.peer = peer;
    this.#copyMessages = copyMessages;
    this.#onMessage = onMessage;
  }

  connectTo(other: MemoryTransport): void {
    this.#other = other;
  }

  open(receiver: MessageReceiver): void {
    this.#receiver = receiver;
    const pending = this.#pending;
    this.#pending = [];
    if (this.#closed) return queueMicrotask(() => receiver.onClose());
    for (const message of pending) this.#deliver(message);
    if (this.#otherClosed) this.#handleOtherClosed();
  }

  send(original: JsonRpcMessage | readonly JsonRpcResponse[], _options?: SendOptions): void {
    if (this.#closed || this.#otherClosed)
      throw new TenonError('connection/closed', 'the connection is closed', { peer: this.peer });
    const message = this.#copyMessages ? copyMessage(original, this.peer) : original;
    this.#onMessage(message);
    const other = this.#other as MemoryTransport;
    if (other.#receiver) return other.#deliver(message);
    if (other.#pending.length >= MAX_PENDING) {
      throw new TenonError('connection/not-open', 'the peer is not open yet, and the queue is full', {
        peer: this.peer,
      });
    }
    other.#pending.push(message);
  }

  close(): void {
    if (this.#closed) return;
    this.#end();
    (this.#other as MemoryTransport).#handleOtherClosed();
  }

  #deliver(message: JsonRpcMessage | readonly JsonRpcResponse[]): void {
    queueMicrotask(() => {
      if (!this.#closed) this.#receiver?.onMessage(message);
    });
  }

  /**
   * Handles the end of the peer. Its earlier messages are delivered first. A transport that is not open yet reports the
   * end when it opens.
   */
  #handleOtherClosed(): void {
    this.#otherClosed = true;
    if (this.#receiver) queueMicrotask(() => this.#end());
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pending = [];
    queueMicrotask(() => this.#receiver?.onClose());
  }
}

/** Copies a message. Values that are not messages are copied too, because tests send them on purpose. */
function copyMessage(
  message: JsonRpcMessage | readonly JsonRpcResponse[],
  peer: string,
): JsonRpcMessage | readonly JsonRpcResponse[] {
  try {
    return copyThroughJson(message) as JsonRpcMessage | readonly JsonRpcResponse[];
  } catch (cause) {
    throw createUnserializableError(message, { code: 'connection/send', peer, cause });
  }
}
