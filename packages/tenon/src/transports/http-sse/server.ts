import { type AuthInfo, getCallerKey, isSameOwner, type MaybePromise, TenonError } from '@tenon/base';
import {
  classifyMessage,
  createFailure,
  diagnoseMessage,
  type Id,
  type JsonRpcRequest,
  type JsonRpcResponse,
  serializeMessage,
} from '../../jsonrpc/message.js';
import type { MessageReceiver, Transport } from '../../jsonrpc/transport.js';
import { onExpiry } from '../http/server/auth-expiry.js';
import type { HttpServerContext } from '../http/server/context.js';
import { createInvalidRequest, refuse, refuseBusy } from '../http/server/error-response.js';
import type { Exchange } from '../http/server/exchange.js';
import { isJson } from '../http/server/header-validation.js';
import { readJson } from '../http/server/request-body.js';
import {
  acceptsStream,
  failMalformedResponse,
  refuseStoreFault,
  TOO_MANY_REQUESTS,
} from '../http/server/sessions/session-requests.js';
import type { ForwardedMessage } from '../http/server/stored-sessions/server-replica.js';
import { EVENT_STREAM, encodeNamedEvent } from '../http/sse/encode-event.js';
import type { EventStream } from '../http/sse/event-streams.js';
import { createProgressGap } from '../progress-gap.js';
import { SharedStreams } from './shared-streams.js';

/**
 * The HTTP+SSE transport with its two endpoints. A client opens a stream, on which it receives all messages, and POSTs
 * its own messages to the other endpoint. A stream is a session, and the session ends with the stream.
 * @see https://modelcontextprotocol.io/legacy/concepts/transports
 */
export interface HttpSseEndpoints {
  /** Handles a request to the stream endpoint. */
  open(exchange: Exchange, auth: AuthInfo | undefined): void;
  /** Handles a POST request to the message endpoint. */
  receive(exchange: Exchange, auth: AuthInfo | undefined): void;
  endAll(): MaybePromise<void>;
}

const PEER = 'HTTP+SSE client';

interface SseSession {
  readonly auth: AuthInfo | undefined;
  /** Key of the caller whose limits the session and its requests use. */
  readonly caller: string;
  /** Extends the lifetime of the stream to the end of this authorization. */
  extend(auth: AuthInfo | undefined): void;
  /** The requests without a response, each with a function to call after its response. */
  readonly requests: Map<Id, (() => void) | undefined>;
  receiver?: MessageReceiver;
  /** Sends the response to a request that is not served. */
  refuse(response: JsonRpcResponse): void;
  end(): void;
}

/**
 * Creates the endpoints of HTTP+SSE.
 *
 * @param postUrl URL of the endpoint for messages, relative to that of the stream.
 */
export function createHttpSseEndpoints(context: HttpServerContext, postUrl: string): HttpSseEndpoints {
  const sessions = new Map<string, SseSession>();
  const stores = context.handler.sharedStores;
  const shared = stores && new SharedStreams(stores, context, forwarded => receiveForwarded(forwarded));

  const receiveForwarded = ({ session: id, message, auth }: ForwardedMessage): void => {
    const session = sessions.get(id);
    if (session === undefined) return;
    session.extend(auth);
    if (addRequests(context, session, listRequests(message), () => undefined))
      return session.receiver?.onMessage(message, { auth });
    for (const request of listRequests(message)) session.refuse(createFailure(request.id, TOO_MANY_REQUESTS));
  };

  const createSession = (
    id: string,
    stream: EventStream,
    auth: AuthInfo | undefined,
    caller: string,
  ): [SseSession, Transport] => {
    const requests: SseSession['requests'] = new Map();
    let ended = false;
    let expiresAt = Number.NEGATIVE_INFINITY;
    let cancelExpiry = (): void => {};
    const session: SseSession = {
      auth,
      caller,
      extend(renewed) {
        const expiry = renewed?.expiresAt ?? Number.POSITIVE_INFINITY;
        if (ended || expiry <= expiresAt) return;
        expiresAt = expiry;
        cancelExpiry();
        cancelExpiry = onExpiry(context.clock, renewed, session.end);
      },
      requests,
      refuse: response => void stream.write(encodeNamedEvent('message', serializeMessage(response))),
      end() {
        if (ended) return;
        ended = true;
        cancelExpiry();
        sessions.delete(id);
        shared?.remove(id);
        for (const unanswered of [...requests.keys()]) releaseRequest(unanswered);
        stream.end();
        session.receiver?.onClose();
      },
    };
    const releaseRequest = (id: Id): void => {
      const release = requests.get(id);
      if (requests.delete(id)) context.inFlight.release(caller);
      release?.();
    };
    const messages = createProgressGap((message, onWritten) => {
      if (ended) return Promise.reject(createClosedError());
      const drained = stream.write(encodeNamedEvent('message', serializeMessage(message)));
      onWritten?.();
      for (const each of Array.isArray(message) ? message : [message]) {
        const isResponse = !('method' in each) && each.id !== null && each.id !== undefined;
        if (isResponse) releaseRequest(each.id);
      }
      return drained;
    }, context.clock);
    const channel: Transport = {
      peer: PEER,
      sessionId: id,
      hasOpenStream: true,
      open(receiver) {
        if (ended) throw createClosedError();
        session.receiver = receiver;
      },
      send: (message, options) => messages.send(message, options),
      close: () => session.end(),
      abandonResponse: releaseRequest,
    };
    return [session, channel];
  };

  return {
    open(exchange, auth) {
      if (exchange.method !== 'GET') return refuseMethod(exchange, 'GET');
      if (!acceptsStream(exchange.header('accept'))) {
        return refuse(exchange, 406, createInvalidRequest(`Accept must list ${EVENT_STREAM}`));
      }
      if (context.inFlight.closing) return refuseBusy(exchange, 'The server is shutting down');
      const id = crypto.randomUUID();
      const address = context.getAddress(exchange);
      const caller = getCallerKey(auth, address);
      const stream = context.streams.begin(exchange, caller, undefined, () => sessions.get(id)?.end());
      if (stream === undefined) return refuseBusy(exchange, 'Too many open streams. Retry later');
      const [session, channel] = createSession(id, stream, auth, caller);
      sessions.set(id, session);
      session.extend(auth);
      context.handler
        .connect(channel, auth === undefined ? { address } : { auth, address })
        .then(() => shared?.add(id, auth))
        .then(() => stream.write(encodeNamedEvent('endpoint', `${postUrl}?sessionId=${id}`)))
        .catch(error => {
          context.report(error);
          session.end();
        });
    },
    receive(exchange, auth) {
      if (exchange.method !== 'POST') return refuseMethod(exchange, 'POST');
      if (!isJson(exchange.header('content-type'))) {
        return refuse(exchange, 415, createInvalidRequest('Content-Type must be application/json'));
      }
      const id = /(?:^|&)sessionId=([^&]*)/.exec(exchange.query)?.[1];
      if (id === undefined) return refuse(exchange, 400, createInvalidRequest('sessionId is missing'));
      const session = sessions.get(id);
      if (session === undefined && shared !== undefined) return forwardMessage(context, shared, exchange, id, auth);
      if (session === undefined || !isSameOwner(session.auth, auth)) return refuseUnknown(exchange);
      // The address is sent only on the stream. So a client that knows the address owns the stream, even with another
      // token of the same user.
      session.extend(auth);
      readJson(
        context,
        exchange,
        auth,
        value => receiveMessage(context, session, exchange, value, auth),
        ({ status, error }) => refuse(exchange, status, error),
      );
    },
    endAll() {
      for (const session of [...sessions.values()]) session.end();
      return shared?.close();
    },
  };
}

/** Passes what a POST brings to the process that holds the stream. */
function forwardMessage(
  context: HttpServerContext,
  shared: SharedStreams,
  exchange: Exchange,
  id: string,
  auth: AuthInfo | undefined,
) {
  readJson(
    context,
    exchange,
    auth,
    value => {
      const malformed =
        classifyMessage(value) === 'malformed' && !Array.isArray(value) ? diagnoseMessage(value) : undefined;
      if (malformed !== undefined) return refuse(exchange, 400, createInvalidRequest(malformed.reason), malformed.id);
      shared.forward(id, value, auth).then(
        isForwarded => (isForwarded ? exchange.reply(202) : refuseUnknown(exchange)),
        error => refuseStoreFault(context, exchange, error, listRequests(value)[0]?.id),
      );
    },
    ({ status, error }) => refuse(exchange, status, error),
  );
}

function refuseUnknown(exchange: Exchange) {
  refuse(exchange, 404, createInvalidRequest('Session not found. Its stream may have ended: open a new stream'));
}

function receiveMessage(
  context: HttpServerContext,
  session: SseSession,
  exchange: Exchange,
  value: unknown,
  auth: AuthInfo | undefined,
) {
  const kind = classifyMessage(value);
  if (kind === 'malformed' && !Array.isArray(value)) {
    failMalformedResponse(session.receiver, value, PEER);
    const { id, reason } = diagnoseMessage(value);
    return refuse(exchange, 400, createInvalidRequest(reason), id);
  }
  const requests = listRequests(value);
  if (requests.length > 0 && context.inFlight.closing) {
    return refuseBusy(exchange, 'The server is shutting down', requests[0]?.id);
  }
  if (!addRequests(context, session, requests, () => keepRuntimeAlive(exchange)))
    return refuseBusy(exchange, TOO_MANY_REQUESTS.message, requests[0]?.id);
  // The POST gets its 202 before the message is handled, because the response may be sent on the stream at once.
  exchange.reply(202);
  session.receiver?.onMessage(value, { auth, request: exchange });
}

function listRequests(value: unknown): JsonRpcRequest[] {
  const messages: unknown[] = Array.isArray(value) ? value : [value];
  return messages.filter((message): message is JsonRpcRequest => classifyMessage(message) === 'request');
}

/** Takes note of requests that are to be answered. Returns false when there are too many. */
function addRequests(
  { limits, inFlight }: HttpServerContext,
  session: SseSession,
  requests: readonly JsonRpcRequest[],
  createRelease: () => (() => void) | undefined,
): boolean {
  const count = session.requests.size + requests.length;
  const isFull = count > limits.maxRequestsPerSession || !inFlight.canTake(session.caller, requests.length);
  if (requests.length > 0 && isFull) return false;
  for (const { id } of requests) {
    if (session.requests.has(id)) session.requests.get(id)?.();
    else inFlight.take(session.caller);
    session.requests.set(id, createRelease());
  }
  return true;
}

/**
 * Keeps the runtime alive, because the work continues after the response to the POST and Workers would stop it. Returns
 * a function that ends this.
 */
function keepRuntimeAlive({ waitUntil }: Exchange): (() => void) | undefined {
  if (waitUntil === undefined) return undefined;
  let release: (() => void) | undefined;
  waitUntil(
    new Promise(resolve => {
      release = resolve;
    }),
  );
  return release;
}

function createClosedError(): TenonError {
  return new TenonError('connection/closed', 'the client closed its stream', { peer: PEER });
}

function refuseMethod(exchange: Exchange, allow: string) {
  refuse(exchange, 405, createInvalidRequest(`Method not allowed. Use ${allow}`), undefined, { allow });
}
