import { INVALID_REQUEST, type JsonObject, TenonError, toJsonObject } from '@tenon/base';
import type { JsonRpcMessage, RequestHandler, Transport } from 'tenon';
import {
  classifyMessage,
  createFailure,
  createNotification,
  createRequest,
  createSuccess,
  type Dialect,
  getDialect,
  getNewestDialect,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type ServerSession,
} from 'tenon/testing-internals';

/** The server that `transportCases` calls. Serve it on the transport under test, in any process. */
export const echoServer: RequestHandler = {
  async connect(channel: Transport): Promise<ServerSession> {
    const session = new EchoSession(channel);
    await channel.open({
      onMessage: value => session.message(value),
      onParseError: () => {},
      onResponseLost: () => {},
      onClose: () => {},
    });
    return session;
  },
  classifyRequest: ({ method }) => ({ opening: method === 'initialize' ? 'handshake' : 'opened' }),
  answer: async ({ id }) => createFailure(id, { code: INVALID_REQUEST, message: 'the echo server has sessions only' }),
};

class EchoSession implements ServerSession {
  readonly #transport: Transport;
  readonly #notes: unknown[] = [];
  readonly #pendingRequests = new Map<unknown, (response: JsonRpcResponse) => void>();
  dialect: Dialect | undefined;
  inFlight = 0;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  end(): void {}

  message(value: unknown): void {
    switch (classifyMessage(value)) {
      case 'request':
        return void this.#respond(value as JsonRpcRequest);
      case 'notification':
        this.#notes.push((value as { params?: JsonObject }).params?.note);
        return;
      case 'success':
      case 'failure':
        this.#pendingRequests.get((value as JsonRpcResponse).id)?.(value as JsonRpcResponse);
    }
  }

  async #respond(incoming: JsonRpcRequest): Promise<void> {
    this.inFlight += 1;
    try {
      await this.#send(createSuccess(incoming.id, await this.#createResult(incoming)), incoming);
    } catch (error) {
      await this.#send(
        createFailure(incoming.id, { code: 1, message: TenonError.from(error).message, data: { a: [1] } }),
        incoming,
      );
    }
    this.inFlight -= 1;
    if (incoming.method === 'reflect/close') await this.#transport.close();
  }

  async #createResult(incoming: JsonRpcRequest): Promise<JsonObject> {
    const { method, params = {} } = incoming;
    switch (method) {
      case 'initialize':
        this.dialect = getDialect(String(params.protocolVersion)) ?? getNewestDialect('handshake');
        return {
          protocolVersion: this.dialect.protocolVersion,
          capabilities: {},
          serverInfo: { name: 'echo-server', version: '1' },
        };
      case 'reflect/fail':
        throw new Error('as asked');
      case 'reflect/noted':
        return { notes: [...this.#notes] };
      case 'reflect/say':
        for (let n = 0; n < Number(params.count); n++)
          await this.#send(createNotification('reflect/said', { n }), incoming);
        return {};
      case 'reflect/ask':
        return this.#sendRequest(incoming, params);
      default:
        return params;
    }
  }

  /** Sends a request to the client, and returns its response as the result. */
  #sendRequest(incoming: JsonRpcRequest, params: JsonObject): Promise<JsonObject> {
    const id = `question-${this.#pendingRequests.size}`;
    return new Promise(resolve => {
      this.#pendingRequests.set(id, response => resolve('result' in response ? toJsonObject(response.result) : {}));
      void this.#send(createRequest(id, 'reflect/question', params), incoming);
    });
  }

  async #send(message: JsonRpcMessage, { id }: JsonRpcRequest): Promise<void> {
    try {
      await this.#transport.send(message, { relatedTo: id });
    } catch {
      // The client has disconnected.
    }
  }
}
