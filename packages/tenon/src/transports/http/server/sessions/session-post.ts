import { type AuthInfo, createUnknownOutcomeObject, type ErrorObject, INTERNAL_ERROR } from '@tenon/base';
import {
  type Id,
  type JsonRpcMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type MessageKind,
  serializeMessage,
} from '../../../../jsonrpc/message.js';
import type { MessageContext } from '../../../../jsonrpc/transport.js';
import { EVENT_STREAM, encodeEvent, encodePrimingEvent } from '../../sse/encode-event.js';
import type { EventStream } from '../../sse/event-streams.js';
import { refuse, refuseBusy } from '../error-response.js';
import type { Exchange, HeaderFields } from '../exchange.js';
import { acceptsJson, type MessageHeaders } from '../header-validation.js';
import type { SharedAnswer } from '../stored-sessions/shared-session.js';
import type { HttpSession } from './session.js';

/** Error of a request whose changes of the session could not be stored. */
export const NOT_STORED: ErrorObject = {
  code: INTERNAL_ERROR,
  message: 'The session could not be stored. Retry later',
};

/** The JSON value of a POST, classified once, with the headers that were read once. */
export interface PostedMessage {
  readonly value: unknown;
  readonly kind: MessageKind;
  readonly headers: MessageHeaders;
  readonly auth: AuthInfo | undefined;
}

/**
 * One POST of a session that waits for responses. It becomes a stream if a message must be sent before the responses.
 * The stream outlives its connection, because a client can resume it.
 */
export class SessionPost implements MessageContext {
  readonly exchange: Exchange;
  /** True if its request opens the session. */
  readonly opensSession: boolean;
  readonly auth: AuthInfo | undefined;
  readonly checkedRequest: JsonRpcRequest | undefined;
  readonly #accept: string | undefined;
  /** The serialized responses of a batch, until all are complete. */
  readonly #batch: string[] | undefined;
  /** Number of the stream in its session. 0 until the stream exists. */
  stream = 0;
  #eventStream: EventStream | undefined;
  /** The shared stream of the response. Undefined if only this process handles the session. */
  #shared: SharedAnswer | undefined;
  readonly #requests: readonly Id[];
  #pendingCount: number;

  constructor(exchange: Exchange, posted: PostedMessage, requests: readonly Id[], opensSession = false) {
    this.exchange = exchange;
    this.auth = posted.auth;
    this.checkedRequest = posted.kind === 'request' ? (posted.value as JsonRpcRequest) : undefined;
    this.#accept = posted.headers.accept;
    this.#requests = requests;
    this.#pendingCount = requests.length;
    this.#batch = Array.isArray(posted.value) ? [] : undefined;
    this.opensSession = opensSession;
  }

  get request(): Exchange {
    return this.exchange;
  }

  /** Adds the response to an invalid message of a batch, before any of its requests run. */
  addResponse(text: string): void {
    this.#batch?.push(text);
  }

  /** Sends a message that belongs to the request. Returns `false` when it cannot be sent. */
  send(session: HttpSession, message: JsonRpcMessage): false | void | Promise<void> {
    if (!this.#beginStream(session)) return false;
    return this.#sendEvent(session, serializeMessage(message));
  }

  /** Sends a response, and ends the POST after the last one. */
  respond(session: HttpSession, text: string, response: JsonRpcResponse): void | Promise<void> {
    this.#pendingCount--;
    const error = 'error' in response ? response.error : undefined;
    if (this.stream === 0 && !this.#mustStream(session, error)) return this.#respondJson(session, text, error);
    const drained = this.#sendEvent(session, text, response.id);
    if (this.#pendingCount === 0) this.#end();
    return drained;
  }

  #end(): void {
    if (this.#shared === undefined) this.#eventStream?.end();
    else void this.#shared.finish();
  }

  /** Closes the connection. The stream continues when the client resumes it. */
  closeStream(session: HttpSession): boolean {
    if (!this.#beginStream(session)) return false;
    if (this.#shared === undefined) this.#eventStream?.end();
    else this.#shared.endConnection();
    this.#eventStream = undefined;
    return true;
  }

  /** Continues the stream on another connection. */
  attach(eventStream: EventStream): void {
    this.#eventStream?.end();
    this.#eventStream = eventStream;
  }

  detach(eventStream: EventStream): void {
    this.#shared?.detach(eventStream);
    if (this.#eventStream === eventStream) this.#eventStream = undefined;
  }

  /** Stops waiting for one of the responses. */
  dismissOne(): void {
    this.#pendingCount--;
    if (this.#pendingCount > 0) return;
    if (this.stream !== 0) this.#end();
    else if (this.exchange.clientClosed) return;
    else if (this.#batch !== undefined && this.#batch.length > 0) this.exchange.reply(200, toBatch(this.#batch));
    else this.exchange.stream(200, { 'content-type': EVENT_STREAM }).end();
  }

  /** Ends the POST without a response, because the session has ended. */
  abandon(id: Id, isGone: boolean): void {
    // A shared stream first gets a response for each request.
    if (this.#shared !== undefined) return;
    if (this.stream !== 0) this.#eventStream?.end();
    else if (this.exchange.clientClosed) return;
    // A time to retry would make the client send the request again, which its handler may have executed.
    else if (!isGone) refuse(this.exchange, 503, createUnknownOutcomeObject('The server is shutting down'), id);
    else refuse(this.exchange, 404, createUnknownOutcomeObject('The session has ended'), id);
  }

  /**
   * Starts the stream for a client that does not accept JSON. Errors that open no session or need a status are sent as
   * JSON.
   */
  #mustStream(session: HttpSession, error: ErrorObject | undefined): boolean {
    if (acceptsJson(this.#accept) || this.exchange.clientClosed) return false;
    return (error === undefined || this.#batch !== undefined) && this.#beginStream(session);
  }

  #beginStream(session: HttpSession): boolean {
    if (this.stream !== 0) return true;
    const onClosed = (stream: EventStream): void => this.detach(stream);
    const { exchange, opensSession } = this;
    const eventStream = session.beginStream(exchange, {
      headers: opensSession ? createSessionHeaders(session) : undefined,
      onClosed,
      auth: session.getExpiringAuth(this.auth),
    });
    if (eventStream === undefined) return false;
    this.#eventStream = eventStream;
    this.stream = session.allocateStreamId();
    const { http } = session.dialect ?? {};
    this.#shared = session.shared?.beginAnswer(eventStream, this.#requests);
    if (http?.priming && this.#shared === undefined)
      eventStream.write(
        encodePrimingEvent(session.context.eventStore.createEventId(this.stream), session.context.limits.sseRetry),
      );
    // Responses of the batch that are already complete are sent first.
    for (const text of this.#batch?.splice(0) ?? []) void this.#sendEvent(session, text);
    return true;
  }

  #sendEvent(session: HttpSession, text: string, answered?: Id | null): void | Promise<void> {
    if (this.#shared !== undefined) return this.#shared.send(text, answered);
    const id = session.storeEvent(this.stream, text);
    return this.#eventStream?.write(encodeEvent(text, id));
  }

  #respondJson(session: HttpSession, text: string, error: ErrorObject | undefined): void {
    if (this.#batch !== undefined) {
      this.#batch.push(text);
      if (this.#pendingCount > 0) return;
    }
    if (this.exchange.clientClosed) return;
    if (this.#batch !== undefined) return this.exchange.reply(200, toBatch(this.#batch));
    if (error === NOT_STORED) return refuseBusy(this.exchange, error.message, this.#requests[0]);
    const challenge = error && session.context.challenge(this.exchange, error);
    if (challenge) return this.exchange.reply(403, text, challenge);
    this.exchange.reply(
      200,
      text,
      this.opensSession && error === undefined ? createSessionHeaders(session) : undefined,
    );
  }
}

/** Returns the headers of the response that opens a session. */
function createSessionHeaders({ sessionId }: HttpSession): HeaderFields | undefined {
  return sessionId === undefined ? undefined : { 'mcp-session-id': sessionId };
}

function toBatch(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}
