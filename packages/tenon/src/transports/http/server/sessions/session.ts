import {
  type AuthInfo,
  CompactMap,
  catchMaybe,
  createUnknownOutcomeObject,
  type MaybePromise,
  TenonError,
  thenMaybe,
} from '@tenon/base';
import {
  createFailure,
  type Id,
  isBatch,
  type JsonRpcMessage,
  type JsonRpcResponse,
  serializeMessage,
} from '../../../../jsonrpc/message.js';
import type { MessageReceiver, SendOptions, Transport } from '../../../../jsonrpc/transport.js';
import type { ServerSession } from '../../../../protocol/request-handler.js';
import type { Dialect } from '../../../../protocol/versions/dialect.js';
import { encodeEvent, KEEP_ALIVE } from '../../sse/encode-event.js';
import type { StoredEvent } from '../../sse/event-store.js';
import type { EventStream } from '../../sse/event-streams.js';
import { onExpiry } from '../auth-expiry.js';
import type { HttpServerContext } from '../context.js';
import type { Exchange, HeaderFields } from '../exchange.js';
import type { ListenResult, SharedSession } from '../stored-sessions/shared-session.js';
import { NOT_STORED, type SessionPost } from './session-post.js';
import { StandaloneStreams } from './standalone-stream.js';

/** Options for starting a stream of a session. */
interface SessionStreamOptions {
  /** Headers of the response, if it opens the session. */
  readonly headers?: HeaderFields | undefined;
  /** Authorization whose expiry ends the stream. */
  readonly auth?: AuthInfo | undefined;
  readonly onClosed?: (stream: EventStream) => void;
}

/** Name of the client in errors. */
const PEER = 'HTTP client';

/** The registry of a session. */
export interface HttpSessionOwner {
  onEnd(session: HttpSession): void;
  /** Called when the client does not answer, so that the session is the first to be ended for others. */
  onUnresponsive(session: HttpSession): void;
}

/** A session as a transport. Many sessions may be idle, so fields that are rarely needed are created on first use. */
export class HttpSession implements Transport {
  readonly id: string;
  /** True if the session outlives the POST that opened it. */
  readonly stored: boolean;
  readonly context: HttpServerContext;
  readonly auth: AuthInfo | undefined;
  /** Key of the caller whose limits the session uses. */
  readonly caller: string;
  /** Time of the last activity, in milliseconds of the clock. */
  lastActiveAt: number;
  serverSession: ServerSession | undefined;
  receiver: MessageReceiver | undefined;
  /** The shared part of the session. Undefined if only this process handles the session. */
  shared: SharedSession | undefined;
  #posts: CompactMap<SessionPost> | undefined;
  #standalone: StandaloneStreams | undefined;
  #streamCount = 0;
  #openStreams = 0;
  /** True if the client did not answer a ping, and was not seen since. */
  isUnresponsive = false;
  #owner: HttpSessionOwner | undefined;

  constructor(
    id: string,
    context: HttpServerContext,
    auth: AuthInfo | undefined,
    caller: string,
    owner: HttpSessionOwner,
    stored = true,
  ) {
    this.stored = stored;
    this.id = id;
    this.context = context;
    this.auth = auth;
    this.caller = caller;
    this.lastActiveAt = context.clock.elapsed();
    this.#owner = owner;
  }

  get peer(): string {
    return PEER;
  }

  get sessionId(): string | undefined {
    return this.stored ? this.id : undefined;
  }

  get dialect(): Dialect | undefined {
    return this.serverSession?.dialect;
  }

  get acceptsBatches(): boolean {
    return this.serverSession?.getBatchMode?.() ?? this.dialect?.http.batches === true;
  }

  get isBusy(): boolean {
    if (this.#openStreams > 0) return true;
    return (this.#posts !== undefined || (this.serverSession?.inFlight ?? 0) > 0) && !this.isUnattended;
  }

  /** Streams of a shared session may be open at other processes, so only the store decides about its end. */
  get isUnattended(): boolean {
    const { clock, limits } = this.context;
    if (this.shared !== undefined || this.#openStreams > 0 || this.serverSession?.waitsForClient !== true) return false;
    if (this.#posts?.entries().some(([, { exchange }]) => !exchange.clientClosed)) return false;
    return clock.elapsed() - this.lastActiveAt >= limits.unattendedTimeout;
  }

  get hasOpenStream(): boolean {
    return this.shared?.isListening ?? this.#standalone?.isOpen ?? false;
  }

  get endStreams(): (() => void) | undefined {
    return this.shared && (() => this.stopListening());
  }

  get endRequests(): (() => void) | undefined {
    return this.stored && this.shared === undefined ? () => this.#endRequests() : undefined;
  }

  get requestIdPrefix(): string | undefined {
    return this.shared?.requestIdPrefix;
  }

  open(receiver: MessageReceiver): void {
    if (this.#owner === undefined) throw createClosedError();
    this.receiver = receiver;
  }

  send(message: JsonRpcMessage | readonly JsonRpcResponse[], options?: SendOptions): void | Promise<void> {
    if (this.#owner === undefined) return Promise.reject(createClosedError());
    if (isBatch(message)) {
      for (const response of message) void this.#saveAndRespond(response);
      return undefined;
    }
    const deliver = () => ('method' in message ? this.#sendMessage(message, options) : this.#saveAndRespond(message));
    return this.shared === undefined ? deliver() : this.shared.sendRecorded(message, options, deliver);
  }

  #sendMessage(message: Exclude<JsonRpcMessage, JsonRpcResponse>, options?: SendOptions): void | Promise<void> {
    const post = options?.relatedTo === undefined ? undefined : this.#posts?.get(options.relatedTo);
    const sent = post?.send(this, message);
    if (post !== undefined && sent !== false) return sent;
    // A message for a request that no client waits for is only sent if it needs a response. A client without a session
    // has no stream for messages that belong to no request.
    if (!this.stored || (post !== undefined && !('id' in message))) return undefined;
    if (this.shared !== undefined) return this.shared.sendUnrelated(serializeMessage(message));
    this.#standalone ??= new StandaloneStreams();
    return this.#standalone.send(this, serializeMessage(message));
  }

  close(): void {
    catchMaybe(() => this.endForAll(), this.context.report);
  }

  /** Ends the session in all processes. Rejects when the store does not respond. */
  endForAll(): MaybePromise<void> {
    return thenMaybe(this.shared?.delete(), () => this.end());
  }

  /** Closes the stream of a request, on versions that allow it. The client reconnects later and resumes the stream. */
  closeStream(relatedTo: Id): boolean {
    const post = this.#posts?.get(relatedTo);
    return post !== undefined && this.dialect?.http.priming === true && post.closeStream(this);
  }

  abandonResponse(relatedTo: Id): void {
    this.#takePost(relatedTo)?.dismissOne();
    if (!this.stored && this.pendingCount === 0) this.end();
  }

  /** Stops waiting for responses that no handler works on, and that do not wait for the store. */
  dismissOrphanedPosts(): void {
    if (this.serverSession?.inFlight !== 0 || this.shared?.isSaving === true) return;
    for (const [id] of this.#posts?.entries() ?? []) this.abandonResponse(id);
  }

  /** Tells if the limit of the session, and its caller's share of the total limit, allow this many more requests. */
  hasRoomFor(requests: number): boolean {
    const { limits, inFlight } = this.context;
    return this.pendingCount + requests <= limits.maxRequestsPerSession && inFlight.canTake(this.caller, requests);
  }

  /** Registers the POST that waits for a response. Returns `false` if the ID is in use, or if a limit is reached. */
  addPendingRequest(id: Id, post: SessionPost): boolean {
    this.#posts ??= new CompactMap();
    if (this.#posts.has(id) || !this.context.inFlight.take(this.caller)) return false;
    this.#posts.set(id, post);
    return true;
  }

  get pendingCount(): number {
    return this.#posts?.size ?? 0;
  }

  isPending(id: Id): boolean {
    return this.#posts?.has(id) ?? false;
  }

  /** Starts the stream that responds to an exchange. Returns `undefined` when there are too many streams. */
  beginStream(exchange: Exchange, { headers, auth, onClosed }: SessionStreamOptions): EventStream | undefined {
    if (this.#openStreams >= this.context.limits.maxStreamsPerSession) return undefined;
    let cancelExpiry = (): void => {};
    const handleClose = (ended: EventStream): void => {
      this.#openStreams--;
      this.lastActiveAt = this.context.clock.elapsed();
      cancelExpiry();
      onClosed?.(ended);
    };
    const stream = this.context.streams.begin(exchange, this.caller, headers, handleClose, this.stored);
    if (stream === undefined) return undefined;
    this.#openStreams++;
    cancelExpiry = onExpiry(this.context.clock, auth, () => stream.end());
    return stream;
  }

  /** Returns the authorization whose expiry ends a response stream, on versions whose clients can resume it. */
  getExpiringAuth(auth: AuthInfo | undefined): AuthInfo | undefined {
    return this.dialect?.http.priming === true ? auth : undefined;
  }

  allocateStreamId(): number {
    return ++this.#streamCount;
  }

  /** Stores a message for resumption and returns its event ID. Returns `undefined` on versions without event IDs. */
  storeEvent(stream: number, text: string): string | undefined {
    return this.dialect?.http.sessions ? this.context.eventStore.append(this.id, stream, text) : undefined;
  }

  /** Opens a standalone stream, after the last event that the client received. */
  listen(exchange: Exchange, auth: AuthInfo | undefined): MaybePromise<ListenResult> {
    if (this.shared !== undefined) return this.shared.listen(exchange, auth);
    this.#standalone ??= new StandaloneStreams();
    return this.#standalone.begin(this, exchange, auth) ? 'listening' : 'full';
  }

  /** Resumes a stream after an event. */
  resume(exchange: Exchange, eventId: string, auth: AuthInfo | undefined): MaybePromise<ListenResult> {
    if (this.shared !== undefined) return this.shared.resume(exchange, eventId, auth);
    const replay = this.context.eventStore.replayAfter(this.id, eventId);
    if (replay === undefined) return 'unknown';
    this.#standalone ??= new StandaloneStreams();
    const isResumed = this.#standalone.resume(this, exchange, replay, auth);
    if (isResumed !== undefined) return isResumed ? 'listening' : 'full';
    const post = this.#posts?.entries().find(([, { stream }]) => stream === replay.stream)?.[1];
    if (post === undefined && replay.events.length === 0) return 'unknown';
    const onClosed = (ended: EventStream) => post?.detach(ended);
    const stream = this.beginStream(exchange, { onClosed, auth: this.getExpiringAuth(auth) });
    if (stream === undefined) return 'full';
    if (replay.events.length === 0) stream.write(KEEP_ALIVE);
    for (const stored of replay.events) stream.write(this.encodeStoredEvent(stored));
    if (post === undefined) stream.end();
    else post.attach(stream);
    return 'listening';
  }

  /** Encodes a stored message. Adds its ID on versions with event IDs. */
  encodeStoredEvent({ id, text }: StoredEvent): string {
    return encodeEvent(text, this.dialect?.http.sessions ? id : undefined);
  }

  /** Ends the standalone streams. */
  stopListening(): void {
    this.#standalone?.stop();
    this.shared?.stopListening();
  }

  /** Ends the session in this process. A shared session continues in other processes. */
  end(): MaybePromise<void> {
    const owner = this.#owner;
    if (owner === undefined) return undefined;
    this.#owner = undefined;
    owner.onEnd(this);
    this.stopListening();
    for (const [id, post] of this.#posts?.entries() ?? []) {
      post.abandon(id, this.stored && this.shared?.isDeleted !== false);
      this.context.inFlight.release(this.caller);
    }
    this.#posts = undefined;
    if (this.stored && this.shared === undefined) this.context.eventStore.deleteSession(this.id);
    this.serverSession?.end(this.shared?.isDeleted === false);
    this.receiver?.onClose();
    return this.shared?.detach().catch(this.context.report);
  }

  #endRequests(): void {
    for (const [id] of this.#posts?.entries() ?? [])
      void this.#respond(createFailure(id, createUnknownOutcomeObject('The client did not answer a ping')));
    this.stopListening();
    this.isUnresponsive = true;
    this.#owner?.onUnresponsive(this);
  }

  /**
   * Stores the changes of the session before the response, because another process may handle the client's next
   * request.
   */
  #saveAndRespond(response: JsonRpcResponse): void | Promise<void> {
    const saving = this.shared?.save();
    if (saving === undefined) return this.#respond(response);
    return saving.then(
      () => this.#respond(response),
      error => {
        this.context.report(error);
        // Only clients of requests that change the session may send them again.
        const isChange =
          !('error' in response) && ('protocolVersion' in response.result || Object.keys(response.result).length === 0);
        return this.#respond(isChange ? createFailure(response.id, NOT_STORED) : response);
      },
    );
  }

  #respond(response: JsonRpcResponse): void | Promise<void> {
    // Serialization comes first. If it fails, an error response can still be sent.
    const text = serializeMessage(response);
    const post = this.#takePost(response.id);
    if (post === undefined) return undefined;
    // A message of the server does not prove that the client is connected.
    this.lastActiveAt = this.context.clock.elapsed();
    const drained = post.respond(this, text, response);
    // A session whose ID was never sent does not count.
    if (post.opensSession && ('error' in response || post.exchange.clientClosed)) this.close();
    if (!this.stored && this.pendingCount === 0) this.end();
    return drained;
  }

  #takePost(id: Id | null | undefined): SessionPost | undefined {
    const post = id === undefined || id === null ? undefined : this.#posts?.get(id);
    if (post === undefined) return undefined;
    this.#posts?.delete(id as Id);
    if (this.#posts?.size === 0) this.#posts = undefined;
    this.context.inFlight.release(this.caller);
    return post;
  }
}

function createClosedError(): TenonError {
  return new TenonError('connection/closed', 'the session has ended', {
    peer: PEER,
    hint: 'stop sending, because the client opens a new session if needed',
  });
}
