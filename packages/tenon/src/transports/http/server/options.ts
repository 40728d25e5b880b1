import {
  type AuthInfo,
  applyDefaults,
  type Clock,
  MAX_SHARE,
  type Optional,
  systemClock,
  TenonError,
} from '@tenon/base';
import type { TokenVerifier } from '../../../auth/resource/request-authorizer.js';
import { requireRequestHandler } from '../../../protocol/check-request-handler.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import type { EventStore } from '../sse/event-store.js';
import type { CorsOptions } from './cors.js';
import type { HeaderFields, RequestInfo } from './exchange.js';
import type { HealthOptions } from './health.js';

/** Options of an HTTP endpoint. Every default is safe for a public server. */
export interface HandlerOptions {
  /**
   * Path of Streamable HTTP. `*` accepts every path that a router has selected. Required with `auth` in
   * `createHandler`, because a request must not choose the resource that it needs a token for.
   * @default every path that a framework routes to the handler, otherwise `/mcp`
   */
  readonly path?: string | undefined;
  /**
   * Path of the stream of HTTP+SSE, which is deprecated in 2026-07-28. `false` disables HTTP+SSE.
   * @default `/sse`, or `false` with `sessions: false`
   */
  readonly ssePath?: string | false | undefined;
  /**
   * Path to which clients of HTTP+SSE POST their messages.
   * @default `/messages`
   */
  readonly messagesPath?: string | undefined;
  /**
   * Allowed values of `Host` in addition to loopback names and IP addresses: names (`mcp.example.com`) or authorities
   * (`mcp.example.com:8443`). `'*'` allows DNS rebinding: a malicious web page can then access this server through a
   * visitor's browser.
   * @default none
   */
  readonly allowedHosts?: readonly string[] | '*' | undefined;
  /**
   * Origins (`https://app.example.com`) whose pages may call the server, in addition to its own origin and, on
   * loopback, loopback origins. `'*'` lets any page that a user visits call this server with all access that the
   * browser has.
   * @default none
   */
  readonly allowedOrigins?: readonly string[] | '*' | undefined;
  /**
   * Lets web pages of other origins read responses.
   * @default not allowed
   */
  readonly cors?: CorsOptions | undefined;
  /**
   * Verifies access tokens: the result of `protect` of `tenon/auth`. Every request needs a token, also in a known
   * session. The metadata documents are public.
   * @default no verification
   */
  readonly auth?: TokenVerifier | undefined;
  /**
   * Authorizes each request, also in a known session. It runs after `auth` and gets its result.
   * @default every request is allowed
   */
  readonly authorize?: ((request: RequestInfo) => AuthorizeResult | Promise<AuthorizeResult>) | undefined;
  /**
   * Returns the address of the client behind a proxy, so that anonymous callers can be distinguished: `request =>
   * request.header('x-real-ip')`. Use only a header that the proxy overwrites. Otherwise clients can choose their
   * address and evade limits.
   * @default the address of the connection
   */
  readonly clientAddress?: ((request: RequestInfo) => string | undefined) | undefined;
  /**
   * Set to `false` to run without sessions, so that any replica can handle any request on every version. `initialize`
   * gets no `Mcp-Session-Id`, GET and DELETE get 405, and HTTP+SSE is off. Stateless versions are not affected.
   *
   * These features are then refused and not declared: elicitation, sampling, roots, `resources/subscribe`,
   * `logging/setLevel`, list changes, tasks of 2025-11-25, cancellation and resumable streams.
   *
   * @default `true`
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
   */
  readonly sessions?: boolean | undefined;
  /** Limits of the endpoint. See `Limits` for the defaults. */
  readonly limits?: Optional<Limits> | undefined;
  /**
   * Store of messages for resumable streams. It is not used if the server has durable `stores`, which contain
   * sessions and their streams.
   * @default in memory, limited by `limits`
   */
  readonly eventStore?: EventStore | undefined;
  /**
   * Serves `/healthz` and `/readyz`, for load balancers and Kubernetes. These paths need no authorization and accept
   * every `Host`.
   * @default `false`
   */
  readonly health?: boolean | HealthOptions | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
  /**
   * Called with internal errors, which clients do not get.
   * @default writes to standard error
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Result of `authorize`: the caller with headers for the response, or the response that refuses the request. */
export type AuthorizeResult =
  | { readonly auth: AuthInfo | undefined; readonly headers?: HeaderFields | undefined }
  | { readonly status: number; readonly headers?: HeaderFields | undefined; readonly body?: string | undefined };

/** Limits of an HTTP endpoint. */
export interface Limits {
  /**
   * Maximum size of one request body, in bytes. A larger one gets 413.
   * @default 4 MiB
   */
  readonly maxBodyBytes: number;
  /**
   * Maximum depth of arrays and objects in one message.
   * @default 128
   */
  readonly maxJsonDepth: number;
  /**
   * Maximum number of messages in one batch.
   * @default 50
   */
  readonly maxBatch: number;
  /**
   * Maximum number of open sessions. Beyond it the session with the longest idle time is ended, or the client gets
   * 503.
   * @default 10,000
   */
  readonly maxSessions: number;
  /**
   * Time without a request, a response or an open stream after which a session ends, in milliseconds. A client that
   * returns later opens a new session automatically.
   * @default 1,800,000 (30 minutes)
   */
  readonly sessionIdleTimeout: number;
  /**
   * Minimum idle time before a session may be ended for a new one, in milliseconds.
   * @default 60,000
   */
  readonly minIdleBeforeEviction: number;
  /**
   * Time without a request or an open stream of the client after which input requests no longer keep its session busy,
   * in milliseconds. Only the client can continue such a session, and it may never return. The session then ends after
   * `sessionIdleTimeout`, or earlier at a limit.
   * @default 60,000
   */
  readonly unattendedTimeout: number;
  /**
   * Maximum number of requests in progress. Further requests get 503.
   * @default 10,000
   */
  readonly maxRequests: number;
  /**
   * Maximum number of bytes in bodies over 64 KiB that are being read. Beyond it requests get 503. A body of unknown
   * length counts as `maxBodyBytes`.
   * @default 512 MiB
   */
  readonly maxReadingBytes: number;
  /**
   * Share of `maxSessions`, `maxStreams`, `maxRequests`, `maxReadingBytes` and `maxConnections` for one user, or for
   * one address of anonymous callers. A number from 0 to 1; 1 sets no limit. The more others use, the less each may
   * add, so that new callers find room.
   * @default 0.5
   */
  readonly maxShare: number;
  /**
   * Maximum number of requests in progress in one session. Further requests get 503.
   * @default 256
   */
  readonly maxRequestsPerSession: number;
  /**
   * Maximum number of open streams.
   * @default 10,000
   */
  readonly maxStreams: number;
  /**
   * Maximum number of open streams in one session.
   * @default 32
   */
  readonly maxStreamsPerSession: number;
  /**
   * Maximum number of bytes that wait for one slow client. Beyond it the client is disconnected.
   * @default 4 MiB
   */
  readonly maxBufferedBytes: number;
  /**
   * Maximum number of bytes that wait for slow clients on all connections. It counts streams, and on Node also JSON
   * responses. Beyond it the caller with the most waiting bytes is disconnected.
   * @default 64 MiB
   */
  readonly maxTotalBufferedBytes: number;
  /**
   * Time without an event after which a stream gets a comment, in milliseconds.
   * @default 15,000
   */
  readonly keepAliveInterval: number;
  /**
   * Time after which a client should reconnect to a stream that the server closed, in milliseconds.
   * @default 1,000
   */
  readonly sseRetry: number;
  /**
   * Maximum number of messages of one session that are stored for replay.
   * @default 256
   */
  readonly maxReplayEvents: number;
  /**
   * Maximum number of bytes of one session that are stored for replay.
   * @default 1 MiB
   */
  readonly maxReplayBytes: number;
  /**
   * Maximum number of bytes of all sessions that are stored for replay.
   * @default 64 MiB
   */
  readonly maxTotalReplayBytes: number;
}

const MINUTE = 60_000;
const MEBI = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = {
  maxBodyBytes: 4 * MEBI,
  maxJsonDepth: 128,
  maxBatch: 50,
  maxSessions: 10_000,
  sessionIdleTimeout: 30 * MINUTE,
  minIdleBeforeEviction: MINUTE,
  unattendedTimeout: MINUTE,
  maxRequests: 10_000,
  maxReadingBytes: 512 * MEBI,
  maxShare: MAX_SHARE,
  maxRequestsPerSession: 256,
  maxStreams: 10_000,
  maxStreamsPerSession: 32,
  maxBufferedBytes: 4 * MEBI,
  maxTotalBufferedBytes: 64 * MEBI,
  keepAliveInterval: 15_000,
  sseRetry: 1000,
  maxReplayEvents: 256,
  maxReplayBytes: MEBI,
  maxTotalReplayBytes: 64 * MEBI,
};

export function resolveLimits(options: HandlerOptions): Limits {
  return applyDefaults(DEFAULT_LIMITS, options.limits ?? {});
}

/**
 * Returns the path of HTTP+SSE, or `false`. Throws `serve/options` for a path with `sessions: false`, because HTTP+SSE
 * needs sessions.
 */
export function resolveSsePath({ sessions = true, ssePath = sessions && '/sse' }: HandlerOptions): string | false {
  if (typeof sessions !== 'boolean') {
    const received = typeof sessions === 'string' ? sessions : typeof sessions;
    throw createOptionsError('`sessions` is not a boolean', 'true or false', received);
  }
  if (sessions || ssePath === false) return ssePath;
  throw createOptionsError('HTTP+SSE needs sessions', '`ssePath` without `sessions: false`', ssePath);
}

/** Returns the server with or without sessions, as the options require. */
export function resolveService(service: RequestHandler, { sessions = true }: HandlerOptions): RequestHandler {
  requireRequestHandler(service, true);
  if (sessions) return service;
  if (service.withoutSessions !== undefined) return service.withoutSessions();
  throw createOptionsError(
    '`sessions: false` is not supported by this server',
    'a server with the method `withoutSessions`',
    'a server without it',
  );
}

function createOptionsError(summary: string, expected: string, received: string): TenonError {
  return new TenonError('serve/options', `invalid options of the HTTP server: ${summary}`, { expected, received });
}

export function resolveClock(options: HandlerOptions): Clock {
  return options.clock ?? systemClock;
}
