import type { TracedMessage } from '@tenon/apps/host';
import { isObject } from '@tenon/base';
import type { AppMessagesBody } from '../api.js';

/** Time in which messages are sent together, in milliseconds. */
const FLUSH_DELAY = 50;
/** Maximum size of the messages that wait, in characters of JSON. */
const MAX_WAITING = 8_000_000;
/** Maximum number of messages that wait. */
const MAX_COUNT = 5_000;

type Sent = AppMessagesBody['messages'][number];

/** Functions of a queue of messages. */
interface QueueOptions {
  /** Sends messages to the command. */
  readonly send: (body: AppMessagesBody) => Promise<unknown>;
  /** Called once if more messages wait than the limits allow. The queue takes none afterwards. */
  readonly onFull: () => void;
  /** Returns the time in milliseconds since 1970. */
  readonly now?: () => number;
}

/** Messages between an app and the page, on their way to the wire of the command: in order, and bounded. */
export class AppMessages {
  readonly #options: QueueOptions;
  #waiting: Sent[] = [];
  #size = 0;
  #isFull = false;
  #sending: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Adds a message. One that is no JSON-RPC is on no wire. */
  add({ direction, message }: TracedMessage): void {
    const written = toJsonRpc(message);
    if (!written || this.#isFull) return;
    this.#size += JSON.stringify(written).length;
    const from = direction === 'from-app' ? 'client' : 'server';
    this.#waiting.push({ from, time: (this.#options.now ?? Date.now)(), message: written });
    if (this.#size > MAX_WAITING || this.#waiting.length > MAX_COUNT) {
      this.#isFull = true;
      this.#waiting = [];
      this.#options.onFull();
      return;
    }
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY);
  }

  /** Sends the messages that wait, after those that are being sent. Never rejects: the app works on without its wire. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#sending) await this.#sending;
    if (this.#waiting.length === 0) return;
    const messages = this.#waiting;
    this.#waiting = [];
    this.#size = 0;
    this.#sending = this.#options.send({ messages }).then(
      () => {},
      () => {},
    );
    await this.#sending;
    this.#sending = undefined;
  }
}

/** Returns a traced message as it crossed. The host has parsed those of the app. */
function toJsonRpc(message: unknown): object | undefined {
  if (!isObject(message)) return undefined;
  if (message.jsonrpc === '2.0') return message;
  if (typeof message.kind !== 'string') return undefined;
  const { kind: _, ...members } = message;
  return { jsonrpc: '2.0', ...members };
}
