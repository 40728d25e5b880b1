import { isObject, type JsonObject } from '@tenon/base';
import { classifyMessage, type Id, isId, type JsonRpcMessage } from '../../../../jsonrpc/message.js';
import type { SendOptions } from '../../../../jsonrpc/transport.js';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import type { ServerReplica } from './server-replica.js';

/** Lifetime of the record of a request without a timeout of its own, in milliseconds. */
const DEFAULT_TIMEOUT = 60_000;
/** Time after which an answer on its way still counts, in milliseconds. */
const MAX_DELAY = 1000;

/** The stored form of a request that the server has sent to the client. It expires at the deadline of the answer. */
interface InputRequestRecord extends JsonObject {
  /** ID of the process that asks. A process that was started again has another one. */
  readonly asker: string;
  /** The client's request on whose stream the request was sent. */
  readonly stream?: string | number;
  /** Time to answer, in milliseconds. A progress notification of the client starts it again. */
  readonly timeout: number;
}

/**
 * The requests of the server that have no answer yet. The store deletes their records at the deadline, by its own clock,
 * even if the process that asks no longer runs.
 */
export class InputRequestRecords {
  readonly #values: SharedStores['values'];
  readonly #replica: ServerReplica;
  readonly #prefix: string;

  constructor({ values }: SharedStores, replica: ServerReplica, sessionKey: string) {
    this.#values = values;
    this.#replica = replica;
    this.#prefix = `${sessionKey}/ask/`;
  }

  /** Stores a request of the server. Returns `undefined` for other messages. */
  record(message: JsonRpcMessage, { relatedTo, responseTimeout }: SendOptions = {}): Promise<void> | undefined {
    if (!('method' in message && 'id' in message)) return undefined;
    return this.#add(String(message.id), relatedTo, responseTimeout);
  }

  /** Deletes the record of a request that the message cancels. Returns `undefined` for other messages. */
  removeCancelled(message: JsonRpcMessage): Promise<void> | undefined {
    const cancelled = findCancelledId(message);
    return cancelled === undefined ? undefined : this.#delete(String(cancelled));
  }

  async #add(id: string, stream?: Id, timeout = DEFAULT_TIMEOUT): Promise<void> {
    const record: InputRequestRecord = {
      asker: this.#replica.id,
      timeout,
      ...(stream === undefined ? {} : { stream }),
    };
    await this.#values.put(this.#prefix + id, record, { ttl: timeout + MAX_DELAY });
  }

  /**
   * Delivers an answer of the client, or its progress notification. Does nothing if the request is unknown, was already
   * answered or has passed its deadline.
   */
  async receive(id: string, message: unknown, deliver: () => Promise<void>): Promise<void> {
    const stored = await this.#values.get(this.#prefix + id);
    if (stored === undefined) return;
    await deliver();
    // The record is deleted after the delivery, because a client sends an answer again when this process is killed
    // in between. The process that asks takes only the first answer.
    if (!isObject(message) || !('method' in message)) return this.#delete(id);
    const { key, value, version } = stored;
    await this.#values.put(key, value, { version, ttl: Number(value.timeout) + MAX_DELAY });
  }

  async #delete(id: string): Promise<void> {
    await this.#values.delete(this.#prefix + id);
  }
}

/** Returns the ID of the server's request that a client message belongs to: a response or a progress notification. */
export function findServerRequestId(message: unknown): unknown {
  if (!isObject(message)) return undefined;
  const kind = classifyMessage(message);
  if (kind === 'success' || kind === 'failure') return message.id;
  return message.method === 'notifications/progress' && isObject(message.params)
    ? message.params.progressToken
    : undefined;
}

/** Returns the ID of the request that a message cancels, or `undefined` for other messages. */
export function findCancelledId(message: unknown): Id | undefined {
  if (!isObject(message) || message.method !== 'notifications/cancelled' || !isObject(message.params)) return undefined;
  const { requestId } = message.params;
  return isId(requestId) ? requestId : undefined;
}
