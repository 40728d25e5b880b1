import type { IncomingMessage, ServerResponse } from 'node:http';
import { isObject, type Optional, TenonError } from '@tenon/base';
import type { HttpEndpoint } from '../../../transports/http/server/endpoint.js';
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
 *
 * @throws TenonError `serve/handler` if the argument has no endpoint. The listener throws `serve/request` if a framework
 * calls it with other arguments than a request and a response of Node.
 */
export function toNode(mount: HttpMount): NodeHandler {
  const members: Partial<HttpMount> = typeof mount === 'function' || isObject(mount) ? mount : {};
  if (typeof members.endpoint?.handle !== 'function' || typeof members.endpoint.serves !== 'function')
    throw new TenonError('serve/handler', 'invalid argument of toNode', {
      expected: 'the result of `createHandler`, `createIssuer` or `oauthProxy`',
      received: 'connect' in members ? 'a server' : mount === null ? 'null' : typeof mount,
      hint: 'connect' in members ? 'write `toNode(createHandler(server))`' : undefined,
    });
  const { endpoint } = mount;
  const listener: NodeHandler = (request, response, next) => {
    requireNodeArguments(request, response);
    const serverResponse = 'raw' in response ? response.raw : response;
    let exchange: NodeExchange;
    if ('raw' in request) {
      if ('hijack' in response) response.hijack?.();
      exchange = new NodeExchange(
        request.raw as NodeRequest,
        serverResponse,
        endpoint.unread,
        request.body ?? undefined,
      );
    } else exchange = new NodeExchange(request as NodeRequest, serverResponse, endpoint.unread);
    exchange.isRouted = isRouted(request, exchange, listener, next !== undefined);
    if (next !== undefined && !endpoint.serves(exchange.path, exchange.mount, exchange.isRouted)) next();
    else endpoint.handle(exchange);
  };
  return listener;
}

/** Throws `serve/request` if a framework calls the listener with other objects. */
function requireNodeArguments(request: unknown, response: unknown): void {
  const incoming = isObject(request) && isObject(request.raw) ? request.raw : request;
  const outgoing = isObject(response) && isObject(response.raw) ? response.raw : response;
  const hasNodeHeaders = isObject(incoming) && isObject(incoming.headers) && typeof incoming.headers.get !== 'function';
  if (hasNodeHeaders && isObject(outgoing) && typeof outgoing.writeHead === 'function') return;
  const isKoa = isObject(request) && 'req' in request && 'res' in request;
  throw new TenonError('serve/request', 'the listener of toNode was called without a request and a response of Node', {
    expected: 'the two arguments of a listener of node:http, or those of a route of Fastify',
    received: isKoa ? 'a context of Koa' : isObject(request) ? 'other objects' : typeof request,
    hint: isKoa
      ? 'write `ctx => { ctx.respond = false; listener({ raw: ctx.req, body: ctx.request.body }, ctx.res); }`'
      : 'call the result of `createHandler` itself with a web `Request`',
  });
}

/** A request of Express in a route. The route stays in the request for later middleware. */
interface RoutedRequest {
  readonly route?: { readonly stack?: readonly { readonly handle?: unknown }[] | undefined } | undefined;
}

/** Tells if a router has selected the listener by the path. Middleware at the root gets the requests of all paths. */
function isRouted(
  request: IncomingMessage | WrappedRequest,
  { path, mount }: NodeExchange,
  listener: NodeHandler,
  isMiddleware: boolean,
): boolean {
  if ('raw' in request || (mount !== '' && path === '/')) return true;
  const { route } = request as RoutedRequest;
  return isMiddleware ? route?.stack?.some(({ handle }) => handle === listener) === true : route !== undefined;
}
