import type { Service } from '../../conversation/service.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { type Kind, kindOf, malformation, type Notification, type Request } from '../../jsonrpc/message.js';
import { UNSUPPORTED_VERSION } from '../../model/codes.js';
import { trimHeaderValue } from '../../model/header-value.js';
import { createTwoEndpoints } from '../http-sse/server.js';
import { accepts, isJson } from './accept.js';
import { corsHeaders, preflight, withHeaders } from './cors.js';
import type { Exchange } from './exchange.js';
import { createGuard } from './guard.js';
import { endSession, listenInSession, openSession, receiveInSession } from './in-session.js';
import { checkVersion } from './mirrors.js';
import { boundsOf, clockOf, type HandlerOptions, type Verdict } from './options.js';
import { answerAlone } from './per-request.js';
import { readJson } from './reading.js';
import { invalidRequest, refuse, refuseBusy, statusOf } from './refusal.js';
import { createMemoryLog } from './replay.js';
import { createTraffic, type Road } from './road.js';
import type { Session } from './session.js';
import { createSessions, type Sessions } from './sessions.js';
import { EVENT_STREAM } from './sse-frame.js';
import { createStreams } from './streams.js';

/** A server on HTTP, over whatever runtime makes the exchanges. */
export interface Endpoint {
  /** Answers one exchange. Never throws. */
  handle(exchange: Exchange): void;
  /** Whether a path is one of this server's. */
  serves(path: string): boolean;
  /**
   * Stops taking requests (503), ends the streams on which clients listen, waits for what runs, and closes the rest after
   * `deadline` milliseconds (default 10 s).
   */
  close(options?: CloseOptions): Promise<void>;
  /** How many sessions are open. */
  readonly sessions: number;
  /** How many streams are open. */
  readonly streams: number;
}

export interface CloseOptions {
  readonly deadline?: number;
}

const DEADLINE = 10_000;
const METHODS = 'POST, GET, DELETE, OPTIONS';
const JSON_TYPE = 'application/json';

/** Serves every revision at once: sessions and the two-endpoint transport beside requests that stand alone. */
export function createEndpoint(service: Service, options: HandlerOptions = {}): Endpoint {
  const bounds = boundsOf(options);
  const clock = clockOf(options);
  const road: Road = {
    service,
    bounds,
    clock,
    streams: createStreams(bounds, clock),
    log: options.eventLog ?? createMemoryLog(bounds),
    report: options.onError ?? (() => {}),
    traffic: createTraffic(),
  };
  const sessions = createSessions(road);
  const { path = '/mcp', ssePath = '/sse', messagesPath = '/messages' } = options;
  const two = createTwoEndpoints(road, messagesPath);

  const route = (exchange: Exchange, auth: AuthInfo | undefined): void => {
    if (ssePath !== false && exchange.path === ssePath) two.open(exchange, auth);
    else if (ssePath !== false && exchange.path === messagesPath) two.receive(exchange, auth);
    else if (path === '*' || exchange.path === path) serve(road, sessions, exchange, auth);
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
    serves: asked =>
      path === '*' || asked === path || (ssePath !== false && (asked === ssePath || asked === messagesPath)),
    get sessions() {
      return sessions.count;
    },
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

/** Who may come in: the guard first, then what browsers ask, then authorization. */
function createAdmission(
  options: HandlerOptions,
  road: Road,
  route: (exchange: Exchange, auth: AuthInfo | undefined) => void,
): (exchange: Exchange) => void {
  const guard = createGuard(options);
  const { authorize, cors } = options;
  const decide = (exchange: Exchange, verdict: Verdict): void => {
    if ('status' in verdict) exchange.reply(verdict.status, verdict.body, verdict.headers);
    else route(exchange, verdict.auth);
  };
  return received => {
    const origin = received.header('origin');
    const wrong = guard(received.header('host'), origin);
    if (wrong !== undefined) return refuse(received, 403, invalidRequest(wrong));
    const fields = cors && corsHeaders(cors, origin);
    const exchange = fields === undefined ? received : withHeaders(received, fields);
    if (cors !== undefined && exchange.method === 'OPTIONS') return preflight(cors, exchange);
    if (authorize === undefined) return route(exchange, exchange.auth);
    const verdict = authorize(exchange);
    if (!(verdict instanceof Promise)) return decide(exchange, verdict);
    verdict.then(settled => decide(exchange, settled)).catch(error => failed(road, exchange, error));
  };
}

function failed(road: Road, exchange: Exchange, error: unknown) {
  road.report(error);
  if (!exchange.gone) refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' });
}

function serve(road: Road, sessions: Sessions, exchange: Exchange, auth: AuthInfo | undefined) {
  switch (exchange.method) {
    case 'POST':
      return post(road, sessions, exchange, auth);
    case 'GET':
    case 'DELETE':
      return getOrDelete(road, sessions, exchange, auth);
    default:
      return refuse(exchange, 405, invalidRequest('Method not allowed'), undefined, { allow: METHODS });
  }
}

function post(road: Road, sessions: Sessions, exchange: Exchange, auth: AuthInfo | undefined) {
  if (!isJson(exchange.header('content-type'))) {
    return refuse(exchange, 415, invalidRequest(`Content-Type must be ${JSON_TYPE}`));
  }
  const accept = exchange.header('accept');
  if (!accepts(accept, JSON_TYPE, EVENT_STREAM)) {
    return refuse(exchange, 406, invalidRequest(`Accept must list ${JSON_TYPE} and ${EVENT_STREAM}`));
  }
  readJson(
    exchange,
    road.bounds,
    value => {
      try {
        receive(road, sessions, exchange, value, auth);
      } catch (error) {
        failed(road, exchange, error);
      }
    },
    ({ status, error }) => refuse(exchange, status, error, unreadableId(sessions, exchange, auth)),
  );
}

function receive(road: Road, sessions: Sessions, exchange: Exchange, value: unknown, auth?: AuthInfo) {
  const kind = kindOf(value);
  if (kind !== 'request') return receiveOther(road, sessions, exchange, value, kind, auth);
  const request = value as Request;
  if (road.traffic.closing) return refuseBusy(exchange, 'The server is going down', request.id);
  const version = versionOf(exchange);
  const manner = road.service.manner(request, version);
  if (manner.opening === 'per-request') return answerAlone(road, exchange, request, manner.dialect, auth);
  if (manner.opening === 'refused') {
    const unserved = manner.error.code === UNSUPPORTED_VERSION;
    const error = (unserved ? checkVersion(exchange, request) : undefined) ?? manner.error;
    return refuse(exchange, Math.max(statusOf(error.code), 400), error, request.id);
  }
  const sessionId = exchange.header('mcp-session-id');
  if (sessionId === undefined && manner.opening === 'handshake') {
    return openSession(road, sessions, exchange, request, auth);
  }
  const session = findSession(sessions, exchange, sessionId, auth, request.id);
  if (session !== undefined) receiveInSession(session, exchange, value, auth);
}

/** Notifications, responses, batches, and what is no message at all. */
function receiveOther(road: Road, sessions: Sessions, exchange: Exchange, value: unknown, kind: Kind, auth?: AuthInfo) {
  const sessionId = exchange.header('mcp-session-id');
  if (sessionId === undefined) {
    if (kind === 'notification') return receiveAlone(road, exchange, value as Notification);
    const { id, why } = malformation(value);
    return refuse(exchange, 400, invalidRequest(kind === 'malformed' ? why : 'A response belongs to a session'), id);
  }
  const session = findSession(sessions, exchange, sessionId, auth);
  if (session === undefined) return;
  if (road.traffic.closing && Array.isArray(value)) return refuseBusy(exchange, 'The server is going down');
  receiveInSession(session, exchange, value, auth);
}

/** Nothing is lost by ignoring a notification that stands alone: no request that stands alone could be meant by it. */
function receiveAlone(road: Road, exchange: Exchange, { method, params }: Notification) {
  const asRequest: Request = { jsonrpc: '2.0', id: 0, method, ...(params === undefined ? {} : { params }) };
  const { opening } = road.service.manner(asRequest, versionOf(exchange));
  if (opening === 'per-request' || opening === 'refused') return exchange.reply(202);
  refuse(exchange, 400, invalidRequest(SESSION_MISSING));
}

function getOrDelete(road: Road, sessions: Sessions, exchange: Exchange, auth: AuthInfo | undefined) {
  const sessionId = exchange.header('mcp-session-id');
  if (sessionId === undefined) {
    const why = `${exchange.method} needs a session; ${SESSION_MISSING}`;
    return refuse(exchange, 405, invalidRequest(why), undefined, { allow: 'POST, OPTIONS' });
  }
  const session = findSession(sessions, exchange, sessionId, auth);
  if (session === undefined) return;
  if (exchange.method === 'DELETE') return endSession(session, exchange);
  if (road.traffic.closing) return refuseBusy(exchange, 'The server is going down');
  listenInSession(session, exchange);
}

const SESSION_MISSING = 'initialize answers with an Mcp-Session-Id, which every later request repeats';

function findSession(
  sessions: Sessions,
  exchange: Exchange,
  sessionId: string | undefined,
  auth: AuthInfo | undefined,
  id?: Request['id'],
): Session | undefined {
  if (sessionId === undefined) {
    refuse(exchange, 400, invalidRequest(`The Mcp-Session-Id is missing; ${SESSION_MISSING}`), id);
    return undefined;
  }
  const session = sessions.find(sessionId, auth);
  if (session === undefined)
    refuse(exchange, 404, invalidRequest('There is no such session; initialize opens one'), id);
  return session;
}

function versionOf(exchange: Exchange): string | undefined {
  const header = exchange.header('mcp-protocol-version');
  return header === undefined ? undefined : trimHeaderValue(header);
}

function unreadableId(sessions: Sessions, exchange: Exchange, auth: AuthInfo | undefined): null | undefined {
  const sessionId = exchange.header('mcp-session-id');
  return sessionId === undefined ? undefined : sessions.find(sessionId, auth)?.dialect?.errors.unreadableId;
}
