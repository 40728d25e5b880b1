import type { AuthInfo } from '../../jsonrpc/channel.js';
import type { Exchange } from './exchange.js';
import { beginning, type Replay } from './replay.js';
import type { Session } from './session.js';
import { KEEP_ALIVE, primingFrame } from './sse-frame.js';
import type { EventStream } from './streams.js';

/** The number of the stream that belongs to no request. */
export const LISTENING = 0;

/** What a session says of itself: kept until the client listens, and from then on sent over the one stream for it. */
export class Listening {
  #events: EventStream | undefined;
  /** The last event that was sent: what came after it is still to be told. */
  #seen = beginning(LISTENING);

  get open(): boolean {
    return this.#events !== undefined;
  }

  say(session: Session, text: string): void | Promise<void> {
    const id = session.house.log.append(session.id, LISTENING, text);
    if (this.#events === undefined) return undefined;
    this.#seen = id;
    return this.#events.write(session.frame({ id, text }));
  }

  /** Begins, from where the client left off. Returns `false` when there are too many streams. */
  begin(session: Session, exchange: Exchange, auth: AuthInfo | undefined): boolean {
    const missed = session.house.log.after(session.id, this.#seen);
    return this.#carry(session, exchange, missed?.events ?? [], auth);
  }

  /** Goes on over another connection. */
  resume(session: Session, exchange: Exchange, { events }: Replay, auth: AuthInfo | undefined): boolean {
    this.stop();
    return this.#carry(session, exchange, events, auth);
  }

  stop(): void {
    this.#events?.end();
  }

  /** The stream ends when its token expires. The client comes back with another, and misses nothing. */
  #carry(session: Session, exchange: Exchange, missed: Replay['events'], auth: AuthInfo | undefined): boolean {
    const closed = (stream: EventStream): void => {
      if (this.#events === stream) this.#events = undefined;
    };
    const events = session.beginStream(exchange, { closed, auth });
    if (events === undefined) return false;
    this.#events = events;
    // Something must be written for the head to be sent, and something with an id to come back to.
    if (missed.length === 0) events.write(greeting(session));
    for (const kept of missed) events.write(session.frame(kept));
    this.#seen = missed.at(-1)?.id ?? this.#seen;
    return true;
  }
}

function greeting({ dialect, house }: Session): string {
  return dialect?.http.priming ? primingFrame(house.log.mark(LISTENING), house.bounds.retry) : KEEP_ALIVE;
}
