import type { AuthInfo } from '@tenon/base';
import { encodePrimingEvent, KEEP_ALIVE } from '../../sse/encode-event.js';
import { formatEventId } from '../../sse/event-buffer.js';
import type { Replay } from '../../sse/event-store.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { Exchange } from '../exchange.js';
import type { HttpSession } from './session.js';

/** Number of the standalone stream, which belongs to no request. */
const STANDALONE_STREAM = 0;

/**
 * Messages of a session that belong to no request. Each is sent on one stream, the one that the client opened last.
 * Without an open stream, they are stored for the next one.
 */
export class StandaloneStreams {
  /** In the order of their opening. */
  #streams: StandaloneStream[] = [];

  get isOpen(): boolean {
    return this.#streams.some(({ isOpen }) => isOpen);
  }

  send(session: HttpSession, text: string): void | Promise<void> {
    const stream = this.#streams.findLast(({ isOpen }) => isOpen) ?? this.#streams.at(-1);
    return (stream ?? this.#add(session)).send(session, text);
  }

  /** Opens a stream. Returns `false` when there are too many. */
  begin(session: HttpSession, exchange: Exchange, auth: AuthInfo | undefined): boolean {
    const stream = this.#streams.findLast(({ isOpen }) => !isOpen) ?? this.#add(session);
    return this.#markNewest(stream).begin(session, exchange, auth);
  }

  /** Continues the stream of an event on another connection. Returns `undefined` if it is the stream of a request. */
  resume(session: HttpSession, exchange: Exchange, replay: Replay, auth: AuthInfo | undefined): boolean | undefined {
    if (this.#streams.length === 0 && replay.stream === STANDALONE_STREAM) this.#add(session);
    const stream = this.#streams.find(({ number }) => number === replay.stream);
    return stream && this.#markNewest(stream).resume(session, exchange, replay, auth);
  }

  stop(): void {
    for (const stream of this.#streams) stream.stop();
  }

  #add(session: HttpSession): StandaloneStream {
    const number = this.#streams.length === 0 ? STANDALONE_STREAM : session.allocateStreamId();
    const stream = new StandaloneStream(number);
    this.#streams.push(stream);
    return stream;
  }

  #markNewest(stream: StandaloneStream): StandaloneStream {
    this.#streams = [...this.#streams.filter(each => each !== stream), stream];
    return stream;
  }
}

/** One stream, with the messages that it has not sent yet. */
class StandaloneStream {
  readonly number: number;
  #stream: EventStream | undefined;
  /** ID of the last event that was sent. Later events are still waiting. */
  #lastSentId: string;

  constructor(number: number) {
    this.number = number;
    // The start of the stream.
    this.#lastSentId = formatEventId(number, 0);
  }

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  send(session: HttpSession, text: string): void | Promise<void> {
    const id = session.context.eventStore.append(session.id, this.number, text);
    if (this.#stream === undefined) return undefined;
    this.#lastSentId = id;
    return this.#stream.write(session.encodeStoredEvent({ id, text }));
  }

  /**
   * Opens the stream after the last event that the client received. Returns `false` when there are too many streams.
   */
  begin(session: HttpSession, exchange: Exchange, auth: AuthInfo | undefined): boolean {
    const missed = session.context.eventStore.replayAfter(session.id, this.#lastSentId);
    return this.#attach(session, exchange, missed?.events ?? [], auth);
  }

  /** Continues the stream on another connection. */
  resume(session: HttpSession, exchange: Exchange, { events }: Replay, auth: AuthInfo | undefined): boolean {
    this.stop();
    return this.#attach(session, exchange, events, auth);
  }

  stop(): void {
    this.#stream?.end();
  }

  /**
   * Attaches the stream to a connection. It ends when its token expires. The client reconnects with another token and
   * gets the missed messages.
   */
  #attach(session: HttpSession, exchange: Exchange, missed: Replay['events'], auth: AuthInfo | undefined): boolean {
    const onClosed = (stream: EventStream): void => {
      if (this.#stream === stream) this.#stream = undefined;
    };
    const events = session.beginStream(exchange, { onClosed, auth });
    if (events === undefined) return false;
    this.#stream = events;
    // The first write sends the response head. An event with an ID lets the client resume the stream.
    if (missed.length === 0) {
      const { eventStore, limits } = session.context;
      const isPrimed = session.dialect?.http.priming;
      events.write(isPrimed ? encodePrimingEvent(eventStore.createEventId(this.number), limits.sseRetry) : KEEP_ALIVE);
    }
    for (const stored of missed) events.write(session.encodeStoredEvent(stored));
    this.#lastSentId = missed.at(-1)?.id ?? this.#lastSentId;
    return true;
  }
}
