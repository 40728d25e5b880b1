import type { TokenVerifier } from '../../../auth/resource/request-authorizer.js';
import { type Clock, systemClock } from '../../../cancellation/clock.js';
import { TenonError } from '../../../jsonrpc/error.js';
import { MAX_SHARE } from '../../../jsonrpc/shared-limit.js';
import type { AuthInfo } from '../../../jsonrpc/transport.js';
import { requireRequestHandler } from '../../../protocol/check-options.js';
import { applyDefaults, type Optional } from '../../../protocol/defaults.js';
import type { RequestHandler } from '../../../protocol/request-handler.js';
import type { EventStore } from '../sse/event-store.js';
import type { CorsOptions } from './cors.js';
import type { HeaderFields, RequestInfo } from './exchange.js';

/** Options of an HTTP endpoint. Everything has a default that is safe to expose. */
export interface HandlerOptions {
  /** Path of Streamable HTTP. Default `/mcp`; `*` when a router in front has chosen the path already. */
  readonly path?: string | undefined;
  /**
   * Path of the stream of the two-endpoint transport (HTTP+SSE). Default `/sse`; `false` for nowhere, as with
   * `sessions: false`.
   */
  readonly ssePath?: string | false | undefined;
  /** Path to which those clients POST. Default `/messages`. */
  readonly messagesPath?: string | undefined;
  /**
   * Names (`mcp.example.com`) or authorities (`mcp.example.com:8443`) that may stand in `Host`, besides loopback names
   * and IP addresses. `'*'` allows DNS rebinding: a web page whose name an attacker points at this machine then reaches
   * this server through a visitor's browser.
   */
  readonly allowedHosts?: readonly string[] | '*' | undefined;
  /**
   * Origins (`https://app.example.com`) whose pages may call, besides the server's own, and those of loopback on
   * loopback. `'*'` lets any page that a user visits call this server with all access that the browser has.
   */
  readonly allowedOrigins?: readonly string[] | '*' | undefined;
  /** Lets browsers read the answers. Off by default. */
  readonly cors?: CorsOptions | undefined;
  /**
   * Lets in only who has an access token for this server: what `protect` of `tenon/auth` makes. Runs on every request,
   * known session or not; its metadata documents are served to all.
   */
  readonly auth?: TokenVerifier | undefined;
  /**
   * Authorizes each request in your own way; after `auth`, whose result it gets, if both are given. Runs on every
   * request, known session or not. Without it everyone may.
   */
  readonly authorize?: ((request: RequestInfo) => AuthorizeResult | Promise<AuthorizeResult>) | undefined;
  /**
   * Returns the address of the client behind a proxy, so that anonymous callers can be distinguished: `request =>
   * request.header('x-real-ip')`. Default: the address of the connection. A header that the proxy does not overwrite
   * lets clients choose their address, and use the shares of any number of callers.
   */
  readonly clientAddress?: ((request: RequestInfo) => string | undefined) | undefined;
  /**
   * Set to `false` to keep no sessions, so that any replica serves any request on every version. `initialize` is
   * answered without `Mcp-Session-Id`, GET and DELETE with 405, and HTTP+SSE is not served. Refused with an error, and
   * not declared: elicitation, sampling, roots, `resources/subscribe`, `logging/setLevel`, list changes, tasks of
   * 2025-11-25, cancellation and streams that can be resumed. Versions in which each request stands alone are not
   * affected. Default `true`.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
   */
  readonly sessions?: boolean | undefined;
  /** See `Limits`. */
  readonly limits?: Optional<Limits> | undefined;
  /**
   * Store of messages that wait for a stream to be resumed. Default: memory, bounded by `limits`. Not used if the server
   * has durable `stores`: sessions and their streams are there.
   */
  readonly eventStore?: EventStore | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** Receives internal errors, for the operator. Never crosses the wire. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Result of `authorize`: the caller, with header fields for the response; or the response that refuses. */
export type AuthorizeResult =
  | { readonly auth: AuthInfo | undefined; readonly headers?: HeaderFields | undefined }
  | { readonly status: number; readonly headers?: HeaderFields | undefined; readonly body?: string | undefined };

/** Everything that could grow, and how far it may. */
export interface Limits {
  /** Bytes of one request body. Default 4 MiB; beyond it 413. */
  readonly maxBodyBytes: number;
  /** Levels of arrays and objects in one message. Default 128. */
  readonly maxJsonDepth: number;
  /** Messages in one batch. Default 50. */
  readonly maxBatch: number;
  /** Sessions that are open at once. Default 10,000; beyond it the idlest gives way, or 503. */
  readonly maxSessions: number;
  /**
   * Milliseconds without a request, an answer or an open stream after which a session ends. Default 30 minutes: longer
   * than people pause, and a client that comes back later opens a new one by itself.
   */
  readonly sessionIdleTimeout: number;
  /** Milliseconds for which a session that is idle may not be sacrificed to a new one. Default 60 s. */
  readonly minIdleBeforeEviction: number;
  /** Requests that are unanswered at once, over all. Default 10,000; beyond it 503. */
  readonly maxRequests: number;
  /**
   * Bytes of bodies over 64 KiB that are being read at once, over all. Default 512 MiB; beyond it 503. A body of
   * unknown length counts as `maxBodyBytes`.
   */
  readonly maxReadingBytes: number;
  /**
   * Part of `maxSessions`, `maxStreams`, `maxRequests`, `maxReadingBytes` and `maxConnections` that one user may hold
   * alone, from 0 to 1; anonymous callers count by address. The more others hold, the less each may add, so that room
   * is left for newcomers. Default 0.5; 1 lets one caller take everything.
   */
  readonly maxShare: number;
  /** Requests of one session that are unanswered at once. Default 256; beyond it 503. */
  readonly maxRequestsPerSession: number;
  /** Streams that are open at once, over all. Default 10,000. */
  readonly maxStreams: number;
  /** Streams that are open at once in one session. Default 32. */
  readonly maxStreamsPerSession: number;
  /** Bytes that may wait for one slow reader before it is cut off. Default 4 MiB. */
  readonly maxBufferedBytes: number;
  /**
   * Bytes that may wait for slow readers over all connections: streams, and on Node also answers that are one JSON
   * text. Default 64 MiB; beyond it the caller with the most waiting is cut off.
   */
  readonly maxTotalBufferedBytes: number;
  /** Milliseconds of silence after which a stream carries a comment. Default 15 s. */
  readonly keepAliveInterval: number;
  /** Milliseconds after which a client should come back to a stream that the server hung up. Default 1 s. */
  readonly sseRetry: number;
  /** Messages of one session that are kept for replay. Default 256. */
  readonly maxReplayEvents: number;
  /** Bytes of one session that are kept for replay. Default 1 MiB. */
  readonly maxReplayBytes: number;
  /** Bytes that are kept for replay over all sessions. Default 64 MiB. */
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
 * Returns the path of HTTP+SSE, or `false`. Throws `serve/options` for a path where there are no sessions, which it
 * needs.
 */
export function resolveSsePath({ sessions = true, ssePath = sessions && '/sse' }: HandlerOptions): string | false {
  if (typeof sessions !== 'boolean') {
    throw createOptionsError(
      '`sessions` is not a boolean',
      'true or false',
      typeof sessions === 'string' ? sessions : typeof sessions,
    );
  }
  if (sessions || ssePath === false) return ssePath;
  throw createOptionsError('HTTP+SSE needs sessions', '`ssePath` without `sessions: false`', ssePath);
}

/** Returns the service in the form in which the options serve it. */
export function resolveService(service: RequestHandler, { sessions = true }: HandlerOptions): RequestHandler {
  requireRequestHandler(service);
  if (sessions) return service;
  if (service.withoutSessions !== undefined) return service.withoutSessions();
  throw createOptionsError(
    '`sessions: false` is not supported by this server',
    'a server with the method `withoutSessions`',
    'a server without it',
  );
}

function createOptionsError(problem: string, expected: string, received: string): TenonError {
  return new TenonError('serve/options', `invalid options of the HTTP server: ${problem}`, { expected, received });
}

export function resolveClock(options: HandlerOptions): Clock {
  return options.clock ?? systemClock;
}
