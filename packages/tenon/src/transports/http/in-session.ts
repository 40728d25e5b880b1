import type { ConnectOptions } from '../../conversation/service.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import {
  failure,
  isAnswer,
  isObject,
  type JsonObject,
  kindOf,
  malformation,
  type Request,
} from '../../jsonrpc/message.js';
import { trimHeaderValue } from '../../model/header-value.js';
import { createAcceptance } from './accept.js';
import type { Exchange } from './exchange.js';
import { failMalformedAnswer } from './malformed-answer.js';
import { invalidRequest, refuse, refuseBatch, refuseBusy } from './refusal.js';
import type { Road } from './road.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';
import { EVENT_STREAM } from './sse-frame.js';
import { Turn } from './turn.js';

const acceptsStream = createAcceptance(EVENT_STREAM);

/** Opens a session with the request that asks for one. */
export function openSession(road: Road, sessions: Sessions, exchange: Exchange, request: Request, auth?: AuthInfo) {
  const address = road.getAddress(exchange);
  const session = road.keepsSessions ? sessions.create(auth, address) : sessions.createForPost(auth, address);
  if (session === undefined) return refuseBusy(exchange, 'Too many sessions are open', request.id);
  const turn = new Turn(exchange, 1, 'opening', auth);
  if (!session.expect(request.id, turn)) {
    session.end();
    return refuseBusy(exchange, 'Too many requests are unanswered', request.id);
  }
  openConnection(session, exchange, auth === undefined ? { address } : { auth, address }, request.id, () => {
    session.receiver?.message(request, turn);
  });
}

/** Connects the service to a session, and then lets it take what the POST brings. */
export function openConnection(
  session: Session,
  exchange: Exchange,
  options: ConnectOptions,
  id: Request['id'] | undefined,
  receive: () => void,
) {
  const { service, report } = session.house;
  service
    .connect(session, options)
    .then(conversation => {
      session.conversation = conversation;
      receive();
    })
    .catch(error => {
      report(error);
      if (!exchange.gone) refuse(exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' }, id);
      session.end();
    });
}

/** Takes what a POST brings to a session that is open. */
export function receiveInSession(session: Session, exchange: Exchange, value: unknown, auth?: AuthInfo) {
  const wrong = wrongVersion(session, exchange);
  if (wrong !== undefined) return refuse(exchange, 400, invalidRequest(wrong), idOf(value));
  if (!Array.isArray(value)) return receiveOne(session, exchange, value, auth);
  const refusal = refusalOfBatch(session, value);
  if (refusal !== undefined)
    return refuseBatch(exchange, 400, invalidRequest(refusal), value, session.dialect?.errors.unreadableId);
  const requests = value.filter(message => kindOf(message) === 'request') as Request[];
  if (!session.hasRoomFor(requests.length)) return refuseBatch(exchange, 503, TOO_MANY_UNANSWERED, value);
  const turn = new Turn(exchange, requests.length, 'batch', auth);
  for (const request of requests) session.expect(request.id, turn);
  const faults = value.filter(isFault);
  for (const fault of faults) turn.addAnswer(faultAnswer(session, fault));
  for (const message of value) if (!isFault(message)) session.receiver?.message(message, turn);
  if (requests.length > 0) return;
  if (faults.length === 0) return exchange.reply(202);
  exchange.reply(400, `[${faults.map(fault => faultAnswer(session, fault)).join(',')}]`);
}

/** Tells whether an element of a batch is no message. A broken answer is for the session: the call that waits for it ends. */
function isFault(message: unknown): boolean {
  return kindOf(message) === 'malformed' && !isAnswer(message);
}

function faultAnswer({ dialect }: Session, fault: unknown): string {
  const { id = dialect?.errors.unreadableId, why } = malformation(fault);
  return JSON.stringify(failure(id, invalidRequest(why)));
}

function receiveOne(session: Session, exchange: Exchange, value: unknown, auth: AuthInfo | undefined) {
  const kind = kindOf(value);
  if (kind === 'malformed') {
    failMalformedAnswer(session.receiver, value, session.peer);
    const { id, why } = malformation(value);
    return refuse(exchange, 400, invalidRequest(why), id ?? session.dialect?.errors.unreadableId);
  }
  if (kind !== 'request') {
    session.receiver?.message(value, auth === undefined ? undefined : { auth });
    return exchange.reply(202);
  }
  const { id } = value as Request;
  if (!session.hasRoomFor(1)) return refuseTooMany(exchange, id);
  const turn = new Turn(exchange, 1, 'single', auth);
  if (!session.expect(id, turn)) {
    return refuse(exchange, 400, invalidRequest('A request with this id is still being answered'), id);
  }
  session.receiver?.message(value, turn);
}

/** Says why nothing of a batch may run. Elements that are no messages are answered one by one. */
function refusalOfBatch(session: Session, batch: readonly unknown[]): string | undefined {
  const { bounds, service } = session.house;
  if (!session.acceptsBatches) return 'this revision has no batches';
  if (batch.length === 0) return 'a batch has at least one message';
  if (batch.length > bounds.batch) return `a batch has at most ${bounds.batch} messages`;
  const ids = new Set<unknown>();
  for (const message of batch) {
    const kind = kindOf(message);
    if (kind !== 'request') continue;
    const request = message as Request;
    if (ids.has(request.id) || session.waitsFor(request.id)) return 'two requests with one id';
    if (service.manner(request).opening === 'handshake') return 'a session is never opened in a batch';
    ids.add(request.id);
  }
  return undefined;
}

/** Opens the stream on which a client listens, or goes on with one that broke. */
export function listenInSession(session: Session, exchange: Exchange, auth: AuthInfo | undefined) {
  const wrong = wrongVersion(session, exchange);
  if (wrong !== undefined) return refuse(exchange, 400, invalidRequest(wrong));
  const accept = exchange.header('accept');
  if (accept === undefined || !acceptsStream(accept)) {
    return refuse(exchange, 406, invalidRequest(`Accept must list ${EVENT_STREAM}`));
  }
  const eventId = exchange.header('last-event-id');
  if (eventId === undefined || eventId === '') {
    if (session.listening) return refuse(exchange, 409, invalidRequest('The session has a listening stream already'));
    if (!session.listen(exchange, auth)) refuseBusy(exchange, 'Too many streams are open');
    return;
  }
  const outcome = session.resume(exchange, eventId, auth);
  if (outcome === 'full') return refuseBusy(exchange, 'Too many streams are open');
  if (outcome === 'resumed') return;
  refuse(exchange, 400, invalidRequest('Nothing is kept after this event; GET without Last-Event-ID listens anew'));
}

/** Ends a session at the client's wish. */
export function endSession(session: Session, exchange: Exchange) {
  const wrong = wrongVersion(session, exchange);
  if (wrong !== undefined) return refuse(exchange, 400, invalidRequest(wrong));
  session.end();
  exchange.reply(204);
}

const ANY_REQUEST: Request = { jsonrpc: '2.0', id: 0, method: 'ping' };

/** A client should name the revision of its session. Some name another of those that have sessions, and mean no harm. */
function wrongVersion({ dialect, house }: Session, exchange: Exchange): string | undefined {
  const header = exchange.header('mcp-protocol-version');
  if (header === undefined || dialect === undefined || !dialect.http.versionHeader) return undefined;
  const named = trimHeaderValue(header);
  if (named === dialect.revision || house.service.manner(ANY_REQUEST, named).opening === 'opened') return undefined;
  return `MCP-Protocol-Version must be ${dialect.revision} in this session`;
}

const TOO_MANY_UNANSWERED = {
  code: INTERNAL_ERROR,
  message: 'Too many requests of this session, or of this caller, are unanswered',
};

function refuseTooMany(exchange: Exchange, id?: Request['id']) {
  refuseBusy(exchange, TOO_MANY_UNANSWERED.message, id);
}

function idOf(value: unknown): Request['id'] | undefined {
  return kindOf(value) === 'request' && isObject(value) ? (value as JsonObject & Request).id : undefined;
}
