import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Optional } from '../../../protocol/defaults.js';
import type { HttpEndpoint } from '../../../transports/http/server/endpoint.js';
import type { UnreadLimit } from '../../../transports/http/sse/unread-output.js';
import { NodeExchange, type NodeRequest } from './node-exchange.js';

/** Argument of `toNode`: the result of `createHandler`, `createIssuer` or a similar function. */
export interface HttpMount {
  /** Endpoint that handles the requests. */
  readonly endpoint: Pick<HttpEndpoint, 'handle' | 'serves'> & Optional<Pick<HttpEndpoint, 'unread'>>;
}

/** A listener for `node:http`, a middleware for Express and similar frameworks, or a route handler for Fastify. */
export type NodeHandler = (
  request: IncomingMessage | WrappedRequest,
  response: ServerResponse | WrappedResponse,
  next?: (error?: unknown) => void,
) => void;

/** A request of Fastify. It contains the Node request and the parsed body. */
export interface WrappedRequest {
  readonly raw: IncomingMessage;
  readonly body?: unknown;
}

export interface WrappedResponse {
  readonly raw: ServerResponse;
  /** Tells Fastify that another function sends the response. */
  readonly hijack?: (() => unknown) | undefined;
}

/**
 * Converts a handler to a Node request listener for `node:http`, Express and Fastify: `app.use(toNode(handler))`,
 * `app.all('/mcp', toNode(handler))`, `app.use('/api', toNode(handler))`. Accepts bodies that a framework has already
 * parsed. Requests for other paths are passed to `next`.
 */
export function toNode({ endpoint }: HttpMount): NodeHandler {
  return (request, response, next) => {
    const exchange = createExchange(request, response, endpoint.unread);
    if (next !== undefined && !endpoint.serves(exchange.path, exchange.mount)) next();
    else endpoint.handle(exchange);
  };
}

function createExchange(
  request: IncomingMessage | WrappedRequest,
  response: ServerResponse | WrappedResponse,
  unread: UnreadLimit | undefined,
): NodeExchange {
  const serverResponse = 'raw' in response ? response.raw : response;
  if (!('raw' in request)) return new NodeExchange(request as NodeRequest, serverResponse, unread);
  if ('hijack' in response) response.hijack?.();
  return new NodeExchange(request.raw as NodeRequest, serverResponse, unread, request.body ?? undefined);
}
