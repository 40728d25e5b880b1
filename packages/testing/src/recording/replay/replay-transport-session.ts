import { isObject, PARSE_ERROR, TenonError } from '@tenon/base';
import type { JsonRpcMessage, Transport } from 'tenon';
import {
  classifyRequest,
  createFailure,
  type Dialect,
  type Id,
  isId,
  isMessage,
  type ServerSession,
} from 'tenon/testing-internals';
import { readNegotiatedDialect } from '../recorded-versions.js';
import type { ReplaySession } from './replay-session.js';

type Send = (message: JsonRpcMessage, relatedTo: Id | undefined) => void;

/** Replays one recorded connection on a transport. */
export class ReplayTransportSession implements ServerSession {
  dialect: Dialect | undefined;
  readonly #transport: Transport;
  readonly #served: readonly Dialect[];
  readonly #createReplay: (send: Send) => ReplaySession;
  #replay: ReplaySession | undefined;

  constructor(transport: Transport, served: readonly Dialect[], createReplay: (send: Send) => ReplaySession) {
    this.#transport = transport;
    this.#served = served;
    this.#createReplay = createReplay;
  }

  get inFlight(): number {
    return this.#replay?.inFlight ?? 0;
  }

  async open(): Promise<void> {
    const replay = this.#createReplay((message, relatedTo) => this.#send(message, relatedTo));
    this.#replay = replay;
    await this.#transport.open({
      onMessage: value => this.#receive(value),
      onParseError: () =>
        this.#send(createFailure(undefined, { code: PARSE_ERROR, message: 'Parse error' }), undefined),
      onResponseLost: () => {},
      onClose: () => this.end(),
    });
    replay.begin();
  }

  end(): void {
    this.#replay?.end();
  }

  #receive(value: unknown): void {
    if (Array.isArray(value)) for (const each of value) this.#receive(each);
    else if (isMessage(value)) this.#handle(value);
    else if (isObject(value) && isId(value.id) && typeof value.method === 'string')
      this.#replay?.handleMalformed(value.id, value.method);
  }

  #handle(message: JsonRpcMessage): void {
    if (!('method' in message)) return this.#replay?.handleResponse(message);
    if (!('id' in message)) return this.#replay?.handleNotification(message);
    this.#replay?.handleRequest(message, () => {
      const route = classifyRequest(message, this.#served);
      const isOpening = message.method === 'initialize' || message.method === 'server/discover';
      return isOpening && route.opening === 'refused' ? createFailure(message.id, route.error) : undefined;
    });
  }

  #send(message: JsonRpcMessage, relatedTo: Id | undefined): void {
    if ('result' in message) this.dialect ??= readNegotiatedDialect(message.result);
    void this.#deliver(message, relatedTo);
  }

  async #deliver(message: JsonRpcMessage, relatedTo: Id | undefined): Promise<void> {
    try {
      await this.#transport.send(message, relatedTo === undefined ? {} : { relatedTo });
    } catch (error) {
      // The client has disconnected.
      if (TenonError.from(error).code !== 'connection/closed') this.end();
    }
  }
}
