import { toErrorObject } from '../../../jsonrpc/error-response.js';
import { createFailure, type JsonRpcResponse, serializeMessage } from '../../../jsonrpc/message.js';
import type { RequestIO } from '../../../protocol/request-handler.js';
import type { ChannelToParent, SentContext } from './messages.js';
import { toMessageContext } from './parent-transport.js';

/** Input and output of a stateless request. */
export class ParentRequest implements RequestIO {
  readonly auth: RequestIO['auth'];
  readonly address: string | undefined;
  readonly ephemeral: boolean;
  readonly header: RequestIO['header'];
  readonly request: RequestIO['request'];
  readonly #channel: ChannelToParent;
  readonly #id: number;
  #onClientClosed: (() => void)[] = [];
  #onShutdown: (() => void)[] = [];

  constructor(channel: ChannelToParent, id: number, context: SentContext, ephemeral: boolean) {
    const { auth, address, request } = toMessageContext(context);
    this.#channel = channel;
    this.#id = id;
    this.auth = auth;
    this.address = address;
    this.ephemeral = ephemeral;
    this.request = request;
    this.header = request && (name => request.header(name));
  }

  send(notification: Parameters<RequestIO['send']>[0]): void {
    this.#channel.send({ server: 'notify', id: this.#id, text: serializeMessage(notification) });
  }

  onClientClosed(listener: () => void): void {
    this.#onClientClosed.push(listener);
  }

  onShutdown(listener: () => void): void {
    this.#onShutdown.push(listener);
  }

  closeClient(): void {
    for (const listener of this.#onClientClosed) listener();
  }

  shutDown(): void {
    for (const listener of this.#onShutdown) listener();
  }
}

/** Serializes a response. A result without a JSON form becomes an internal error. */
export function serializeResponse(response: JsonRpcResponse): string {
  try {
    return serializeMessage(response);
  } catch (error) {
    return serializeMessage(createFailure(response.id, toErrorObject(error)));
  }
}
