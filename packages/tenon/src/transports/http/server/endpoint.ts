import {
  type AuthInfo,
  createErrorReporter,
  logError,
  type MaybePromise,
  SharedLimit,
  sleep,
  thenMaybe,
} from '@tenon/base';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import { getRequiredScopes } from '../../../protocol/scopes.js';
import type { HttpSseEndpoints } from '../../http-sse/server.js';
import { createMemoryEventStore } from '../sse/event-store.js';
import { createEventStreams } from '../sse/event-streams.js';
import { createUnreadLimit, type UnreadLimit } from '../sse/unread-output.js';
import { createAdmission } from './admission.js';
import { type HttpServerContext, InFlightRequests } from './context.js';
import { createInvalidRequest, refuse, replyInternalError } from './error-response.js';
import { type Exchange, resolveFullPath } from './exchange.js';
import { createHealthEndpoints } from './health.js';
import { requireCloseOptions } from './option-checks.js';
import { type HandlerOptions, resolveClock, resolveLimits, resolveService, resolveSsePath } from './options.js';
import { createSessionRegistry, type HttpSessionRegistry } from './sessions/session-registry.js';
import { serveStreamableHttp } from './streamable-http.js';

/** An MCP endpoint on HTTP. It does not depend on a runtime. */
export interface HttpEndpoint {
  /** Handles one exchange. Never throws. */
  handle(exchange: Exchange): void;
  /**
   * Tells if a path belongs to this server, after a router removed the prefix `mount`. `isRouted` is true if the router
   * has selected this server by the path.
   */
  serves(path: string, mount?: string, isRouted?: boolean): boolean;
  /**
   * Makes `/readyz` respond with 503 and waits for `delay`. Then it refuses new requests with 503, ends the open streams
   * for messages of the server, and waits for requests in progress. After `timeout` it aborts them.
   */
  close(options?: CloseOptions): Promise<void>;
  /** Makes `/readyz` respond with 503, and closes connections after their next response. Requests are still accepted. */
  startDraining(): void;
  /** Number of open sessions. */
  readonly sessionCount: number;
  /** Number of open streams. */
  readonly streamCount: number;
  /** Counts response data that a runtime buffers because the client does not read it. */
  readonly unread: UnreadLimit;
}

/** Options of closing an endpoint. */
export interface CloseOptions {
  /**
   * Maximum time for open requests to end, in milliseconds. After it they are aborted.
   * @default 10,000
   */
  readonly timeout?: number | undefined;
  /**
   * Time for which new requests are still accepted while `/readyz` already responds with 503, in milliseconds. Choose
   * it longer than a load balancer needs to notice.
   * @default 0
   */
  readonly delay?: number | undefined;
}

const CLOSE_TIMEOUT = 10_000;
const DEFAULT_PATH = '/mcp';

/**
 * Tells if a request is for the MCP endpoint. Without a configured path, a router may have selected the path. Clients
 * look for metadata of OAuth at `/.well-known`, and must not take an error of the endpoint for it.
 */
function isEndpointPath(
  { path, mount, isRouted = false }: Pick<Exchange, 'path' | 'mount' | 'isRouted'>,
  configured: string | undefined,
): boolean {
  if (configured === undefined) return path === DEFAULT_PATH || (isRouted && !path.startsWith('/.well-known/'));
  return configured === '*' || path === configured || (mount !== '' && resolveFullPath(path, mount) === configured);
}

/**
 * Returns the URL of a path relative to another one: `messages` from `/sse` to `/messages`. It is also right for a client
 * behind a proxy that adds a prefix, which this server does not know.
 */
function createRelativeUrl(from: string, to: string): string {
  const folders = from.split('/').slice(1, -1);
  const parts = to.split('/').slice(1);
  const shared = folders.findIndex((folder, index) => folder !== parts[index] || index >= parts.length - 1);
  const sharedFolders = shared < 0 ? folders.length : shared;
  const relative = '../'.repeat(folders.length - sharedFolders) + parts.slice(sharedFolders).join('/');
  // A colon in the first segment would make it a scheme.
  return /^[^/]*:/.test(relative) ? `./${relative}` : relative;
}

/** Creates an endpoint that supports every protocol version: stateless requests, sessions, and HTTP+SSE. */
export function createHttpEndpoint(service: RequestHandler, options: HandlerOptions = {}): HttpEndpoint {
  const limits = resolveLimits(options);
  const clock = resolveClock(options);
  const unread = createUnreadLimit(limits.maxTotalBufferedBytes);
  const context: HttpServerContext = {
    handler: resolveService(service, options),
    keepsSessions: options.sessions !== false,
    isPublic: options.auth === undefined && options.authorize === undefined,
    limits,
    clock,
    streams: createEventStreams(limits, clock, unread),
    eventStore: options.eventStore ?? createMemoryEventStore(limits, session => sessions.getCaller(session)),
    report: createErrorReporter(options.onError ?? logError),
    inFlight: new InFlightRequests(limits.maxRequests, limits.maxShare),
    readingBytes: new SharedLimit(limits.maxReadingBytes, limits.maxShare),
    getAddress: options.clientAddress ?? (exchange => exchange.remote),
    challenge(exchange, error) {
      const scopes = getRequiredScopes(error);
      if (scopes === undefined) return undefined;
      if (options.auth !== undefined) return options.auth.challenge(exchange, scopes);
      return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scopes.join(' ')}"` };
    },
  };
  const sessions = createSessionRegistry(context);
  const { path, messagesPath = '/messages' } = options;
  const ssePath = resolveSsePath(options);
  let sseEndpoints: HttpSseEndpoints | undefined;
  // The first request of HTTP+SSE loads the code, because most servers have no such clients.
  const loadSseEndpoints = async (): Promise<HttpSseEndpoints> => {
    const { createHttpSseEndpoints } = await import('../../http-sse/server.js');
    sseEndpoints ??= createHttpSseEndpoints(context, createRelativeUrl(String(ssePath), messagesPath));
    return sseEndpoints;
  };
  const serveSse = (exchange: Exchange, serve: (endpoints: HttpSseEndpoints) => void): void => {
    if (sseEndpoints !== undefined) return serve(sseEndpoints);
    loadSseEndpoints()
      .then(serve)
      .catch(error => replyInternalError(context, exchange, error));
  };

  const route = (exchange: Exchange, auth: AuthInfo | undefined): void => {
    if (ssePath !== false && exchange.path === ssePath) serveSse(exchange, each => each.open(exchange, auth));
    else if (ssePath !== false && exchange.path === messagesPath)
      serveSse(exchange, each => each.receive(exchange, auth));
    else if (isEndpointPath(exchange, path)) serveStreamableHttp(context, sessions, exchange, auth);
    else {
      const reason = `Not found. The path of the MCP endpoint is ${path ?? DEFAULT_PATH}. The option \`path\` of the server changes it`;
      refuse(exchange, 404, createInvalidRequest(reason));
    }
  };
  const isOwnPath = (exchange: Exchange) => isEndpointPath(exchange, path);
  const admit = createAdmission(options, context, isOwnPath, route);
  const { inFlight } = context;
  const health = createHealthEndpoints(options.health, context.handler, {
    clock,
    report: context.report,
    isDraining: () => inFlight.draining,
  });

  const handle = (exchange: Exchange): void => {
    try {
      if (inFlight.draining) exchange.closeConnection?.();
      // Probes of Kubernetes use the address of the pod as `Host`, and have no token.
      if (health?.serves(exchange.path)) health.handle(exchange);
      else admit(exchange);
    } catch (error) {
      replyInternalError(context, exchange, error);
    }
  };

  service.forwardRetries?.(() => import('./retry-forwarding.js'));
  const stores = context.keepsSessions ? context.handler.sharedStores : undefined;
  // Requests wait until the code for sessions in stores is loaded.
  let isReady = stores === undefined;

  return {
    handle(exchange) {
      if (isReady || stores === undefined) return handle(exchange);
      sessions.connectStores(stores).then(
        () => {
          isReady = true;
          handle(exchange);
        },
        error => replyInternalError(context, exchange, error),
      );
    },
    serves: (requestedPath, mount = '', isRouted = false) =>
      isEndpointPath({ path: requestedPath, mount, isRouted }, path) ||
      health?.serves(requestedPath) === true ||
      (ssePath !== false && (requestedPath === ssePath || requestedPath === messagesPath)) ||
      options.auth?.documents.has(resolveFullPath(requestedPath, mount)) === true ||
      options.auth?.remoteDocuments?.has(resolveFullPath(requestedPath, mount)) === true,
    get sessionCount() {
      return sessions.count;
    },
    unread,
    get streamCount() {
      return context.streams.count;
    },
    startDraining() {
      inFlight.draining = true;
    },
    close: async (closeOptions = {}) => {
      requireCloseOptions(closeOptions);
      return closeEndpoint(context, sessions, () => sseEndpoints?.endAll(), closeOptions);
    },
  };
}

async function closeEndpoint(
  { clock, inFlight, streams }: HttpServerContext,
  sessions: HttpSessionRegistry,
  endSseStreams: () => MaybePromise<void>,
  { timeout = CLOSE_TIMEOUT, delay = 0 }: CloseOptions,
): Promise<void> {
  inFlight.draining = true;
  if (delay > 0) await sleep(clock, delay);
  streams.announceRetry();
  return new Promise(resolve => {
    inFlight.close();
    sessions.stopListening();
    let cancelTimer = (): void => {};
    let isFinishing = false;
    const finish = (): void => {
      cancelTimer();
      // Ending the sessions ends all requests in progress, which calls this function again.
      if (isFinishing) return;
      isFinishing = true;
      inFlight.cancelAll();
      const endingStreams = endSseStreams();
      // Streams that other processes continue are written to the store first.
      thenMaybe(sessions.endAll(), () =>
        thenMaybe(endingStreams, () => {
          streams.destroyAll();
          resolve();
        }),
      );
    };
    cancelTimer = clock.after(timeout, finish);
    inFlight.onIdle(finish);
  });
}
