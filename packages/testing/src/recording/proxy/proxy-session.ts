import { INVALID_REQUEST, PARSE_ERROR, TenonError } from '@tenon/base';
import type { JsonRpcMessage, Transport } from 'tenon';
import {
  createFailure,
  type Dialect,
  diagnoseMessage,
  type Id,
  isId,
  isMessage,
  type JsonRpcRequest,
  type ServerSession,
} from 'tenon/testing-internals';
import { readNegotiatedDialect } from '../recorded-versions.js';
import type { SessionRecorder } from '../recorder.js';
import { RequestTracker } from '../request-tracker.js';
import { toForwardFailure } from './forward-error.js';

export interface ProxySessionOptions {
  readonly recorder: SessionRecorder;
  onError(error: TenonError): void;
  onEnd(): void;
}

/** Forwards the messages between a client and its own connection to the server. */
export class ProxySession implements ServerSession {
  dialect: Dialect | undefined;
  inFlight = 0;
  readonly #client: Transport;
  readonly #server: Transport;
  readonly #options: ProxySessionOptions;
  readonly #open = new RequestTracker<JsonRpcRequest>();
  #hasEnded = false;

  constructor(client: Transport, server: Transport, options: ProxySessionOptions) {
    this.#client = client;
    this.#server = server;
    this.#options = options;
  }

  async open(): Promise<void> {
    await this.#server.open({
      onMessage: (value, context) => this.#receiveFromServer(value, context?.relatedTo),
      onParseError: error => this.#options.onError(error),
      onResponseLost: (id, error) => this.#respond(toForwardFailure(error, id)),
      onSessionLost: () => void this.close(),
      onClose: error => {
        if (error) this.#options.onError(error);
        void this.close();
      },
    });
    await this.#client.open({
      onMessage: value => this.#receiveFromClient(value),
      onParseError: (error, id) => {
        this.#options.onError(error);
        this.#respond(createFailure(id, { code: PARSE_ERROR, message: 'Parse error' }));
      },
      onResponseLost: () => {},
      onClose: () => void this.close(),
    });
  }

  end(): void {
    void this.close();
  }

  /** Closes both connections. */
  async close(): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#options.recorder.close();
    this.#options.onEnd();
    await Promise.all([this.#server.close(), this.#client.close()]);
  }

  #receiveFromClient(value: unknown): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#receiveFromClient(each);
      return;
    }
    if (!isMessage(value)) {
      const { id, reason } = diagnoseMessage(value);
      return this.#respond(createFailure(id, { code: INVALID_REQUEST, message: `Invalid request: ${reason}` }));
    }
    this.#options.recorder.record('send', value);
    if ('method' in value && 'id' in value) {
      this.inFlight += 1;
      this.#open.add(value, value);
    }
    void this.#sendToServer(value);
  }

  async #sendToServer(message: JsonRpcMessage): Promise<void> {
    try {
      await this.#server.send(message);
    } catch (error) {
      if ('method' in message && 'id' in message) this.#receiveFromServer(toForwardFailure(error, message.id));
      else this.#options.onError(TenonError.from(error));
    }
    // A cancelled request gets no response.
    if ('method' in message && message.method === 'notifications/cancelled' && isId(message.params?.requestId)) {
      this.#takeRequest(message.params.requestId);
    }
  }

  #receiveFromServer(value: unknown, relatedTo?: Id): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#receiveFromServer(each, relatedTo);
      return;
    }
    if (!isMessage(value)) {
      return this.#options.onError(
        new TenonError('peer/malformed', `the server sent a malformed message: ${diagnoseMessage(value).reason}`),
      );
    }
    this.#options.recorder.record('recv', value, { relatedTo });
    if (!('method' in value)) return this.#respond(value);
    const request = this.#open.find(value, relatedTo);
    this.#sendToClient(value, request?.id);
  }

  #respond(response: Exclude<JsonRpcMessage, { method: string }>): void {
    const { id } = response;
    const request = id === undefined || id === null ? undefined : this.#takeRequest(id);
    if (request?.method === 'initialize' && 'result' in response) this.dialect = readNegotiatedDialect(response.result);
    // The transport of the client finds the request by its ID. The recording keeps the ID that the server sent.
    this.#sendToClient(request ? { ...response, id: request.id } : response, request?.id);
  }

  #takeRequest(id: Id): JsonRpcRequest | undefined {
    const request = this.#open.take(id);
    if (request) this.inFlight -= 1;
    return request;
  }

  #sendToClient(message: JsonRpcMessage, relatedTo: Id | undefined): void {
    const send = async () => this.#client.send(message, relatedTo === undefined ? {} : { relatedTo });
    send().catch((error: unknown) => {
      if (!this.#hasEnded) this.#options.onError(TenonError.from(error));
    });
  }
}
