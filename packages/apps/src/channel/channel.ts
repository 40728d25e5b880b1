import { AppError, INTERNAL_ERROR, METHOD_NOT_FOUND } from './app-error.js';
import type { ErrorMessage, JsonObject, ParsedMessage, RequestId, RequestMessage } from './messages.js';

/** Functions of the two sides of a channel. */
export interface ChannelOptions {
  /** Sends one JSON-RPC message to the other window. */
  readonly send: (message: JsonObject) => void;
  /** Handles a request. The returned object is the result. */
  readonly handleRequest: (method: string, params: JsonObject, signal: AbortSignal) => unknown;
  readonly handleNotification: (method: string, params: JsonObject) => void;
  /** Maximum number of requests of the other side that may be open at the same time. */
  readonly maxRequests: number;
}

interface PendingRequest {
  resolve(result: JsonObject): void;
  reject(error: AppError): void;
}

/** One side of a JSON-RPC channel between two windows. */
export interface Channel {
  request(
    method: string,
    params?: JsonObject,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): void;
  /** Handles a value that the other window sent. */
  receive(parsed: ParsedMessage): void;
  /** Rejects all open requests, aborts those of the other side, and ignores all later messages. */
  close(reason: string): void;
}

export function createChannel({ send, handleRequest, handleNotification, maxRequests }: ChannelOptions): Channel {
  const pending = new Map<RequestId, PendingRequest>();
  const incoming = new Map<RequestId, AbortController>();
  let lastId = 0;
  let closedBy: string | undefined;

  const respondWithError = (id: RequestId, error: unknown) => {
    if (closedBy !== undefined) return;
    const { code, message, data } = error instanceof AppError ? error : new AppError(INTERNAL_ERROR, 'Internal error');
    send({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } });
  };

  const respond = async ({ id, method, params }: RequestMessage) => {
    if (incoming.has(id)) return respondWithError(id, new AppError(-32600, `The request id ${id} is in use`));
    if (incoming.size >= maxRequests) return respondWithError(id, new AppError(-32000, 'Too many open requests'));
    const controller = new AbortController();
    incoming.set(id, controller);
    try {
      const result = await handleRequest(method, params, controller.signal);
      if (closedBy === undefined) send({ jsonrpc: '2.0', id, result: result ?? {} });
    } catch (error) {
      respondWithError(id, error);
    } finally {
      incoming.delete(id);
    }
  };

  const settle = (id: RequestId | undefined, settleRequest: (request: PendingRequest) => void) => {
    const request = id === undefined ? undefined : pending.get(id);
    if (id === undefined || !request) return;
    pending.delete(id);
    settleRequest(request);
  };

  return {
    async request(method, params = {}, { signal } = {}) {
      if (closedBy !== undefined) throw new AppError(-32000, closedBy);
      signal?.throwIfAborted();
      lastId += 1;
      const id = lastId;
      const response = new Promise<JsonObject>((resolve, reject) => pending.set(id, { resolve, reject }));
      const cancel = () => {
        send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
        settle(id, ({ reject }) => reject(new AppError(-32000, `${method}: cancelled`)));
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        send({ jsonrpc: '2.0', id, method, params });
        return await response;
      } finally {
        signal?.removeEventListener('abort', cancel);
        pending.delete(id);
      }
    },
    notify(method, params = {}) {
      if (closedBy === undefined) send({ jsonrpc: '2.0', method, params });
    },
    receive({ message, error, ...rest }) {
      if (closedBy !== undefined) return;
      if (error) {
        const text = error === 'too-large' ? 'The message is too large' : 'Invalid request';
        if ('id' in rest && rest.id !== undefined) respondWithError(rest.id, new AppError(-32600, text));
      } else if (message?.kind === 'request') void respond(message);
      else if (message?.kind === 'response') settle(message.id, ({ resolve }) => resolve(message.result));
      else if (message?.kind === 'error') settle(message.id, ({ reject }) => reject(toAppError(message)));
      else if (message?.method === 'notifications/cancelled') {
        const { requestId } = message.params;
        if (typeof requestId === 'string' || typeof requestId === 'number') incoming.get(requestId)?.abort();
      } else if (message) handleNotification(message.method, message.params);
    },
    close(reason) {
      if (closedBy !== undefined) return;
      closedBy = reason;
      for (const controller of incoming.values()) controller.abort();
      for (const { reject } of pending.values()) reject(new AppError(-32000, reason));
      pending.clear();
    },
  };
}

function toAppError({ error: { code, message, data } }: ErrorMessage): AppError {
  return new AppError(code, message, data);
}

export function createUnknownMethodError(method: string): AppError {
  return new AppError(METHOD_NOT_FOUND, `Method not found: ${method.slice(0, 100)}`);
}
