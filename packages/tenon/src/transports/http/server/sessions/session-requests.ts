import { type AuthInfo, INTERNAL_ERROR, TenonError } from '@tenon/base';
import {
  classifyMessage,
  createFailure,
  diagnoseMessage,
  isResponseLike,
  type JsonRpcRequest,
} from '../../../../jsonrpc/message.js';
import type { MessageContext, MessageReceiver } from '../../../../jsonrpc/transport.js';
import { requireServerSession } from '../../../../protocol/check-request-handler.js';
import type { ConnectOptions } from '../../../../protocol/request-handler.js';
import type { Dialect } from '../../../../protocol/versions/dialect.js';
import { EVENT_STREAM } from '../../sse/encode-event.js';
import type { HttpServerContext } from '../context.js';
import { createInvalidRequest, refuse, refuseBatch, refuseBusy, replyInternalError } from '../error-response.js';
import type { Exchange } from '../exchange.js';
import { createAcceptMatcher, readVersionHeader } from '../header-validation.js';
import type { ListenResult } from '../stored-sessions/shared-session.js';
import type { HttpSession } from './session.js';
import { type PostedMessage, SessionPost } from './session-post.js';
import type { HttpSessionRegistry } from './session-registry.js';

export const acceptsStream = createAcceptMatcher(EVENT_STREAM);

/** Opens a session for an `initialize` request. */
export function openSession(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  posted: PostedMessage,
) {
  const { auth } = posted;
  const request = posted.value as JsonRpcRequest;
  const address = context.getAddress(exchange);
  const session = context.keepsSessions ? sessions.create(auth, address) : sessions.createForPost(auth, address);
  if (session === undefined) return refuseBusy(exchange, 'Too many open sessions. Retry later', request.id);
  const post = new SessionPost(exchange, posted, [request.id], true);
  if (!session.addPendingRequest(request.id, post)) {
    void session.end();
    return refuseBusy(exchange, 'Too many unanswered requests. Retry later', request.id);
  }
  connectSession(session, exchange, { auth, address }, request.id, () => {
    session.receiver?.onMessage(request, post);
  });
}

/** Handles one POST of a version with sessions alone, in a session without an ID that ends with the responses. */
export function receiveSessionlessPost(
  context: HttpServerContext,
  sessions: HttpSessionRegistry,
  exchange: Exchange,
  posted: PostedMessage,
  dialect: Dialect,
) {
  const { value, kind, auth } = posted;
  const id = kind === 'request' ? (value as JsonRpcRequest).id : undefined;
  const address = context.getAddress(exchange);
  const session = sessions.createForPost(auth, address);
  connectSession(session, exchange, { auth, address, dialect }, id, () => {
    receiveInSession(session, exchange, posted);
    if (session.pendingCount === 0) void session.end();
  });
}

/** Connects the server to a session, and then delivers the messages of the POST. */
function connectSession(
  session: HttpSession,
  exchange: Exchange,
  options: ConnectOptions,
  id: JsonRpcRequest['id'] | undefined,
  receive: () => void,
) {
  const { context, shared } = session;
  context.handler
    .connect(session, shared ? { ...options, onStateChange: change => shared.onStateChange(change) } : options)
    .then(serverSession => {
      session.serverSession = requireServerSession(serverSession);
      receive();
    })
    .catch(error => {
      replyInternalError(context, exchange, error, id);
      void session.end();
    });
}

/** Delivers the messages of a POST to an open session. */
export function receiveInSession(session: HttpSession, exchange: Exchange, posted: PostedMessage) {
  const { value, kind, headers } = posted;
  const versionError = findVersionError(session, headers.version);
  if (versionError !== undefined) {
    const id = kind === 'request' ? (value as JsonRpcRequest).id : undefined;
    return refuse(exchange, 400, createInvalidRequest(versionError), id);
  }
  if (!Array.isArray(value)) return receiveOne(session, exchange, posted);
  const batchError = findBatchError(session, value);
  if (batchError !== undefined)
    return refuseBatch(exchange, 400, createInvalidRequest(batchError), value, session.dialect?.errors.unreadableId);
  const requests = value.filter(message => classifyMessage(message) === 'request') as JsonRpcRequest[];
  if (!session.hasRoomFor(requests.length)) return refuseBatch(exchange, 503, TOO_MANY_REQUESTS, value);
  const post = new SessionPost(
    exchange,
    posted,
    requests.map(request => request.id),
  );
  for (const request of requests) session.addPendingRequest(request.id, post);
  const faults = value.filter(isFault);
  for (const fault of faults) post.addResponse(createFaultResponse(session, fault));
  const accepted = value.map(message => (isFault(message) ? undefined : receiveMessage(session, message, post)));
  if (requests.length > 0) return;
  if (faults.length > 0)
    return exchange.reply(400, `[${faults.map(fault => createFaultResponse(session, fault)).join(',')}]`);
  if (session.shared === undefined) exchange.reply(202);
  else replyAccepted(session, exchange, Promise.all(accepted));
}

/**
 * Passes a message to the session. If another process waits for the message, the promise resolves when the message is
 * stored for that process.
 */
function receiveMessage(session: HttpSession, message: unknown, context?: MessageContext): Promise<void> | undefined {
  const { shared, receiver } = session;
  const forwarded = shared?.forward(message, context?.auth);
  if (forwarded !== undefined) return forwarded;
  receiver?.onMessage(message, context);
  return shared?.save();
}

function replyAccepted({ context }: HttpSession, exchange: Exchange, accepted: Promise<unknown> | undefined) {
  if (accepted === undefined) return exchange.reply(202);
  accepted.then(
    () => exchange.reply(202),
    error => refuseStoreFault(context, exchange, error),
  );
}

/**
 * Refuses a request because the store does not respond. The session may still exist, so the client must not open
 * another one.
 */
export function refuseStoreFault(
  context: HttpServerContext,
  exchange: Exchange,
  error: unknown,
  id?: JsonRpcRequest['id'],
) {
  context.report(error);
  if (!exchange.clientClosed) refuseBusy(exchange, 'The session is not available at the moment. Retry later', id);
}

/**
 * Tells if an item of a batch is not a message. A malformed response is passed to the session, which fails the pending
 * request.
 */
function isFault(message: unknown): boolean {
  return classifyMessage(message) === 'malformed' && !isResponseLike(message);
}

function createFaultResponse({ dialect }: HttpSession, fault: unknown): string {
  const { id = dialect?.errors.unreadableId, reason } = diagnoseMessage(fault);
  return JSON.stringify(createFailure(id, createInvalidRequest(reason)));
}

function receiveOne(session: HttpSession, exchange: Exchange, posted: PostedMessage) {
  const { value, kind, auth } = posted;
  if (kind === 'malformed') {
    failMalformedResponse(session.receiver, value, session.peer);
    const { id, reason } = diagnoseMessage(value);
    return refuse(exchange, 400, createInvalidRequest(reason), id ?? session.dialect?.errors.unreadableId);
  }
  if (kind !== 'request') {
    return replyAccepted(session, exchange, receiveMessage(session, value, auth === undefined ? undefined : { auth }));
  }
  const request = value as JsonRpcRequest;
  const { id } = request;
  if (!session.hasRoomFor(1)) return refuseBusy(exchange, TOO_MANY_REQUESTS.message, id);
  const post = new SessionPost(exchange, posted, [id]);
  if (!session.addPendingRequest(id, post)) {
    return refuse(exchange, 400, createInvalidRequest('A request with this id is still in progress'), id);
  }
  session.receiver?.onMessage(request, post);
}

/** Fails the request that a malformed response names, because no other response will arrive. */
export function failMalformedResponse(receiver: MessageReceiver | undefined, value: unknown, peer: string): void {
  if (!isResponseLike(value)) return;
  const { reason } = diagnoseMessage(value);
  receiver?.onResponseLost(
    value.id,
    new TenonError('peer/malformed', `received an invalid message: ${reason}`, { peer }),
  );
}

/** Returns the reason why no message of a batch may run. Items that are not messages get separate error responses. */
function findBatchError(session: HttpSession, batch: readonly unknown[]): string | undefined {
  const { limits, handler } = session.context;
  if (!session.acceptsBatches) return 'this protocol version does not support batches';
  if (batch.length === 0) return 'a batch must have at least one message';
  if (batch.length > limits.maxBatch) return `a batch must have at most ${limits.maxBatch} messages`;
  const ids = new Set<unknown>();
  for (const message of batch) {
    const kind = classifyMessage(message);
    if (kind !== 'request') continue;
    const request = message as JsonRpcRequest;
    if (ids.has(request.id) || session.isPending(request.id)) return 'two requests of the batch have the same id';
    if (handler.classifyRequest(request).opening === 'handshake') return 'initialize must not be in a batch';
    ids.add(request.id);
  }
  return undefined;
}

/** Opens a standalone stream of a client, or resumes a broken one. */
export function listenInSession(session: HttpSession, exchange: Exchange, auth: AuthInfo | undefined) {
  const versionError = findVersionError(session, readVersionHeader(exchange));
  if (versionError !== undefined) return refuse(exchange, 400, createInvalidRequest(versionError));
  const accept = exchange.header('accept');
  if (accept === undefined || !acceptsStream(accept)) {
    return refuse(exchange, 406, createInvalidRequest(`Accept must list ${EVENT_STREAM}`));
  }
  const eventId = exchange.header('last-event-id');
  const result =
    eventId === undefined || eventId === '' ? session.listen(exchange, auth) : session.resume(exchange, eventId, auth);
  if (typeof result === 'string') return refuseListening(exchange, result);
  result.then(
    settled => refuseListening(exchange, settled),
    error => refuseStoreFault(session.context, exchange, error),
  );
}

function refuseListening(exchange: Exchange, result: ListenResult) {
  if (result === 'full') return refuseBusy(exchange, 'Too many open streams. Retry later');
  if (result !== 'listening') refuse(exchange, 400, createInvalidRequest(UNKNOWN_EVENT));
}

const UNKNOWN_EVENT = 'Last-Event-ID is unknown or expired. Send GET without it';

/** Ends a session because the client requested it. */
export function endSession(session: HttpSession, exchange: Exchange) {
  const versionError = findVersionError(session, readVersionHeader(exchange));
  if (versionError !== undefined) return refuse(exchange, 400, createInvalidRequest(versionError));
  const ended = session.endForAll();
  if (ended === undefined) return exchange.reply(204);
  ended.then(
    () => exchange.reply(204),
    error => refuseStoreFault(session.context, exchange, error),
  );
}

/** A request of which only the version header matters. */
export const PING: JsonRpcRequest = { jsonrpc: '2.0', id: 0, method: 'ping' };

/**
 * Returns the error of the version header. A client should send the version of its session. Another version with
 * sessions is accepted too, because some clients send one.
 */
function findVersionError({ dialect, context }: HttpSession, requested: string | undefined): string | undefined {
  if (
    requested === undefined ||
    dialect === undefined ||
    requested === dialect.protocolVersion ||
    !dialect.http.versionHeader ||
    context.handler.classifyRequest(PING, requested).opening === 'opened'
  )
    return undefined;
  return `MCP-Protocol-Version must be ${dialect.protocolVersion} in this session`;
}

export const TOO_MANY_REQUESTS = {
  code: INTERNAL_ERROR,
  message: 'Too many unanswered requests of this session or this caller. Retry later',
};
