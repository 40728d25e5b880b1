import type { AuthInfo } from '../../../../jsonrpc/transport.js';
import { encodePrimingEvent, KEEP_ALIVE } from '../../sse/encode-event.js';
import { createInitialEventId, type Replay } from '../../sse/event-store.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { Exchange } from '../exchange.js';
import type { HttpSession } from './session.js';

/** Number of the standalone stream, which belongs to no request. */
export const STANDALONE_STREAM = 0;

/** Messages of a session that belong to no request. They are stored until the client opens the standalone stream. */
export class StandaloneStream {
  #stream: EventStream | undefined;
  /** ID of the last event that was sent. Later events are still waiting. */
  #lastSentId = createInitialEventId(STANDALONE_STREAM);

  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  send(session: HttpSession, text: string): void | Promise<void> {
    const id = session.context.eventStore.append(session.id, STANDALONE_STREAM, text);
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
    if (missed.length === 0) events.write(createGreeting(session));
    for (const stored of missed) events.write(session.encodeStoredEvent(stored));
    this.#lastSentId = missed.at(-1)?.id ?? this.#lastSentId;
    return true;
  }
}

function createGreeting({ dialect, context }: HttpSession): string {
  return dialect?.http.priming
    ? encodePrimingEvent(context.eventStore.createEventId(STANDALONE_STREAM), context.limits.sseRetry)
    : KEEP_ALIVE;
}
