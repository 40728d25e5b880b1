import { type Id, type JsonRpcMessage, type JsonRpcResponse, serializeMessage } from '../../../jsonrpc/message.js';
import type { MessageContext, MessageReceiver, SendOptions, Transport } from '../../../jsonrpc/transport.js';
import { fromSentError } from '../workers/messages.js';
import type { ChannelToParent, MessageToServer, SentContext, SentTransport } from './messages.js';

/** Message for one session. */
export type SessionMessage = Extract<MessageToServer, { readonly session: number }>;

/** A transport of a client that is connected to the parent process. */
export class ParentTransport implements Transport {
  readonly peer: string;
  readonly sessionId: string | undefined;
  readonly network: SentTransport['network'];
  readonly requestIdPrefix: string;
  readonly abandonResponse: ((relatedTo: Id) => void) | undefined;
  readonly closeStream: ((relatedTo: Id) => boolean) | undefined;
  readonly #channel: ChannelToParent;
  readonly #session: number;
  #receiver: MessageReceiver | undefined;

  constructor(channel: ChannelToParent, session: number, transport: SentTransport) {
    const { peer, sessionId, network, requestIdPrefix, closesStreams, abandonsResponses } = transport;
    this.#channel = channel;
    this.#session = session;
    this.peer = peer;
    this.sessionId = sessionId;
    this.network = network;
    this.requestIdPrefix = requestIdPrefix;
    this.abandonResponse = abandonsResponses
      ? id => channel.send({ server: 'abandon-response', session, id })
      : undefined;
    this.closeStream = closesStreams ? id => this.#closeStream(id) : undefined;
  }

  open(receiver: MessageReceiver): void {
    this.#receiver = receiver;
  }

  send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions): void {
    const text = serializeMessage(message);
    this.#channel.send({ server: 'send', session: this.#session, text, relatedTo: options?.relatedTo });
  }

  close(): void {
    this.#channel.send({ server: 'close-session', session: this.#session });
  }

  receive(message: SessionMessage): void {
    const receiver = this.#receiver;
    if (message.server === 'message') receiver?.onMessage(message.value, toMessageContext(message.context));
    else if (message.server === 'parse-error') receiver?.onParseError(fromSentError(message.error), message.id);
    else if (message.server === 'response-lost') receiver?.onResponseLost(message.id, fromSentError(message.error));
    else if (message.server === 'closed') receiver?.onClose(message.error && fromSentError(message.error));
  }

  /** Requests the end of a stream. Returns true although the parent process may refuse it. */
  #closeStream(id: Id): boolean {
    this.#channel.send({ server: 'close-stream', session: this.#session, id });
    return true;
  }
}

export function toMessageContext({ headers, ...context }: SentContext): MessageContext {
  return headers === undefined ? context : { ...context, request: { header: name => headers[name] } };
}
