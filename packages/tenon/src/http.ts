/**
 * Serve as a `fetch` handler, on any runtime or framework with `Request` and `Response`.
 *
 * @module tenon/http
 */
import { requireOptions, TenonError } from '@tenon/base';
import type { RequestHandler } from './protocol/request-handler.js';
import { answerFetch, type FetchRequestInfo, type WorkerContext } from './runtimes/web/fetch-handler.js';
import { type CloseOptions, createHttpEndpoint, type HttpEndpoint } from './transports/http/server/endpoint.js';
import { handlerChecks } from './transports/http/server/option-checks.js';
import type { HandlerOptions } from './transports/http/server/options.js';

export { answerFetch, type FetchRequestInfo, type WorkerContext } from './runtimes/web/fetch-handler.js';
export type { CorsOptions } from './transports/http/server/cors.js';
export type { CloseOptions, HttpEndpoint } from './transports/http/server/endpoint.js';
export type { Exchange, HeaderFields, RequestInfo, ResponseStream } from './transports/http/server/exchange.js';
export type { HealthOptions } from './transports/http/server/health.js';
export type { AuthorizeResult, HandlerOptions, Limits } from './transports/http/server/options.js';
export type { EventStore, Replay, StoredEvent } from './transports/http/sse/event-store.js';

/**
 * A server on HTTP as a function: `export default { fetch: createHandler(server) }`. It also accepts the `ctx` of a
 * Worker.
 */
export interface HttpHandler {
  (request: Request, info?: FetchRequestInfo, workerContext?: WorkerContext): Promise<Response>;
  /** Refuses new requests, waits for requests in progress, and aborts the rest after a timeout. */
  close(options?: CloseOptions): Promise<void>;
  /** The endpoint of the handler, for adapters of other runtimes. */
  readonly endpoint: HttpEndpoint;
}

/**
 * Creates a `fetch` handler that supports every protocol version on one path, and HTTP+SSE on two others. It checks
 * `Host` and `Origin`: names other than loopback need `allowedHosts`.
 *
 * @throws TenonError `serve/service` or `serve/options` for an invalid argument, and for `auth` without `path`.
 */
export function createHandler(server: RequestHandler, options: HandlerOptions = {}): HttpHandler {
  requireOptions('createHandler', options, handlerChecks, 'serve/options');
  requirePathWithAuth(options);
  const endpoint = createHttpEndpoint(server, options);
  const handleRequest: (...args: Parameters<HttpHandler>) => Promise<Response> = (request, info, workerContext) =>
    answerFetch(endpoint.handle, request, info, workerContext);
  return Object.assign(handleRequest, { endpoint, close: endpoint.close });
}

/**
 * Throws `serve/options` for `auth` without `path`. A framework routes any path to the handler, and the resource of a
 * token must not depend on it.
 */
function requirePathWithAuth({ auth, path }: HandlerOptions): void {
  if (auth === undefined || path !== undefined) return;
  throw new TenonError('serve/options', 'createHandler: `auth` without `path`', {
    expected: 'the path of the `resource` of `protect`, for example /mcp',
    received: 'no path',
    hint: "write `createHandler(server, { auth, path: '/mcp' })`, and route /.well-known/ to the handler too",
  });
}
