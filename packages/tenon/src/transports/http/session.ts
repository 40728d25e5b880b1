import type { Conversation } from '../../conversation/service.js';
import type { Dialect } from '../../dialects/dialect.js';
import type { AuthInfo, Channel, Receiver, SendOptions } from '../../jsonrpc/channel.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { Id, Message, Response } from '../../jsonrpc/message.js';
import type { Exchange, HeaderFields } from './exchange.js';
import { beginning, type Kept } from './replay.js';
import type { Road } from './road.js';
import { eventFrame, KEEP_ALIVE, primingFrame } from './sse-frame.js';
import type { EventStream } from './streams.js';
import type { Turn } from './turn.js';

/** The channel of a session, with what only HTTP can do. */
export interface SessionChannel extends Channel {
  /**
   * Ends the connection on which the client waits for the answer to `relatedTo`, to be asked for it later: the client
   * comes back after the retry time and resumes the stream. Returns `false` where the revision has no such thing.
   */
  hangUp(relatedTo: Id): boolean;
  /** No answer will come to the request `relatedTo`: nobody need wait for it any more. */
  unanswered(relatedTo: Id): void;
}

const PEER = 'HTTP client';

/** The stream that belongs to no request. */
const STANDALONE = 0;

/**
 * A session as a channel. There may be very many that idle: it is an object with few fields and shared methods, and what
 * only a busy one needs is made when it is needed.
 */
export class Session implements SessionChannel {
  readonly id: string;
  readonly house: Road;
  readonly principal: string | undefined;
  /** When it last did something. */
  touched: number;
  conversation: Conversation | undefined;
  receiver: Receiver | undefined;
  #turns: Map<Id, Turn> | undefined;
  #standalone: EventStream | undefined;
  #seen: string | undefined;
  #streams = 0;
  #open = 0;
  #ended: ((session: Session) => void) | undefined;

  constructor(id: string, house: Road, auth: AuthInfo | undefined, ended: (session: Session) => void) {
    this.id = id;
    this.house = house;
    this.principal = auth?.principal;
    this.touched = house.clock.now();
    this.#ended = ended;
  }

  get peer(): string {
    return PEER;
  }

  get dialect(): Dialect | undefined {
    return this.conversation?.dialect;
  }

  get headers(): HeaderFields {
    return { 'mcp-session-id': this.id };
  }

  get busy(): boolean {
    return this.#turns !== undefined || this.#open > 0 || (this.conversation?.inFlight ?? 0) > 0;
  }

  get listening(): boolean {
    return this.#standalone !== undefined;
  }

  open(receiver: Receiver): void {
    if (this.#ended === undefined) throw closedError();
    this.receiver = receiver;
  }

  send(message: Message | readonly Response[], options?: SendOptions): void | Promise<void> {
    if (this.#ended === undefined) return Promise.reject(closedError());
    this.touched = this.house.clock.now();
    if (isBatch(message)) {
      for (const response of message) this.#respond(response);
      return undefined;
    }
    if (!('method' in message)) return this.#respond(message);
    const turn = options?.relatedTo === undefined ? undefined : this.#turns?.get(options.relatedTo);
    const spoken = turn?.speak(this, message);
    if (turn !== undefined && spoken !== false) return spoken;
    // What belongs to a request that nobody waits for any more is worth sending only if it wants an answer.
    if (turn !== undefined && !('id' in message)) return undefined;
    return this.#sendAlone(JSON.stringify(message));
  }

  close(): void {
    this.end();
  }

  hangUp(relatedTo: Id): boolean {
    const turn = this.#turns?.get(relatedTo);
    return turn !== undefined && this.dialect?.http.priming === true && turn.hangUp(this);
  }

  unanswered(relatedTo: Id): void {
    this.#settle(relatedTo)?.dismiss();
  }

  /** Lets go of those who wait for answers that nobody is working on. */
  dismissStray(): void {
    if (this.conversation?.inFlight !== 0) return;
    for (const id of this.#turns?.keys() ?? []) this.unanswered(id);
  }

  /** Takes note of who waits for an answer. Returns `false` when that id is waited for already. */
  expect(id: Id, turn: Turn): boolean {
    this.#turns ??= new Map();
    if (this.#turns.has(id)) return false;
    this.#turns.set(id, turn);
    this.house.traffic.enter();
    return true;
  }

  get waiting(): number {
    return this.#turns?.size ?? 0;
  }

  waitsFor(id: Id): boolean {
    return this.#turns?.has(id) ?? false;
  }

  /** Opens the stream that answers an exchange. `undefined` when there are too many. */
  beginStream(exchange: Exchange, opening: boolean, closed?: (stream: EventStream) => void): EventStream | undefined {
    if (this.#open >= this.house.bounds.sessionStreams) return undefined;
    const stream = this.house.streams.begin(exchange, opening ? this.headers : undefined, ended => {
      this.#open--;
      this.touched = this.house.clock.now();
      closed?.(ended);
    });
    if (stream !== undefined) this.#open++;
    return stream;
  }

  nextStream(): number {
    return ++this.#streams;
  }

  /** Keeps a message for resumption. Returns its event id, where the revision has any. */
  keep(stream: number, text: string): string | undefined {
    return this.dialect?.http.sessions ? this.house.log.append(this.id, stream, text) : undefined;
  }

  /** Lets the client listen, from where it left off. Returns `false` when there are too many streams. */
  listen(exchange: Exchange): boolean {
    const stream = this.#beginStandalone(exchange);
    if (stream === undefined) return false;
    const missed = this.house.log.after(this.id, this.#seen ?? beginning(STANDALONE))?.events ?? [];
    this.#greet(stream);
    this.#replay(stream, missed);
    this.#seen = missed.at(-1)?.id ?? this.#seen;
    return true;
  }

  /** Goes on with a stream after an event. */
  resume(exchange: Exchange, eventId: string): 'resumed' | 'unknown' | 'full' {
    const replay = this.house.log.after(this.id, eventId);
    if (replay === undefined) return 'unknown';
    const turn = this.#turnOf(replay.stream);
    const live = turn !== undefined || replay.stream === STANDALONE;
    if (!live && replay.events.length === 0) return 'unknown';
    if (replay.stream === STANDALONE) this.#standalone?.end();
    const stream =
      replay.stream === STANDALONE
        ? this.#beginStandalone(exchange)
        : this.beginStream(exchange, false, closed => turn?.detach(closed));
    if (stream === undefined) return 'full';
    if (replay.events.length === 0) stream.write(KEEP_ALIVE);
    this.#replay(stream, replay.events);
    if (replay.stream === STANDALONE) this.#seen = replay.events.at(-1)?.id ?? this.#seen;
    else if (turn !== undefined) turn.attach(stream);
    else stream.end();
    return 'resumed';
  }

  /** Ends the stream that belongs to no request. */
  stopListening(): void {
    this.#standalone?.end();
    this.#standalone = undefined;
  }

  end(): void {
    const ended = this.#ended;
    if (ended === undefined) return;
    this.#ended = undefined;
    ended(this);
    this.stopListening();
    for (const [id, turn] of this.#turns ?? []) {
      turn.abandon(id);
      this.house.traffic.leave();
    }
    this.#turns = undefined;
    this.house.log.drop(this.id);
    this.conversation?.end();
    this.receiver?.closed();
  }

  #respond(response: Response): void | Promise<void> {
    const turn = this.#settle(response.id);
    if (turn === undefined) return undefined;
    const refused = turn.opening && 'error' in response;
    const room = turn.answer(this, response);
    // A session that nobody knows of is none.
    if (turn.opening && (refused || turn.exchange.gone)) this.end();
    return room;
  }

  #settle(id: Id | null | undefined): Turn | undefined {
    const turn = id === undefined || id === null ? undefined : this.#turns?.get(id);
    if (turn === undefined) return undefined;
    this.#turns?.delete(id as Id);
    if (this.#turns?.size === 0) this.#turns = undefined;
    this.house.traffic.leave();
    return turn;
  }

  #sendAlone(text: string): void | Promise<void> {
    const id = this.house.log.append(this.id, STANDALONE, text);
    if (this.#standalone === undefined) return undefined;
    this.#seen = id;
    return this.#standalone.write(eventFrame(text, this.#withId(id)));
  }

  #beginStandalone(exchange: Exchange): EventStream | undefined {
    const stream = this.beginStream(exchange, false, closed => {
      if (this.#standalone === closed) this.#standalone = undefined;
    });
    if (stream !== undefined) this.#standalone = stream;
    return stream;
  }

  /** Something must be written for the head to be sent. */
  #greet(stream: EventStream): void {
    const { bounds, log } = this.house;
    stream.write(this.dialect?.http.priming ? primingFrame(log.mark(STANDALONE), bounds.retry) : KEEP_ALIVE);
  }

  #replay(stream: EventStream, events: readonly Kept[]): void {
    for (const { id, text } of events) stream.write(eventFrame(text, this.#withId(id)));
  }

  #withId(id: string): string | undefined {
    return this.dialect?.http.sessions ? id : undefined;
  }

  #turnOf(stream: number): Turn | undefined {
    for (const turn of this.#turns?.values() ?? []) if (turn.stream === stream) return turn;
    return undefined;
  }
}

function isBatch(message: Message | readonly Response[]): message is readonly Response[] {
  return Array.isArray(message);
}

function closedError(): TenonError {
  return new TenonError('connection/closed', 'the session has ended', {
    peer: PEER,
    next: 'stop sending: the client opens a new session if it wants more',
  });
}
