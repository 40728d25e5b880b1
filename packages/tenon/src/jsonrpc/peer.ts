import {
  type Clock,
  catchMaybe,
  describeType,
  INVALID_REQUEST,
  isForPeer,
  isObject,
  isSessionLoss,
  type JsonObject,
  PARSE_ERROR,
  settleMaybe,
  TenonError,
  toReportedError,
} from '@tenon/base';
import { toErrorObject, toErrorResponses } from './error-response.js';
import { IncomingRequests, type SendReply } from './incoming-requests.js';
import {
  classifyMessage,
  createFailure,
  createNotification,
  createRequest,
  createSuccess,
  diagnoseMessage,
  type Id,
  isResponseLike,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  withoutNulls,
} from './message.js';
import * as errors from './peer-errors.js';
import type { PeerHandler } from './peer-handler.js';
import { type LazyParams, type PeerCallOptions, PendingRequests } from './pending-requests.js';
import type { RequestScope } from './request-scope.js';
import { tolerate } from './tolerance.js';
import type { MessageContext, MessageReceiver, SendOptions, Transport } from './transport.js';

/** One end of a connection. Assigns IDs, tracks pending requests, runs incoming requests, and tolerates any input. */
export class Peer implements MessageReceiver {
  readonly transport: Transport;
  readonly #handler: PeerHandler;
  readonly #clock: Clock;
  /** Created on first use, because many sessions are idle, and most clients receive no requests. */
  #pending: PendingRequests | undefined;
  #incoming: IncomingRequests | undefined;
  /** Set when the peer no longer knows the session, because the peer would refuse later messages. */
  #sessionError: TenonError | undefined;
  #hasActivity = false;
  #isClosed = false;
  #hasEnded = false;

  constructor(transport: Transport, handler: PeerHandler, clock: Clock) {
    this.transport = transport;
    this.#handler = handler;
    this.#clock = clock;
  }

  /** Name of the peer in errors. */
  get peer(): string {
    return this.#handler.peer ?? this.transport.peer;
  }

  /** Number of the peer's requests that are in progress. */
  get inFlight(): number {
    return this.#incoming?.size ?? 0;
  }

  /** Number of running handlers, including those of cancelled requests. */
  get activeHandlers(): number {
    return this.#incoming?.active ?? 0;
  }

  /** Number of requests to the peer that have no response yet. */
  get pendingCount(): number {
    return this.#pending?.size ?? 0;
  }

  /** True while a request to the peer waits whose time is limited. */
  get hasDeadline(): boolean {
    return !!this.#pending?.hasDeadline;
  }

  open(): void | Promise<void> {
    return this.transport.open(this);
  }

  /** Sends a request and resolves with its result. Rejects with the error of the peer or of the connection. */
  call(method: string, params: LazyParams, options: PeerCallOptions = {}): Promise<JsonObject> {
    this.#pending ??= new PendingRequests(this.#clock, this, this.transport.requestIdPrefix);
    const id = this.#pending.allocateId();
    const answer = this.#pending.waitForResponse(id, method, options);
    if (this.#pending.has(id)) this.#send(id, method, params, options);
    return answer;
  }

  #send(id: Id, method: string, params: LazyParams, options: PeerCallOptions): void {
    const onError = (error: unknown): void => {
      this.#pending?.fail(id, this.#toSendError(error, method));
    };
    try {
      if (this.#sessionError) throw this.#sessionError;
      const resolvedParams = typeof params === 'function' ? params(id) : params;
      const sent = this.transport.send(createRequest(id, method, resolvedParams), options.send);
      if (sent) sent.catch(onError);
    } catch (error) {
      onError(error);
    }
  }

  /** Sends a notification. A notification after the transport has closed is dropped. */
  notify(method: string, params?: JsonObject, options?: SendOptions): void | Promise<void> {
    if (this.#sessionError) return;
    return catchMaybe(
      () => this.transport.send(createNotification(method, params), options),
      error => this.#reportSendError(error, method),
    );
  }

  /** Converts the error of a failed send. Every failure may show that the session is lost. */
  #toSendError(error: unknown, method?: string): TenonError {
    const { peer } = this.transport;
    const sendError = errors.withNames(TenonError.from(error, 'connection/send', { peer }), this, method);
    if (isSessionLoss(sendError)) this.onSessionLost(sendError);
    return sendError;
  }

  /** Reports the error of a failed send. A closed connection is not reported after the end of this peer. */
  #reportSendError(error: unknown, method?: string): void {
    const sendError = this.#toSendError(error, method);
    if (!this.#hasEnded || sendError.code !== 'connection/closed') this.#reportError(sendError);
  }

  /** Restarts the idle timeout of a request. Returns false if the request already has a response. */
  resetIdleTimeout(id: Id, progress?: JsonObject): boolean {
    return this.#pending?.resetIdleTimeout(id, progress) ?? false;
  }

  /** Cancels a request of the peer, so that no response follows. */
  cancel(id: Id, reason?: string): boolean {
    const cancelled = this.#incoming?.cancel(id, reason) ?? false;
    if (cancelled) this.#runSafely(() => this.transport.abandonResponse?.(id));
    return cancelled;
  }

  /** Closes the transport. Messages that are being sent fail with `connection/closed`, which is not reported. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.transport.close();
    this.end();
  }

  /** Aborts all handlers of the peer and rejects all pending requests. */
  end(error = errors.createClosedError(this.peer)): void {
    this.#hasEnded = true;
    this.failRequests(error);
  }

  /** Rejects all pending requests and aborts all handlers, and continues. The transport has answered their requests. */
  failRequests(error: TenonError): void {
    this.#pending?.failAll(error);
    this.#incoming?.cancelAll(error.summary);
  }

  /** Tells if a message arrived since the last call of this function. */
  takeActivity(): boolean {
    const hasActivity = this.#hasActivity;
    this.#hasActivity = false;
    return hasActivity;
  }

  onMessage(value: unknown, context?: MessageContext): void {
    this.#hasActivity = true;
    if (Array.isArray(value)) return void this.#dispatchBatch(value, context);
    this.#dispatch(value, context);
  }

  onParseError(error: TenonError, id?: Id): void {
    const { rpcCode = PARSE_ERROR, expected } = error;
    const message = rpcCode === PARSE_ERROR ? 'Parse error' : 'Invalid request';
    this.#refuse(id, rpcCode, expected ? `${message}: expected ${expected}` : message);
    this.#reportError(error);
  }

  onResponseLost(id: Id, error: TenonError): void {
    this.#pending?.fail(id, error);
  }

  onSessionLost(error: TenonError): void {
    if (this.#sessionError) return;
    this.#sessionError = error;
    this.#runSafely(() => this.#handler.onSessionLost?.(error));
  }

  onClose(error?: TenonError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.end(error);
    this.#runSafely(() => this.#handler.onClose(error));
  }

  #dispatch(
    received: unknown,
    context?: MessageContext,
    reply: SendReply = response => this.#sendResponse(response),
  ): void {
    const isChecked = received !== undefined && context?.checkedRequest === received;
    let kind = isChecked ? 'request' : classifyMessage(received);
    const value = kind === 'malformed' ? received : withoutNulls(received as JsonRpcMessage);
    if (value !== received) {
      const { method } = received as Partial<JsonRpcRequest>;
      const summary = 'null counts as absent for params, result and error';
      if (!tolerate(this.#handler, 'null-member', method, summary)) kind = 'malformed';
    }
    switch (kind) {
      case 'request':
        return this.#runRequest(value as JsonRpcRequest, context, reply);
      case 'notification':
        this.#runSafely(() => this.#handler.onNotification(value as JsonRpcNotification, context));
        return reply(undefined);
      case 'success':
      case 'failure':
        this.#completeRequest(value as JsonRpcResponse);
        return reply(undefined);
      default:
        return this.#rejectMalformed(received, reply);
    }
  }

  #dispatchBatch(values: unknown[], context?: MessageContext): void {
    const batches = this.#handler.getBatchMode();
    if (batches === 'split' && values.length > 0) {
      for (const value of values) this.#dispatch(value, context);
      return;
    }
    if (batches !== true || values.length === 0 || values.length > errors.MAX_BATCH) {
      const fault =
        values.length > errors.MAX_BATCH
          ? `a batch of more than ${errors.MAX_BATCH} messages`
          : 'a batch is no message';
      // Each request of the batch is rejected, and its responses are accepted.
      const ids: (Id | undefined)[] = values.flatMap(value => diagnoseMessage(value).id ?? []);
      if (ids.length === 0) ids.push(undefined);
      for (const id of ids) this.#refuse(id, INVALID_REQUEST, `Invalid request: ${fault}`);
      for (const value of values) if (isResponseLike(value)) this.#dispatch(value, undefined, () => {});
      return;
    }
    const responses: JsonRpcResponse[] = [];
    let remaining = values.length;
    const collect = (response: JsonRpcResponse | undefined) => {
      if (response) responses.push(response);
      if (--remaining === 0 && responses.length > 0) this.#sendResponse(responses);
    };
    for (const value of values) this.#dispatch(value, context, collect);
  }

  #completeRequest(response: JsonRpcResponse): void {
    if (this.#pending?.completeRequest(response)) return;
    const named = this.#pending?.findByText(response.id);
    if (named === undefined) return this.#reportError(errors.createUnexpectedResponseError(this.peer, response));
    const summary = 'the id of a response is a string, which counts as the number';
    if (tolerate(this.#handler, 'string-id', named.method, summary))
      this.#pending?.completeRequest({ ...response, id: named.id });
    else this.#pending?.fail(named.id, errors.createUnexpectedResponseError(this.peer, response));
  }

  #rejectMalformed(value: unknown, reply: SendReply): void {
    const { id, reason } = diagnoseMessage(value);
    const error = new TenonError('peer/malformed', `received an invalid message: ${reason}`, { peer: this.peer });
    // The request gets no other response than this malformed one, so it fails.
    if (isResponseLike(value) && this.#pending?.fail(value.id, error)) return reply(undefined);
    this.#reportError(error);
    this.#refuse(id, INVALID_REQUEST, `Invalid request: ${reason}`, reply);
  }

  #refuse(
    id: Id | undefined,
    code: number,
    message: string,
    reply: SendReply = response => this.#sendResponse(response),
  ): void {
    const sentId = id ?? this.#handler.getUnreadableId();
    if (sentId === false || this.#handler.mayAnswer?.() === false) return reply(undefined);
    reply(createFailure(sentId, { code, message }));
  }

  #runRequest(incoming: JsonRpcRequest, context: MessageContext | undefined, reply: SendReply): void {
    if (this.#handler.mayAnswer?.() === false) {
      this.#reportError(errors.createForbiddenRequestError(this.peer, incoming.method));
      return reply(undefined);
    }
    this.#incoming ??= new IncomingRequests();
    const requests = this.#incoming;
    const handle = (scope: RequestScope) => this.#handleRequest(incoming, scope, context);
    requests.start(incoming.id, handle, reply, scope => {
      if (requests.active === 0) this.#incoming = undefined;
      this.#runSafely(() => scope.complete());
    });
  }

  #handleRequest(
    incoming: JsonRpcRequest,
    scope: RequestScope,
    context?: MessageContext,
  ): JsonRpcResponse | Promise<JsonRpcResponse> {
    return settleMaybe<JsonObject, JsonRpcResponse>(
      () => this.#handler.onRequest(incoming, scope, context),
      result => {
        if (isObject(result)) return createSuccess(incoming.id, result);
        throw new TenonError('handler/result', 'the return value of the handler is not an object', {
          expected: 'an object',
          received: describeType(result),
        });
      },
      error => {
        // A handler that stops as requested throws the reason of its signal.
        if (!isForPeer(error) && !scope.isCancelled) {
          this.#reportError(toReportedError(error, 'handler/threw', { peer: this.peer, method: incoming.method }));
        }
        return createFailure(incoming.id, toErrorObject(error));
      },
    );
  }

  #sendResponse(response: JsonRpcResponse | JsonRpcResponse[] | undefined): void {
    if (response === undefined || this.#sessionError) return;
    const send = (message: JsonRpcResponse | JsonRpcResponse[]) => this.transport.send(message);
    void catchMaybe(
      () => send(response),
      error => {
        this.#reportSendError(error);
        // The peer waits for a response, so an error replaces a result that cannot be serialized.
        if (!this.#sessionError)
          void catchMaybe(
            () => send(toErrorResponses(response)),
            () => {},
          );
      },
    );
  }

  /** Reports an error to `onError`. An exception of `onError` is ignored. */
  #reportError(error: TenonError): void {
    try {
      this.#handler.onError(error);
    } catch {
      // An exception of `onError` itself cannot be reported.
    }
  }

  #runSafely(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#reportError(toReportedError(error, 'handler/threw', { peer: this.peer }));
    }
  }
}
