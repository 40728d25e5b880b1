import type { Service } from '../../conversation/service.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { SharedLimit } from '../../jsonrpc/shared-limit.js';
import { createTwoEndpoints } from '../http-sse/server.js';
import { createAdmission, failed } from './admission.js';
import { challenger } from './challenger.js';
import { fullPath } from './documents.js';
import type { Exchange } from './exchange.js';
import { boundsOf, clockOf, type HandlerOptions, resolveService, resolveSsePath } from './options.js';
import { invalidRequest, refuse } from './refusal.js';
import { createMemoryLog } from './replay.js';
import { createTraffic, type Road } from './road.js';
import { createSessions } from './sessions.js';
import { serveStreamable } from './streamable.js';
import { createStreams } from './streams.js';
import { createUnreadLimit, type UnreadLimit } from './unread-output.js';

/** A server on HTTP, over whatever runtime makes the exchanges. */
export interface Endpoint {
  /** Answers one exchange. Never throws. */
  handle(exchange: Exchange): void;
  /** Whether a path is one of this server's, after what a router in front has cut off it. */
  serves(path: string, mount?: string): boolean;
  /**
   * Stops taking requests (503), ends the streams on which clients listen, waits for what runs, and closes the rest after
   * `deadline` milliseconds (default 10 s).
   */
  close(options?: CloseOptions): Promise<void>;
  /** How many sessions are open. */
  readonly sessions: number;
  /** How many streams are open. */
  readonly streams: number;
  /** Counts answers that a runtime holds because nobody reads them. */
  readonly unread: UnreadLimit;
}

export interface CloseOptions {
  readonly deadline?: number | undefined;
}

const DEADLINE = 10_000;

/** Serves every revision at once: sessions and the two-endpoint transport beside requests that stand alone. */
export function createEndpoint(service: Service, options: HandlerOptions = {}): Endpoint {
  const bounds = boundsOf(options);
  const clock = clockOf(options);
  const unread = createUnreadLimit(bounds.maxTotalBufferedBytes);
  const road: Road = {
    service: resolveService(service, options),
    keepsSessions: options.sessions !== false,
    bounds,
    clock,
    streams: createStreams(bounds, clock, unread),
    log: options.eventLog ?? createMemoryLog(bounds, session => sessions.getCaller(session)),
    report: options.onError ?? (() => {}),
    traffic: createTraffic(bounds),
    reading: new SharedLimit(bounds.maxReadingBytes, bounds.maxShare),
    getAddress: options.clientAddress ?? (exchange => exchange.remote),
    challenge: challenger(options.auth),
  };
  const sessions = createSessions(road);
  const { path = '/mcp', messagesPath = '/messages' } = options;
  const ssePath = resolveSsePath(options);
  const two = createTwoEndpoints(road, messagesPath);

  const route = (exchange: Exchange, auth: AuthInfo | undefined): void => {
    if (ssePath !== false && exchange.path === ssePath) two.open(exchange, auth);
    else if (ssePath !== false && exchange.path === messagesPath) two.receive(exchange, auth);
    else if (path === '*' || exchange.path === path) serveStreamable(road, sessions, exchange, auth);
    else refuse(exchange, 404, invalidRequest(`Nothing is served here; the MCP endpoint is ${path}`));
  };
  const admit = createAdmission(options, road, route);

  return {
    handle(exchange) {
      try {
        admit(exchange);
      } catch (error) {
        failed(road, exchange, error);
      }
    },
    serves: (asked, mount = '') =>
      path === '*' ||
      asked === path ||
      (ssePath !== false && (asked === ssePath || asked === messagesPath)) ||
      options.auth?.documents.has(fullPath(asked, mount)) === true ||
      options.auth?.remoteDocuments?.has(fullPath(asked, mount)) === true,
    get sessions() {
      return sessions.count;
    },
    unread,
    get streams() {
      return road.streams.count;
    },
    close: ({ deadline = DEADLINE } = {}) =>
      new Promise(resolve => {
        road.traffic.close();
        sessions.stopListening();
        let callOff = (): void => {};
        const finish = (): void => {
          callOff();
          sessions.endAll();
          two.endAll();
          road.streams.cutAll();
          resolve();
        };
        callOff = clock.after(deadline, finish);
        road.traffic.whenQuiet(finish);
      }),
  };
}
