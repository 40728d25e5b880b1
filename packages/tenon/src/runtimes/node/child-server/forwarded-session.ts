import { type JsonObject, TenonError } from '@tenon/base';
import {
  classifyMessage,
  createNotification,
  type Id,
  isBatch,
  isId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from '../../../jsonrpc/message.js';
import type { MessageContext, MessageReceiver, Transport } from '../../../jsonrpc/transport.js';
import type { ConnectOptions, ServerSession, SessionState } from '../../../protocol/request-handler.js';
import type { Dialect } from '../../../protocol/versions/dialect.js';
import { getDialect } from '../../../protocol/versions/index.js';
import { NodeExchange } from '../http/node-exchange.js';
import { toSentError } from '../workers/messages.js';
import type { MessageFromServer, MessageToServer, SentContext } from './messages.js';
import { OpenRequests } from './open-requests.js';
import type { ServingProcess } from './serving-process.js';

/** Notifications about one request, which any process of the session may handle. */
const ABOUT_REQUESTS: ReadonlySet<string> = new Set(['notifications/cancelled', 'notifications/progress']);

/** Message of a process for one session. */
export type MessageFromSession = Extract<MessageFromServer, { readonly session: number }>;

/** The server of a session. */
interface ForwardedSessionOwner {
  /** The reason why requests fail. Undefined: they wait for a process. */
  readonly refusal: string | undefined;
  removeSession(session: ForwardedSession): void;
}

/** The session of one client. Its messages go to the current process, and its state outlives the process. */
export class ForwardedSession implements ServerSession, MessageReceiver {
  readonly id: number;
  readonly #transport: Transport;
  readonly #options: ConnectOptions;
  readonly #owner: ForwardedSessionOwner;
  readonly #requests: OpenRequests<Id>;
  /** Requests of the server that the client has not responded to, each with its process. */
  readonly #inputRequests = new Map<Id, ServingProcess>();
  readonly #processes = new Set<ServingProcess>();
  #current: ServingProcess | undefined;
  #state: SessionState | undefined;

  constructor(id: number, transport: Transport, options: ConnectOptions, owner: ForwardedSessionOwner) {
    this.id = id;
    this.#transport = transport;
    this.#options = options;
    this.#owner = owner;
    this.#requests = new OpenRequests<Id>({
      send: (_, { request, context }, process) =>
        process.send({ server: 'message', session: id, value: request, context }),
      withdraw: (requestId, process) => this.#withdraw(requestId, process),
      fail: (_, failure) => void this.#send(failure),
    });
  }

  get dialect(): Dialect | undefined {
    return this.#state && getDialect(this.#state.protocolVersion);
  }

  get inFlight(): number {
    return this.#requests.size;
  }

  /** URIs of the resources that the client subscribed to. */
  get subscribedUris(): readonly string[] {
    return [...(this.#state?.subscribedUris ?? []), ...this.#requests.listenedUris];
  }

  endListening(): void {
    this.#sendToAll({ server: 'end-listening', session: this.id });
  }

  end(): void {
    this.#sendToAll({ server: 'end', session: this.id });
  }

  /** Continues the session in another process. The former one handles the requests that it has. */
  moveTo(process: ServingProcess): void {
    // An `initialize` that the former process handles is sent again, so that the session begins in this process.
    if (this.#requests.hasMethod('initialize')) this.#state = undefined;
    const { peer, sessionId, network } = this.#transport;
    const { auth, address } = this.#options;
    this.#current = process;
    this.#processes.add(process);
    const transport = {
      ...{ peer, sessionId, network, requestIdPrefix: process.requestIdPrefix },
      closesStreams: this.#transport.closeStream !== undefined,
      abandonsResponses: this.#transport.abandonResponse !== undefined,
    };
    process.send({ server: 'open', session: this.id, transport, auth, address, state: this.#state });
    this.#requests.moveTo(process);
  }

  /** Fails the requests that a process handled. */
  handleExit(process: ServingProcess, reason: string): void {
    this.#processes.delete(process);
    if (this.#current === process) this.#current = undefined;
    for (const [id, asker] of this.#inputRequests) if (asker === process) this.#inputRequests.delete(id);
    this.#requests.handleExit(process, reason);
  }

  refuseWaiting(reason: string): void {
    this.#requests.refuseWaiting(reason);
  }

  onMessage(value: unknown, context?: MessageContext): void {
    const sent = toSentContext(context);
    if (Array.isArray(value) && this.#current) return this.#forwardBatch(value, sent, this.#current);
    // Without a process, each message of a batch waits or fails by itself.
    if (Array.isArray(value) && value.length > 0) return value.forEach(each => void this.onMessage(each, context));
    switch (classifyMessage(value)) {
      case 'request':
        return this.#addRequest(value as JsonRpcRequest, sent);
      case 'notification':
        return this.#forwardNotification(value as JsonRpcNotification, sent);
      case 'success':
      case 'failure':
        return this.#forwardResponse(value as JsonRpcResponse, sent);
      default:
        this.#current?.send({ server: 'message', session: this.id, value, context: sent });
    }
  }

  onParseError(error: TenonError, id?: Id): void {
    this.#current?.send({ server: 'parse-error', session: this.id, error: toSentError(error), id });
  }

  onResponseLost(id: Id, error: TenonError): void {
    const process = this.#inputRequests.get(id);
    this.#inputRequests.delete(id);
    process?.send({ server: 'response-lost', session: this.id, id, error: toSentError(error) });
  }

  onClose(error?: TenonError): void {
    this.#sendToAll({ server: 'closed', session: this.id, error: error && toSentError(error) });
    this.#requests.clear();
    this.#owner.removeSession(this);
  }

  #addRequest(request: JsonRpcRequest, context: SentContext): void {
    this.#requests.add(request.id, request, context, this.#current ?? this.#owner.refusal);
  }

  /** Handles a message of a process of this session. */
  receive(process: ServingProcess, message: MessageFromSession): void {
    const isCurrent = process === this.#current;
    if (message.server === 'send') this.#deliver(process, JSON.parse(message.text), message.relatedTo);
    else if (message.server === 'state') this.#state = isCurrent ? message.state : this.#state;
    else if (message.server === 'close-stream') this.#transport.closeStream?.(message.id);
    else if (message.server === 'close-session') isCurrent && this.#transport.close();
    else if (this.#requests.complete(message.id, process)) this.#transport.abandonResponse?.(message.id);
  }

  #deliver(process: ServingProcess, message: JsonRpcMessage | readonly JsonRpcResponse[], relatedTo?: Id): void {
    if (isBatch(message)) {
      for (const { id } of message) if (isId(id)) this.#requests.complete(id, process);
      void this.#send(message);
    } else if ('method' in message && 'id' in message) this.#ask(process, message, relatedTo);
    else if ('method' in message) {
      if (this.#accepts(process, message.method, relatedTo)) void this.#send(message, relatedTo);
    } else if (!isId(message.id) || this.#requests.complete(message.id, process)) void this.#send(message);
  }

  /** Tells if the client gets a notification. A former process only sends those of its requests. */
  #accepts(process: ServingProcess, method: string, relatedTo: Id | undefined): boolean {
    if (relatedTo === undefined || !this.#requests.has(relatedTo)) return process === this.#current;
    return this.#requests.accepts(relatedTo, process, method);
  }

  /** Sends a request of the server. The process learns that there will be no response if it cannot be delivered. */
  #ask(process: ServingProcess, request: JsonRpcRequest, relatedTo: Id | undefined): void {
    this.#inputRequests.set(request.id, process);
    void this.#send(request, relatedTo, error => this.onResponseLost(request.id, error));
  }

  async #send(
    message: JsonRpcMessage | readonly JsonRpcResponse[],
    relatedTo?: Id,
    // A transport that has ended calls `onClose`, and a response that cannot be delivered has no other recipient.
    onError: (error: TenonError) => void = () => {},
  ): Promise<void> {
    try {
      await this.#transport.send(message, relatedTo === undefined ? undefined : { relatedTo });
    } catch (error) {
      onError(TenonError.from(error, 'connection/send'));
    }
  }

  #forwardBatch(values: readonly unknown[], context: SentContext, process: ServingProcess): void {
    for (const value of values)
      if (classifyMessage(value) === 'request')
        this.#requests.track((value as JsonRpcRequest).id, value as JsonRpcRequest, process);
    process.send({ server: 'message', session: this.id, value: values, context });
  }

  #forwardNotification(value: JsonRpcNotification, context: SentContext): void {
    const message: MessageToServer = { server: 'message', session: this.id, value, context };
    if (value.method === 'notifications/initialized' && this.#state)
      this.#state = { ...this.#state, isInitialized: true };
    if (!ABOUT_REQUESTS.has(value.method)) return this.#current?.send(message);
    this.#sendToAll(message);
    // No response follows to a cancelled request.
    const { requestId } = value.params ?? {};
    if (value.method === 'notifications/cancelled' && isId(requestId)) this.#requests.drop(requestId);
  }

  #forwardResponse(value: JsonRpcResponse, context: SentContext): void {
    const process = isId(value.id) ? this.#inputRequests.get(value.id) : undefined;
    if (isId(value.id)) this.#inputRequests.delete(value.id);
    (process ?? this.#current)?.send({ server: 'message', session: this.id, value, context });
  }

  /** Ends a request in a process that no longer handles it. */
  #withdraw(requestId: Id, process: ServingProcess): void {
    const params: JsonObject = { requestId, reason: 'the server was replaced' };
    const value = createNotification('notifications/cancelled', params);
    process.send({ server: 'message', session: this.id, value, context: {} });
  }

  #sendToAll(message: MessageToServer): void {
    for (const process of this.#processes) process.send(message);
  }
}

/** Converts the context of a message so that it can cross the channel to another process. */
export function toSentContext({ auth, address, relatedTo, request }: MessageContext = {}): SentContext {
  // Only requests of `node:http` list their headers.
  const names = request instanceof NodeExchange ? Object.keys(request.raw.headers) : [];
  return {
    ...(auth && { auth }),
    ...(address !== undefined && { address }),
    ...(relatedTo !== undefined && { relatedTo }),
    ...(request && { headers: Object.fromEntries(names.map(name => [name, request.header(name) ?? ''])) }),
  };
}
