import {
  type AuthInfo,
  createUnknownOutcomeObject,
  getCallerKey,
  getRetryAfterMs,
  INTERNAL_ERROR,
  type JsonObject,
  type MaybePromise,
  settleMaybe,
} from '@tenon/base';
import {
  createFailure,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  serializeMessage,
} from '../../../jsonrpc/message.js';
import type { HeaderParam } from '../../../protocol/header-params.js';
import type { RequestIO, StatelessRoute } from '../../../protocol/request-handler.js';
import { encodeEvent } from '../sse/encode-event.js';
import type { EventStream } from '../sse/event-streams.js';
import { onExpiry } from './auth-expiry.js';
import { checkHeaderParams } from './check-header-params.js';
import type { HttpServerContext } from './context.js';
import { getHttpStatus, refuse, refuseBusy } from './error-response.js';
import type { Exchange } from './exchange.js';
import { acceptsJson, type MessageHeaders, validateHeaders } from './header-validation.js';

/** Method whose response is a stream. */
const LISTEN = 'subscriptions/listen';

/**
 * Handles one stateless request. The response is JSON, or a stream if a notification is sent before it. Closing the
 * connection cancels the request.
 */
export function serveStatelessPost(
  context: HttpServerContext,
  exchange: Exchange,
  headers: MessageHeaders,
  request: JsonRpcRequest,
  route: StatelessRoute,
  auth: AuthInfo | undefined,
) {
  const mismatch = validateHeaders(headers, request, route.dialect);
  if (mismatch !== undefined) return refuse(exchange, 400, mismatch, request.id);
  const post = new StatelessPost(context, exchange, headers.accept, request, route, auth);
  if (!context.inFlight.take(post.caller))
    return refuseBusy(exchange, 'Too many unanswered requests. Retry later', request.id);
  void post.answer();
}

/** The POST of a stateless request until its response is sent. */
class StatelessPost implements RequestIO {
  readonly auth: AuthInfo | undefined;
  readonly address: string | undefined;
  /** Key of the caller whose limits the request uses. */
  readonly caller: string;
  runningIndex = -1;
  readonly #context: HttpServerContext;
  readonly #exchange: Exchange;
  readonly #accept: string | undefined;
  readonly #request: JsonRpcRequest;
  readonly #route: StatelessRoute;
  #stream: EventStream | undefined;
  #done = false;
  #cancelClosing: (() => void) | undefined;
  #cancelExpiry: (() => void) | undefined;
  #cancelListeners: (() => void)[] | undefined;

  constructor(
    context: HttpServerContext,
    exchange: Exchange,
    accept: string | undefined,
    request: JsonRpcRequest,
    route: StatelessRoute,
    auth: AuthInfo | undefined,
  ) {
    this.#context = context;
    this.#exchange = exchange;
    this.#accept = accept;
    this.#request = request;
    this.#route = route;
    this.auth = auth;
    this.address = context.getAddress(exchange);
    this.caller = getCallerKey(auth, this.address);
  }

  /** Sends the response. It does so synchronously if no promise is needed. */
  answer(): MaybePromise<void> {
    const sent = settleMaybe(
      () => this.#context.handler.answer(this.#request, this.#route, this),
      response => this.#sendResponse(response),
      error => this.#handleError(error),
    );
    if (!this.#done) this.#context.inFlight.addRunning(this);
    return sent;
  }

  /** Cancels the request, because the endpoint does not wait for it any longer. The endpoint then ends the streams. */
  cancel(): void {
    if (!this.#finish()) return;
    const { id, method } = this.#request;
    // A time to retry would make the client send the request again, which its handler may have executed.
    const error = createUnknownOutcomeObject('The server is shutting down');
    if (this.#stream === undefined) {
      if (!this.#exchange.clientClosed) refuse(this.#exchange, 503, error, id);
    } else if (method !== LISTEN) {
      this.#stream.write(encodeEvent(serializeMessage(createFailure(id, error))));
      this.#stream.end();
    }
    for (const listener of this.#cancelListeners ?? []) listener();
  }

  get ephemeral(): boolean {
    return this.#exchange.ephemeral === true;
  }

  get request(): Exchange {
    return this.#exchange;
  }

  checkHeaders(headerParams: readonly HeaderParam[], args: JsonObject | undefined): void {
    checkHeaderParams(headerParams, args, this.#exchange);
  }

  send(notification: JsonRpcNotification): void | Promise<void> {
    if (this.#done || this.#exchange.clientClosed) return undefined;
    this.#stream ??= this.#context.streams.begin(this.#exchange, this.caller);
    if (this.#stream !== undefined) return this.#stream.write(encodeEvent(serializeMessage(notification)));
    // The handler of any other request has begun, and a client that sends the request again would run it twice.
    if (this.#request.method !== LISTEN) return undefined;
    if (this.#finish()) refuseBusy(this.#exchange, 'Too many open streams. Retry later', this.#request.id);
  }

  onClientClosed(listener: () => void): void {
    this.#cancelListeners ??= [];
    this.#cancelListeners.push(listener);
    if (this.#route.dialect.http.closeCancels) this.#exchange.onClientClosed(listener);
  }

  onShutdown(ending: () => void): void {
    if (this.#done) return;
    const { clock, inFlight } = this.#context;
    // Two fields take less memory for an open stream than a function that calls both.
    this.#cancelClosing = inFlight.onClosing(ending);
    this.#cancelExpiry = onExpiry(clock, this.auth, ending);
  }

  #sendResponse(response: JsonRpcResponse): void {
    const text = serializeMessage(response);
    if (!this.#finish() || this.#exchange.clientClosed) return;
    if (this.#stream !== undefined) {
      this.#stream.write(encodeEvent(text));
      return this.#stream.end();
    }
    if (!('error' in response)) {
      const stream = !acceptsJson(this.#accept) ? this.#context.streams.begin(this.#exchange, this.caller) : undefined;
      if (stream === undefined) return this.#exchange.reply(200, text);
      stream.write(encodeEvent(text));
      return stream.end();
    }
    const challenge = this.#context.challenge(this.#exchange, response.error);
    const retryAfterMs = getRetryAfterMs(response.error.data);
    const retryAfter =
      retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
    const headers = { ...challenge, ...retryAfter };
    this.#exchange.reply(getHttpStatus(response.error), text, headers);
  }

  #handleError(error: unknown): void {
    this.#context.report(error);
    if (!this.#finish()) return;
    if (this.#stream !== undefined) return this.#stream.destroy();
    refuse(this.#exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' }, this.#request.id);
  }

  /** Marks the request as finished. Returns false if it was finished before. */
  #finish(): boolean {
    if (this.#done) return false;
    this.#done = true;
    this.#context.inFlight.removeRunning(this);
    this.#cancelClosing?.();
    this.#cancelExpiry?.();
    this.#context.inFlight.release(this.caller);
    return true;
  }
}
