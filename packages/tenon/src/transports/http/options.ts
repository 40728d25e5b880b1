import type { Protection } from '../../auth/resource/protection.js';
import type { Service } from '../../conversation/service.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { MAX_SHARE } from '../../jsonrpc/shared-limit.js';
import { applyDefaults, type Optional } from '../../model/defaults.js';
import { requireService } from '../../model/option-check.js';
import type { CorsOptions } from './cors.js';
import type { ExchangeFacts, HeaderFields } from './exchange.js';
import type { EventLog } from './replay.js';

/** How an HTTP endpoint is served. Everything has a default that is safe to expose. */
export interface HandlerOptions {
  /** Where Streamable HTTP is served. Default `/mcp`; `*` when a router in front has chosen the path already. */
  readonly path?: string | undefined;
  /** Where clients of the two-endpoint transport (HTTP+SSE) open their stream. Default `/sse`; `false` for nowhere, as with `sessions: false`. */
  readonly ssePath?: string | false | undefined;
  /** Where those clients POST to. Default `/messages`. */
  readonly messagesPath?: string | undefined;
  /**
   * Names (`mcp.example.com`) or authorities (`mcp.example.com:8443`) that may stand in `Host`, besides loopback names and
   * IP addresses. `'*'` allows DNS rebinding: a web page whose name an attacker points at this machine then reaches this
   * server through a visitor's browser.
   */
  readonly allowedHosts?: readonly string[] | '*' | undefined;
  /**
   * Origins (`https://app.example.com`) whose pages may call, besides the server's own, and those of loopback on loopback.
   * `'*'` lets any page that a user visits call this server with whatever access the browser has.
   */
  readonly allowedOrigins?: readonly string[] | '*' | undefined;
  /** Lets browsers read the answers. Off by default. */
  readonly cors?: CorsOptions | undefined;
  /**
   * Lets in only who has an access token for this server: what `protect` of `tenon/auth` makes. Runs on every request, known
   * session or not; its metadata documents are served to all.
   */
  readonly auth?: Protection | undefined;
  /** Who calls, and whether they may, in your way; after `auth`, whose finding it is given, where there are both. Runs on every request, known session or not. Without it everyone may. */
  readonly authorize?: ((facts: ExchangeFacts) => Verdict | Promise<Verdict>) | undefined;
  /**
   * Finds the address of the client where a proxy stands in front, so that anonymous callers are told apart:
   * `request => request.header('x-real-ip')`. Default: the address of the connection. A header that the proxy does not
   * overwrite lets clients choose their address, and take the shares of as many callers as they like.
   */
  readonly clientAddress?: ((request: ExchangeFacts) => string | undefined) | undefined;
  /**
   * Set to `false` to keep no sessions, so that any replica serves any request on every version. `initialize` is answered
   * without `Mcp-Session-Id`, GET and DELETE with 405, and HTTP+SSE is not served. Refused with an error, and not declared:
   * elicitation, sampling, roots, `resources/subscribe`, `logging/setLevel`, list changes, tasks of 2025-11-25, cancellation
   * and streams that can be resumed. Versions in which each request stands alone are not affected. Default `true`.
   * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management
   */
  readonly sessions?: boolean | undefined;
  /** See `Bounds`. */
  readonly bounds?: Optional<Bounds> | undefined;
  /** Where messages wait for a stream to be resumed. Default: memory, bounded by `bounds`. */
  readonly eventLog?: EventLog | undefined;
  readonly clock?: Clock | undefined;
  /** What went wrong inside, for the operator. Never crosses the wire. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The verdict of an authorization: who it is, with fields for whatever is answered; or the answer that refuses. */
export type Verdict =
  | { readonly auth: AuthInfo | undefined; readonly headers?: HeaderFields | undefined }
  | { readonly status: number; readonly headers?: HeaderFields | undefined; readonly body?: string | undefined };

/** Everything that could grow, and how far it may. */
export interface Bounds {
  /** Bytes of one request body. Default 4 MiB; beyond it 413. */
  readonly bodyBytes: number;
  /** Levels of arrays and objects in one message. Default 128. */
  readonly depth: number;
  /** Messages in one batch. Default 50. */
  readonly batch: number;
  /** Sessions that are open at once. Default 10,000; beyond it the idlest gives way, or 503. */
  readonly sessions: number;
  /**
   * Milliseconds without a request, an answer or an open stream after which a session ends. Default 30 minutes: longer
   * than people pause, and a client that comes back later opens a new one by itself.
   */
  readonly sessionIdle: number;
  /** Milliseconds for which a session that is idle may not be sacrificed to a new one. Default 60 s. */
  readonly sessionGrace: number;
  /** Requests that are unanswered at once, over all. Default 10,000; beyond it 503. */
  readonly maxRequests: number;
  /** Bytes of bodies over 64 KiB that are being read at once, over all. Default 512 MiB; beyond it 503. A body of unknown length counts as `bodyBytes`. */
  readonly maxReadingBytes: number;
  /**
   * Part of `sessions`, `streams`, `maxRequests`, `maxReadingBytes` and `connections` that one user may hold alone, from 0 to 1; anonymous
   * callers count by address. The more others hold, the less each may add, so that room is left for newcomers.
   * Default 0.5; 1 lets one caller take everything.
   */
  readonly maxShare: number;
  /** Requests of one session that are unanswered at once. Default 256; beyond it 503. */
  readonly requests: number;
  /** Streams that are open at once, over all. Default 10,000. */
  readonly streams: number;
  /** Streams that are open at once in one session. Default 32. */
  readonly sessionStreams: number;
  /** Bytes that may wait for one slow reader before it is cut off. Default 4 MiB. */
  readonly waitingBytes: number;
  /**
   * Bytes that may wait for slow readers over all connections: streams, and on Node also answers that are one JSON text.
   * Default 64 MiB; beyond it the caller with the most waiting is cut off.
   */
  readonly maxTotalBufferedBytes: number;
  /** Milliseconds of silence after which a stream carries a comment. Default 15 s. */
  readonly keepAlive: number;
  /** Milliseconds after which a client should come back to a stream that the server hung up. Default 1 s. */
  readonly retry: number;
  /** Messages of one session that are kept for replay. Default 256. */
  readonly replayEvents: number;
  /** Bytes of one session that are kept for replay. Default 1 MiB. */
  readonly replaySize: number;
  /** Bytes that are kept for replay over all sessions. Default 64 MiB. */
  readonly replayTotal: number;
}

const MINUTE = 60_000;
const MEBI = 1024 * 1024;

export const DEFAULT_BOUNDS: Bounds = {
  bodyBytes: 4 * MEBI,
  depth: 128,
  batch: 50,
  sessions: 10_000,
  sessionIdle: 30 * MINUTE,
  sessionGrace: MINUTE,
  maxRequests: 10_000,
  maxReadingBytes: 512 * MEBI,
  maxShare: MAX_SHARE,
  requests: 256,
  streams: 10_000,
  sessionStreams: 32,
  waitingBytes: 4 * MEBI,
  maxTotalBufferedBytes: 64 * MEBI,
  keepAlive: 15_000,
  retry: 1000,
  replayEvents: 256,
  replaySize: MEBI,
  replayTotal: 64 * MEBI,
};

export function boundsOf(options: HandlerOptions): Bounds {
  return applyDefaults(DEFAULT_BOUNDS, options.bounds ?? {});
}

/** Returns the path of HTTP+SSE, or `false`. Throws `serve/options` for a path where there are no sessions, which it needs. */
export function resolveSsePath({ sessions = true, ssePath = sessions && '/sse' }: HandlerOptions): string | false {
  if (typeof sessions !== 'boolean') {
    throw unfitOption(
      '`sessions` is unfit',
      'true or false',
      typeof sessions === 'string' ? sessions : typeof sessions,
    );
  }
  if (sessions || ssePath === false) return ssePath;
  throw unfitOption('HTTP+SSE needs sessions', 'no `ssePath` beside `sessions: false`', ssePath);
}

/** Returns the service in the form in which the options serve it. */
export function resolveService(service: Service, { sessions = true }: HandlerOptions): Service {
  requireService(service);
  if (sessions) return service;
  if (service.withoutSessions !== undefined) return service.withoutSessions();
  throw unfitOption('`sessions: false` does not fit this server', 'a server with `withoutSessions`', 'one without');
}

function unfitOption(problem: string, expected: string, got: string): TenonError {
  return new TenonError('serve/options', `the options of the HTTP server: ${problem}`, { expected, got });
}

export function clockOf(options: HandlerOptions): Clock {
  return options.clock ?? systemClock;
}
