import { isObject, TenonError, toJsonObject } from '@tenon/base';
import { toRefusal } from '../../jsonrpc/error-response.js';
import { type Id, isBatch, type JsonRpcMessage, type JsonRpcResponse } from '../../jsonrpc/message.js';
import type { MessageReceiver, SendOptions, Transport } from '../../jsonrpc/transport.js';
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.js';
import { PROTOCOL_VERSION, readMeta } from '../../protocol/meta.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { getDialect } from '../../protocol/versions/index.js';
import { type ListeningTransport, openEndpoint, type ServerEndpoint } from './endpoint.js';
import { createArgumentHeaders, createRequestHeaders } from './request-headers.js';

/**
 * Opens a transport that sends messages without a change, in any protocol version. Over HTTP, it adds the headers that
 * the version of the message requires.
 */
export async function openRawTransport(endpoint: ServerEndpoint): Promise<Transport> {
  const transport = await openEndpoint(endpoint);
  return endpoint.kind === 'http' ? new RawHttpTransport(endpoint, transport) : transport;
}

class RawHttpTransport implements Transport {
  readonly #endpoint: ServerEndpoint;
  readonly #transport: Transport;
  readonly #headerParams = new Map<string, readonly HeaderParam[]>();
  /** Methods of the open requests whose results are read. */
  readonly #methods = new Map<Id, string>();
  #receiver: MessageReceiver | undefined;
  /** Version of the session. */
  #dialect: Dialect | undefined;

  constructor(endpoint: ServerEndpoint, transport: Transport) {
    this.#endpoint = endpoint;
    this.#transport = transport;
  }

  get peer(): string {
    return this.#transport.peer;
  }

  open(receiver: MessageReceiver): void | Promise<void> {
    this.#receiver = receiver;
    return this.#transport.open({
      onMessage: (value, context) => {
        this.#readResult(value);
        receiver.onMessage(value, context);
      },
      onParseError: (error, id) => receiver.onParseError(error, id),
      onResponseLost: (id, error) => receiver.onResponseLost(id, error),
      onClose: error => receiver.onClose(error),
      onSessionLost: error => receiver.onSessionLost?.(error),
    });
  }

  async send(message: JsonRpcMessage | readonly JsonRpcResponse[], options: SendOptions = {}): Promise<void> {
    if (isBatch(message) || !('method' in message)) {
      return this.#transport.send(message, { ...options, headers: this.#createVersionHeader() });
    }
    const { method, params = {} } = message;
    if ('id' in message && (method === 'initialize' || method === 'tools/list')) this.#methods.set(message.id, method);
    const dialect = getDialect(String(readMeta(params)[PROTOCOL_VERSION])) ?? this.#dialect;
    const headers = dialect && this.#createHeaders(dialect, method, params);
    try {
      await this.#transport.send(message, { ...options, headers, stateless: dialect?.http.sessions === false });
    } catch (error) {
      if (!('id' in message)) throw error;
      this.#failRequest(message.id, error);
    }
    // The server sends messages that belong to no request on a stream of its own.
    if (method === 'notifications/initialized') (this.#transport as Partial<ListeningTransport>).listen?.();
  }

  close(): void | Promise<void> {
    return this.#transport.close();
  }

  #createVersionHeader(): Record<string, string> {
    return this.#dialect?.http.versionHeader ? { 'mcp-protocol-version': this.#dialect.protocolVersion } : {};
  }

  #createHeaders(dialect: Dialect, method: string, params: { [key: string]: unknown }): SendOptions['headers'] {
    const known = typeof params.name === 'string' ? this.#headerParams.get(params.name) : undefined;
    const args = toJsonObject(params.arguments);
    const extra = method === 'tools/call' && known ? createArgumentHeaders(known, args) : undefined;
    return createRequestHeaders({ endpoint: this.#endpoint, dialect }, true, method, params, extra);
  }

  /** Delivers the error of a request as its response, as transports without a status for each request do. */
  #failRequest(id: Id, error: unknown): void {
    this.#methods.delete(id);
    const refusal = toRefusal(error, id);
    if (refusal) this.#receiver?.onMessage(refusal, { relatedTo: id });
    else this.#receiver?.onResponseLost(id, TenonError.from(error));
  }

  #readResult(value: unknown): void {
    if (!isObject(value) || 'method' in value) return;
    const { id, result } = value;
    const method = typeof id === 'string' || typeof id === 'number' ? this.#methods.get(id) : undefined;
    if (method === undefined || !isObject(result)) return;
    if (typeof id === 'string' || typeof id === 'number') this.#methods.delete(id);
    if (method === 'initialize') this.#dialect = getDialect(String(result.protocolVersion));
    else if (Array.isArray(result.tools)) for (const tool of result.tools) this.#readHeaderParams(tool);
  }

  /** Reads the arguments of a tool that headers repeat. */
  #readHeaderParams(tool: unknown): void {
    if (!isObject(tool) || typeof tool.name !== 'string' || !isObject(tool.inputSchema)) return;
    const found = readHeaderParams(tool.inputSchema);
    if (typeof found !== 'string' && found.length > 0) this.#headerParams.set(tool.name, found);
  }
}
