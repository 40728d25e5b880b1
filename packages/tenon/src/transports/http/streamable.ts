import type { AuthInfo } from '../../jsonrpc/channel.js';
import { type Kind, kindOf, malformation, type Notification, type Request } from '../../jsonrpc/message.js';
import { trimHeaderValue } from '../../model/header-value.js';
import { createAcceptance, isJson } from './accept.js';
import { failed } from './admission.js';
import type { Exchange } from './exchange.js';
import { endSession, listenInSession, openSession, receiveInSession } from './in-session.js';
import { checkVersion } from './mirrors.js';
import { answerAlone } from './per-request.js';
import { readJson } from './reading.js';
import { invalidRequest, refuse, refuseBatch, refuseBusy, statusOf } from './refusal.js';
import type { Road } from './road.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import { EVENT_STREAM } from './sse-frame.js';
import { receiveWithoutSession } from './without-session.js';

const METHODS = 'POST, GET, DELETE, OPTIONS';
const JSON_TYPE = 'application/json';
const SESSION_MISSING = 'initialize answers with an Mcp-Session-Id, which every later request repeats';
const acceptsAnswer = createAcceptance(JSON_TYPE, EVENT_STREAM);

/**
 * The one endpoint of Streamable HTTP, for all revisions at once: what a request says of itself decides whether it stands
 * alone or belongs to a session. https://modelcontextprotocol.io/specification/draft/basic/transports
 */
export function serveStreamable(road: Road, sessions: Sessions, exchange: Exchange, auth: AuthInfo | undefined) {
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
  if (!acceptsAnswer(exchange.header('accept'))) {
    return refuse(exchange, 406, invalidRequest(`Accept must list ${JSON_TYPE} and ${EVENT_STREAM}`));
  }
  readJson(
    road,
    exchange,
    auth,
    value => {
      try {
        receive(road, sessions, exchange, value, auth);
      } catch (error) {
        failed(road, exchange, error);
      }
    },
    ({ status, error }) => refuse(exchange, status, error, unreadableId(road, sessions, exchange, auth)),
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
    const error = checkVersion(exchange, request, manner.error) ?? manner.error;
    return refuse(exchange, Math.max(statusOf(error.code), 400), error, request.id);
  }
  if (manner.opening === 'sessionless') {
    return receiveWithoutSession(road, sessions, exchange, value, manner.dialect, auth);
  }
  const sessionId = road.keepsSessions ? exchange.header('mcp-session-id') : undefined;
  if (sessionId === undefined && manner.opening === 'handshake') {
    return openSession(road, sessions, exchange, request, auth);
  }
  const session = findSession(sessions, exchange, sessionId, auth, request.id);
  if (session !== undefined) receiveInSession(session, exchange, value, auth);
}

/** Notifications, responses, batches, and what is no message at all. */
function receiveOther(road: Road, sessions: Sessions, exchange: Exchange, value: unknown, kind: Kind, auth?: AuthInfo) {
  const manner = road.keepsSessions ? undefined : road.service.manner(PING, versionOf(exchange));
  if (manner?.opening === 'sessionless') {
    if (road.traffic.closing && Array.isArray(value)) return refuseBusy(exchange, 'The server is going down');
    return receiveWithoutSession(road, sessions, exchange, value, manner.dialect, auth);
  }
  const sessionId = sessionOf(road, exchange);
  if (sessionId === undefined) {
    if (kind === 'notification') return receiveAlone(road, exchange, value as Notification);
    const { id, why } = malformation(value);
    if (Array.isArray(value)) return refuseBatch(exchange, 400, invalidRequest(why), value);
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
  const sessionId = sessionOf(road, exchange);
  if (sessionId === undefined) {
    const hint = road.keepsSessions ? `; ${SESSION_MISSING}` : ', and this server keeps none';
    const why = `${exchange.method} needs a session${hint}`;
    return refuse(exchange, 405, invalidRequest(why), undefined, { allow: 'POST, OPTIONS' });
  }
  const session = findSession(sessions, exchange, sessionId, auth);
  if (session === undefined) return;
  if (exchange.method === 'DELETE') return endSession(session, exchange);
  if (road.traffic.closing) return refuseBusy(exchange, 'The server is going down');
  listenInSession(session, exchange, auth);
}

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

const OPENING: Request = { jsonrpc: '2.0', id: 0, method: 'initialize' };
const PING: Request = { jsonrpc: '2.0', id: 0, method: 'ping' };

/** The session that is named, where there are any: who serves only requests that stand alone takes no note of it. */
function sessionOf(road: Road, exchange: Exchange): string | undefined {
  return road.keepsSessions && road.service.manner(OPENING).opening === 'handshake'
    ? exchange.header('mcp-session-id')
    : undefined;
}

function versionOf(exchange: Exchange): string | undefined {
  const header = exchange.header('mcp-protocol-version');
  return header === undefined ? undefined : trimHeaderValue(header);
}

function unreadableId(
  road: Road,
  sessions: Sessions,
  exchange: Exchange,
  auth: AuthInfo | undefined,
): null | undefined {
  const manner = road.keepsSessions ? undefined : road.service.manner(PING, versionOf(exchange));
  if (manner?.opening === 'sessionless') return manner.dialect.errors.unreadableId;
  const sessionId = exchange.header('mcp-session-id');
  return sessionId === undefined ? undefined : sessions.find(sessionId, auth)?.dialect?.errors.unreadableId;
}
