import { getCallerKey } from '../../jsonrpc/caller-key.js';
import type { AuthInfo, Channel, Receiver } from '../../jsonrpc/channel.js';
import { TenonError } from '../../jsonrpc/error.js';
import { textOf } from '../../jsonrpc/lasting.js';
import { type Id, kindOf, type Message, malformation, type Request, type Response } from '../../jsonrpc/message.js';
import { isSameOwner } from '../../model/owner.js';
import { createAcceptance, isJson } from '../http/accept.js';
import type { Exchange } from '../http/exchange.js';
import { onExpiry } from '../http/expiry.js';
import { failMalformedAnswer } from '../http/malformed-answer.js';
import { readJson } from '../http/reading.js';
import { invalidRequest, refuse, refuseBusy } from '../http/refusal.js';
import type { Road } from '../http/road.js';
import { EVENT_STREAM, namedFrame } from '../http/sse-frame.js';
import type { EventStream } from '../http/streams.js';

/**
 * The two-endpoint transport: a stream that the client opens and on which everything comes to it, and an address to
 * which it POSTs. A stream is a session, and ends with it.
 * https://modelcontextprotocol.io/legacy/concepts/transports
 */
export interface TwoEndpoints {
  /** Answers at the address where streams are opened. */
  open(exchange: Exchange, auth: AuthInfo | undefined): void;
  /** Answers at the address to which clients POST. */
  receive(exchange: Exchange, auth: AuthInfo | undefined): void;
  endAll(): void;
}

const acceptsStream = createAcceptance(EVENT_STREAM);

const PEER = 'HTTP+SSE client';
/** Milliseconds after which a client has read a notification that was sent before. */
const PROGRESS_GAP = 50;

interface Seat {
  readonly auth: AuthInfo | undefined;
  /** The caller whose share of the limits it uses up. */
  readonly caller: string;
  /** Lets the stream go on until this authorization expires. */
  extend(auth: AuthInfo | undefined): void;
  /** The requests that are unanswered, and what lets go of each when it is answered. */
  readonly requests: Map<Id, (() => void) | undefined>;
  receiver?: Receiver;
  end(): void;
}

export function createTwoEndpoints(road: Road, messagesPath: string): TwoEndpoints {
  const seats = new Map<string, Seat>();

  const seat = (id: string, stream: EventStream, auth: AuthInfo | undefined, caller: string): [Seat, Channel] => {
    const requests: Seat['requests'] = new Map();
    let ended = false;
    let expiresAt = Number.NEGATIVE_INFINITY;
    let cancelExpiry = (): void => {};
    const taken: Seat = {
      auth,
      caller,
      extend(shown) {
        const until = shown?.expiresAt ?? Number.POSITIVE_INFINITY;
        if (ended || until <= expiresAt) return;
        expiresAt = until;
        cancelExpiry();
        cancelExpiry = onExpiry(road.clock, shown, taken.end);
      },
      requests,
      end() {
        if (ended) return;
        ended = true;
        cancelExpiry();
        seats.delete(id);
        for (const unanswered of [...requests.keys()]) settle(unanswered);
        stream.end();
        taken.receiver?.closed();
      },
    };
    const settle = (id: Id): void => {
      const letGo = requests.get(id);
      if (requests.delete(id)) road.traffic.leave(caller);
      letGo?.();
    };
    const channel: Channel = {
      peer: PEER,
      progressGap: PROGRESS_GAP,
      listening: true,
      open(receiver) {
        if (ended) throw closedError();
        taken.receiver = receiver;
      },
      send(message) {
        if (ended) return Promise.reject(closedError());
        const room = stream.write(namedFrame('message', textOf(message)));
        for (const each of Array.isArray(message) ? message : [message]) if (isAnswer(each)) settle(each.id);
        return room;
      },
      close: () => taken.end(),
      unanswered: settle,
    };
    return [taken, channel];
  };

  return {
    open(exchange, auth) {
      if (exchange.method !== 'GET') return refuseMethod(exchange, 'GET');
      if (!acceptsStream(exchange.header('accept'))) {
        return refuse(exchange, 406, invalidRequest(`Accept must list ${EVENT_STREAM}`));
      }
      if (road.traffic.closing) return refuseBusy(exchange, 'The server is going down');
      const id = crypto.randomUUID();
      const address = road.getAddress(exchange);
      const caller = getCallerKey(auth, address);
      const stream = road.streams.begin(exchange, caller, undefined, () => seats.get(id)?.end());
      if (stream === undefined) return refuseBusy(exchange, 'Too many streams are open');
      const [taken, channel] = seat(id, stream, auth, caller);
      seats.set(id, taken);
      taken.extend(auth);
      road.service
        .connect(channel, auth === undefined ? { address } : { auth, address })
        .then(() => stream.write(namedFrame('endpoint', `${exchange.mount}${messagesPath}?sessionId=${id}`)))
        .catch(error => {
          road.report(error);
          taken.end();
        });
    },
    receive(exchange, auth) {
      if (exchange.method !== 'POST') return refuseMethod(exchange, 'POST');
      if (!isJson(exchange.header('content-type'))) {
        return refuse(exchange, 415, invalidRequest('Content-Type must be application/json'));
      }
      const id = /(?:^|&)sessionId=([^&]*)/.exec(exchange.query)?.[1];
      if (id === undefined) return refuse(exchange, 400, invalidRequest('sessionId is missing'));
      const taken = seats.get(id);
      if (taken === undefined || !isSameOwner(taken.auth, auth)) {
        return refuse(exchange, 404, invalidRequest('There is no such session; the stream may have ended'));
      }
      // The address is told on the stream alone: who knows it and shows another token of the same user has the stream.
      taken.extend(auth);
      readJson(
        road,
        exchange,
        auth,
        value => take(road, taken, exchange, value, auth),
        ({ status, error }) => refuse(exchange, status, error),
      );
    },
    endAll() {
      for (const taken of [...seats.values()]) taken.end();
    },
  };
}

function take(road: Road, seat: Seat, exchange: Exchange, value: unknown, auth: AuthInfo | undefined) {
  const kind = kindOf(value);
  if (kind === 'malformed' && !Array.isArray(value)) {
    failMalformedAnswer(seat.receiver, value, PEER);
    const { id, why } = malformation(value);
    return refuse(exchange, 400, invalidRequest(why), id);
  }
  const messages = Array.isArray(value) ? value : [value];
  const requests = messages.filter((message): message is Request => kindOf(message) === 'request');
  if (requests.length > 0 && road.traffic.closing) {
    return refuseBusy(exchange, 'The server is going down', requests[0]?.id);
  }
  const isFull =
    seat.requests.size + requests.length > road.bounds.requests || !road.traffic.fits(seat.caller, requests.length);
  if (requests.length > 0 && isFull) {
    return refuseBusy(
      exchange,
      'Too many requests of this session, or of this caller, are unanswered',
      requests[0]?.id,
    );
  }
  for (const { id } of requests) {
    if (seat.requests.has(id)) seat.requests.get(id)?.();
    else road.traffic.enter(seat.caller);
    seat.requests.set(id, holding(exchange));
  }
  // Accepted before it is answered: the answer may come over the stream at once.
  exchange.reply(202);
  seat.receiver?.message(value, { auth, request: exchange });
}

/** The work goes on after the POST is answered, where Workers would drop it. */
function holding({ hold }: Exchange): (() => void) | undefined {
  if (hold === undefined) return undefined;
  let letGo: (() => void) | undefined;
  hold(
    new Promise(resolve => {
      letGo = resolve;
    }),
  );
  return letGo;
}

function closedError(): TenonError {
  return new TenonError('connection/closed', 'the client has closed its stream', { peer: PEER });
}

function isAnswer(message: Message | readonly Response[]): message is Message & { id: Id } {
  return !('method' in message) && 'id' in message && message.id !== null && message.id !== undefined;
}

function refuseMethod(exchange: Exchange, allow: string) {
  refuse(exchange, 405, invalidRequest(`Only ${allow} is served here`), undefined, { allow });
}
