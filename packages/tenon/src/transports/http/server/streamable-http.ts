import {
  type AuthInfo,
  catchMaybe,
  type ErrorObject,
  INVALID_PARAMS,
  isPromise,
  type MaybePromise,
  thenMaybe,
} from '@tenon/base';
import {
  classifyMessage,
  diagnoseMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
} from '../../../jsonrpc/message.js';
import { EVENT_STREAM } from '../sse/encode-event.js';
import { isBrowserVisit, replyVisitor } from './browser-visit.js';
import type { HttpServerContext } from './context.js';
import { createInvalidRequest, refuse, refuseBatch, refuseBusy, replyInternalError } from './error-response.js';
import type { Exchange } from './exchange.js';
import {
  createAcceptMatcher,
  isJson,
  type MessageHeaders,
  readBodyVersion,
  readVersionHeader,
  validateVersionHeader,
} from './header-validation.js';
import { readJson } from './request-body.js';
import type { HttpSession } from './sessions/session.js';
import type { PostedMessage } from './sessions/session-post.js';
import type { HttpSessionRegistry } from './sessions/session-registry.js';
import {
  endSession,
  listenInSession,
  openSession,
  PING,
  receiveInSession,
  receiveSessionlessPost,
  refuseStoreFault,
} from './sessions/session-requests.js';
import { serveStatelessPost } from './stateless-post.js';

const ALLOWED_METHODS = 'POST, GET, DELETE, OPTIONS';
const JSON_TYPE = 'application/json';
const INITIALIZE_HINT = 'Send initialize, and repeat the Mcp-Session-Id of its response in every later request';
const acceptsResponse = createAcceptMatcher(JSON_TYPE, EVENT_STREAM);

/**
 * Handles a request to the Streamable HTTP endpoint, for all protocol versions. The request itself shows if it is
 * stateless or belongs to a session.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function serveStreamableHttp(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  auth: AuthInfo | undefined,
) {
  switch (exchange.method) {
    case 'POST':
      return handlePost(context, sessions, exchange, auth);
    case 'GET':
    case 'DELETE':
      return handleGetOrDelete(context, sessions, exchange, auth);
    default:
      return refuse(exchange, 405, createInvalidRequest('Method not allowed'), undefined, { allow: ALLOWED_METHODS });
  }
}

function handlePost(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  auth: AuthInfo | undefined,
) {
  const headers: MessageHeaders = {
    contentType: exchange.header('content-type'),
    accept: exchange.header('accept'),
    sessionId: exchange.header('mcp-session-id'),
    method: exchange.header('mcp-method'),
    name: exchange.header('mcp-name'),
    version: readVersionHeader(exchange),
  };
  if (!isJson(headers.contentType)) {
    return refuseBeginner(context, exchange, 415, createInvalidRequest(`Content-Type must be ${JSON_TYPE}`));
  }
  if (!acceptsResponse(headers.accept)) {
    return refuse(exchange, 406, createInvalidRequest(`Accept must list ${JSON_TYPE} and ${EVENT_STREAM}`));
  }
  readJson(
    context,
    exchange,
    auth,
    value => {
      try {
        const posted = { value, kind: classifyMessage(value), headers, auth };
        if (posted.kind === 'request') receiveRequest(context, sessions, exchange, posted);
        else receiveNonRequest(context, sessions, exchange, posted);
      } catch (error) {
        replyInternalError(context, exchange, error);
      }
    },
    ({ status, error }) =>
      void thenMaybe(getUnreadableId(context, sessions, exchange, headers, auth), id =>
        refuse(exchange, status, error, id),
      ),
  );
}

function receiveRequest(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  posted: PostedMessage,
) {
  const { value, headers, auth } = posted;
  const request = value as JsonRpcRequest;
  if (context.inFlight.closing) return refuseBusy(exchange, 'The server is shutting down', request.id);
  const route = context.handler.classifyRequest(request, headers.version);
  if (route.opening === 'per-request') return serveStatelessPost(context, exchange, headers, request, route, auth);
  if (route.opening === 'sessionless') {
    return receiveSessionlessPost(context, sessions, exchange, posted, route.dialect);
  }
  const sessionId = context.keepsSessions ? headers.sessionId : undefined;
  let onUnknown: (() => void) | undefined;
  // Many clients repeat the ID of a lost session in `initialize`, and would never connect again after a 404.
  if (route.opening === 'handshake') onUnknown = () => openSession(context, sessions, exchange, posted);
  if (route.opening === 'refused') {
    const error = validateVersionHeader(headers, request, route.error) ?? route.error;
    onUnknown = () =>
      error.code === INVALID_PARAMS
        ? refuseBeginner(context, exchange, 400, error, request.id)
        : refuse(exchange, 400, error, request.id);
    // Without a version in the body, the request may belong to a session, which has another version than the header.
    if (readBodyVersion(request) !== undefined) return onUnknown();
  }
  if (sessionId === undefined && onUnknown) return onUnknown();
  const lookup = { sessionId, auth, id: request.id, onUnknown };
  withSession(context, sessions, exchange, lookup, session => receiveInSession(session, exchange, posted));
}

/** Handles notifications, responses, batches, and malformed messages. */
function receiveNonRequest(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  posted: PostedMessage,
) {
  const { value, kind, headers, auth } = posted;
  const route = context.keepsSessions ? undefined : context.handler.classifyRequest(PING, headers.version);
  if (route?.opening === 'sessionless') {
    if (context.inFlight.closing && Array.isArray(value)) return refuseBusy(exchange, 'The server is shutting down');
    return receiveSessionlessPost(context, sessions, exchange, posted, route.dialect);
  }
  const sessionId = getSessionId(context, headers.sessionId);
  if (sessionId === undefined) {
    if (kind === 'notification') {
      // A stateless notification is accepted and ignored, because a stateless request cannot be cancelled by one.
      const asRequest: JsonRpcRequest = { ...(value as JsonRpcNotification), id: 0 };
      const { opening } = context.handler.classifyRequest(asRequest, headers.version);
      if (opening === 'per-request' || opening === 'refused') return exchange.reply(202);
      return refuseWithoutSessionId(context, exchange);
    }
    const { id, reason } = diagnoseMessage(value);
    if (Array.isArray(value)) return refuseBatch(exchange, 400, createInvalidRequest(reason), value);
    return refuse(
      exchange,
      400,
      createInvalidRequest(kind === 'malformed' ? reason : 'A response must be sent in a session'),
      id,
    );
  }
  // Official clients do not send a refused response again, and their call would wait until it times out.
  const waitsForStore = kind === 'success' || kind === 'failure';
  withSession(context, sessions, exchange, { sessionId, auth, waitsForStore }, session => {
    if (context.inFlight.closing && Array.isArray(value)) return refuseBusy(exchange, 'The server is shutting down');
    receiveInSession(session, exchange, posted);
  });
}

/** Refuses a request without a session, `_meta` or the type of its body with a command line that works. Few requests need the code. */
function refuseBeginner(
  context: HttpServerContext,
  exchange: Exchange,
  status: 400 | 415,
  error: ErrorObject,
  id?: JsonRpcRequest['id'],
): void {
  import('./first-contact.js')
    .then(({ refuseWithLine }) => refuseWithLine(context, exchange, status, error, id))
    .catch(reason => replyInternalError(context, exchange, reason));
}

function refuseWithoutSessionId(context: HttpServerContext, exchange: Exchange, id?: JsonRpcRequest['id']): void {
  const error = createInvalidRequest(`The Mcp-Session-Id is missing. ${INITIALIZE_HINT}`);
  refuseBeginner(context, exchange, 400, error, id);
}

function handleGetOrDelete(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  auth: AuthInfo | undefined,
) {
  const sessionId = getSessionId(context, exchange.header('mcp-session-id'));
  if (sessionId === undefined) {
    if (isBrowserVisit(exchange)) return replyVisitor(context, exchange);
    const hint = context.keepsSessions ? `. ${INITIALIZE_HINT}` : ', and the server runs without sessions';
    const reason = `${exchange.method} requires a session${hint}`;
    return refuse(exchange, 405, createInvalidRequest(reason), undefined, { allow: 'POST, OPTIONS' });
  }
  withSession(context, sessions, exchange, { sessionId, auth }, session => {
    if (exchange.method === 'DELETE') return endSession(session, exchange);
    if (context.inFlight.closing) return refuseBusy(exchange, 'The server is shutting down');
    listenInSession(session, exchange, auth);
  });
}

interface SessionLookup {
  readonly sessionId: string | undefined;
  readonly auth: AuthInfo | undefined;
  /** ID of the request that is refused if the session does not exist. */
  readonly id?: JsonRpcRequest['id'];
  /** Called in place of a refusal if the session does not exist, or belongs to another caller. */
  readonly onUnknown?: (() => void) | undefined;
  /**
   * True if the message waits for a store that has a fault.
   * @default `false`
   */
  readonly waitsForStore?: boolean;
}

/** Calls a function with the session of a request: immediately, or after the session was read from a store. */
function withSession(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  { sessionId, auth, id, onUnknown, waitsForStore }: SessionLookup,
  next: (session: HttpSession) => void,
) {
  if (sessionId === undefined) return refuseWithoutSessionId(context, exchange, id);
  const proceed = (session: HttpSession | undefined): void => {
    if (session === undefined && onUnknown !== undefined) return onUnknown();
    if (session === undefined)
      return refuse(exchange, 404, createInvalidRequest('Session not found. Send initialize to open one'), id);
    next(session);
  };
  const found = sessions.find(sessionId, auth, context.getAddress(exchange), waitsForStore);
  if (!isPromise(found)) return proceed(found);
  found.then(
    session => {
      try {
        proceed(session);
      } catch (error) {
        replyInternalError(context, exchange, error);
      }
    },
    error => refuseStoreFault(context, exchange, error, id),
  );
}

const INITIALIZE: JsonRpcRequest = { ...PING, method: 'initialize' };

/** Returns the session ID of a request. A server without sessions ignores it. */
function getSessionId(context: HttpServerContext, header: string | undefined): string | undefined {
  return context.keepsSessions && context.handler.classifyRequest(INITIALIZE).opening === 'handshake'
    ? header
    : undefined;
}

function getUnreadableId(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  headers: MessageHeaders,
  auth: AuthInfo | undefined,
): MaybePromise<null | undefined> {
  const route = context.keepsSessions ? undefined : context.handler.classifyRequest(PING, headers.version);
  if (route?.opening === 'sessionless') return route.dialect.errors.unreadableId;
  const { sessionId } = headers;
  if (sessionId === undefined) return undefined;
  return catchMaybe(
    () =>
      thenMaybe(
        sessions.find(sessionId, auth, context.getAddress(exchange)),
        session => session?.dialect?.errors.unreadableId,
      ),
    () => undefined,
  );
}
