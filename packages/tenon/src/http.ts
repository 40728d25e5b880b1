/** `tenon/http`: a server as a `fetch` handler, for whatever runtime or framework speaks `Request` and `Response`. */
import type { Service } from './conversation/service.js';
import { answerFetch, type FetchFacts, type Lifetime } from './runtimes/web/fetch-handler.js';
import { type CloseOptions, createEndpoint, type Endpoint } from './transports/http/endpoint.js';
import type { HandlerOptions } from './transports/http/options.js';

export type { FetchFacts, Lifetime } from './runtimes/web/fetch-handler.js';
export type { CorsOptions } from './transports/http/cors.js';
export type { CloseOptions, Endpoint } from './transports/http/endpoint.js';
export type { Exchange, ExchangeFacts, HeaderFields, Sink } from './transports/http/exchange.js';
export type { Bounds, HandlerOptions, Verdict } from './transports/http/options.js';
export type { EventLog, Kept, Replay } from './transports/http/replay.js';

/** A server on HTTP as a function: `export default { fetch: createHandler(server) }`. Takes the `ctx` of a Worker as well. */
export interface Handler {
  (request: Request, facts?: FetchFacts, lifetime?: Lifetime): Promise<Response>;
  /** Stops taking requests, lets what runs come to its end, and closes the rest. */
  close(options?: CloseOptions): Promise<void>;
  /** What is below it, for adapters of other runtimes. */
  readonly endpoint: Endpoint;
}

/**
 * Serves every revision of the protocol on one path, and the two-endpoint transport beside it, with `Host` and `Origin`
 * checked. What is not on a loopback name needs `allowedHosts`.
 */
export function createHandler(server: Service, options: HandlerOptions = {}): Handler {
  const endpoint = createEndpoint(server, options);
  const handler: (...given: Parameters<Handler>) => Promise<Response> = (request, facts, lifetime) =>
    answerFetch(endpoint.handle, request, facts, lifetime);
  return Object.assign(handler, { endpoint, close: endpoint.close });
}
