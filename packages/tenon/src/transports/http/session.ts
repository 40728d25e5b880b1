import type { Conversation } from '../../conversation/service.js';
import type { Dialect } from '../../dialects/dialect.js';
import type { AuthInfo, Channel, Receiver, SendOptions } from '../../jsonrpc/channel.js';
import { TenonError } from '../../jsonrpc/error.js';
import { textOf } from '../../jsonrpc/lasting.js';
import type { Id, Message, Response } from '../../jsonrpc/message.js';
import { Roster } from '../../jsonrpc/roster.js';
import type { Exchange, HeaderFields } from './exchange.js';
import { onExpiry } from './expiry.js';
import { LISTENING, Listening } from './listening.js';
import type { Kept } from './replay.js';
import type { Road } from './road.js';
import { eventFrame, KEEP_ALIVE } from './sse-frame.js';
import type { EventStream } from './streams.js';
import type { Turn } from './turn.js';

const PEER = 'HTTP client';

interface StreamOptions {
  /** Tells whether the answer opens the session. */
  readonly opening?: boolean;
  /** The authorization with which the stream ends. */
  readonly auth?: AuthInfo | undefined;
  readonly closed?: (stream: EventStream) => void;
}

/**
 * A session as a channel. There may be very many that idle: it is an object with few fields and shared methods, and what
 * only a busy one needs is made when it is needed.
 */
export class Session implements Channel {
  readonly id: string;
  /** Tells whether it outlives the POST that opened it. */
  readonly kept: boolean;
  readonly house: Road;
  readonly auth: AuthInfo | undefined;
  /** The caller whose share of the limits it uses up. */
  readonly caller: string;
  /** When it last did something. */
  touched: number;
  conversation: Conversation | undefined;
  receiver: Receiver | undefined;
  #turns: Roster<Turn> | undefined;
  #listening: Listening | undefined;
  #streams = 0;
  #open = 0;
  #ended: ((session: Session) => void) | undefined;

  constructor(
    id: string,
    house: Road,
    auth: AuthInfo | undefined,
    caller: string,
    ended: (session: Session) => void,
    kept = true,
  ) {
    this.kept = kept;
    this.id = id;
    this.house = house;
    this.auth = auth;
    this.caller = caller;
    this.touched = house.clock.now();
    this.#ended = ended;
  }

  get peer(): string {
    return PEER;
  }

  get dialect(): Dialect | undefined {
    return this.conversation?.dialect;
  }

  get acceptsBatches(): boolean {
    return this.conversation?.batches?.() ?? this.dialect?.http.batches === true;
  }

  get headers(): HeaderFields | undefined {
    return this.kept ? { 'mcp-session-id': this.id } : undefined;
  }

  get busy(): boolean {
    return this.#turns !== undefined || this.#open > 0 || (this.conversation?.inFlight ?? 0) > 0;
  }

  get listening(): boolean {
    return this.#listening?.open ?? false;
  }

  open(receiver: Receiver): void {
    if (this.#ended === undefined) throw closedError();
    this.receiver = receiver;
  }

  send(message: Message | readonly Response[], options?: SendOptions): void | Promise<void> {
    if (this.#ended === undefined) return Promise.reject(closedError());
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
    // A client without a session has no stream for what belongs to no request.
    if (!this.kept) return undefined;
    this.#listening ??= new Listening();
    return this.#listening.say(this, JSON.stringify(message));
  }

  close(): void {
    this.end();
  }

  /** Where the revision has it. The client comes back after the retry time and resumes the stream. */
  hangUp(relatedTo: Id): boolean {
    const turn = this.#turns?.get(relatedTo);
    return turn !== undefined && this.dialect?.http.priming === true && turn.hangUp(this);
  }

  unanswered(relatedTo: Id): void {
    this.#settle(relatedTo)?.dismiss();
    if (!this.kept && this.waiting === 0) this.end();
  }

  /** Lets go of those who wait for answers that nobody is working on. */
  dismissStray(): void {
    if (this.conversation?.inFlight !== 0) return;
    for (const [id] of this.#turns?.entries() ?? []) this.unanswered(id);
  }

  /** Tells whether it may have so many more unanswered requests: within its own limit, and within its caller's share of all. */
  hasRoomFor(requests: number): boolean {
    const { bounds, traffic } = this.house;
    return this.waiting + requests <= bounds.requests && traffic.fits(this.caller, requests);
  }

  /** Takes note of who waits for an answer. Returns `false` when that id is waited for already, or when there is no room. */
  expect(id: Id, turn: Turn): boolean {
    this.#turns ??= new Roster();
    if (this.#turns.has(id) || !this.house.traffic.enter(this.caller)) return false;
    this.#turns.set(id, turn);
    return true;
  }

  get waiting(): number {
    return this.#turns?.size ?? 0;
  }

  waitsFor(id: Id): boolean {
    return this.#turns?.has(id) ?? false;
  }

  /** Opens the stream that answers an exchange. `undefined` when there are too many. */
  beginStream(exchange: Exchange, { opening, auth, closed }: StreamOptions): EventStream | undefined {
    if (this.#open >= this.house.bounds.sessionStreams) return undefined;
    let cancelExpiry = (): void => {};
    const stream = this.house.streams.begin(exchange, this.caller, opening ? this.headers : undefined, ended => {
      this.#open--;
      this.touched = this.house.clock.now();
      cancelExpiry();
      closed?.(ended);
    });
    if (stream === undefined) return undefined;
    this.#open++;
    cancelExpiry = onExpiry(this.house.clock, auth, () => stream.end());
    return stream;
  }

  /** The authorization with which a stream of answers ends: only where clients know to come back and resume it. */
  expiring(auth: AuthInfo | undefined): AuthInfo | undefined {
    return this.dialect?.http.priming === true ? auth : undefined;
  }

  nextStream(): number {
    return ++this.#streams;
  }

  /** Keeps a message for resumption. Returns its event id, where the revision has any. */
  keep(stream: number, text: string): string | undefined {
    return this.dialect?.http.sessions ? this.house.log.append(this.id, stream, text) : undefined;
  }

  /** Lets the client listen, from where it left off. Returns `false` when there are too many streams. */
  listen(exchange: Exchange, auth: AuthInfo | undefined): boolean {
    this.#listening ??= new Listening();
    return this.#listening.begin(this, exchange, auth);
  }

  /** Goes on with a stream after an event. */
  resume(exchange: Exchange, eventId: string, auth: AuthInfo | undefined): 'resumed' | 'unknown' | 'full' {
    const replay = this.house.log.after(this.id, eventId);
    if (replay === undefined) return 'unknown';
    if (replay.stream === LISTENING) {
      this.#listening ??= new Listening();
      return this.#listening.resume(this, exchange, replay, auth) ? 'resumed' : 'full';
    }
    const turn = this.#turnOf(replay.stream);
    if (turn === undefined && replay.events.length === 0) return 'unknown';
    const closed = (ended: EventStream) => turn?.detach(ended);
    const stream = this.beginStream(exchange, { closed, auth: this.expiring(auth) });
    if (stream === undefined) return 'full';
    if (replay.events.length === 0) stream.write(KEEP_ALIVE);
    for (const kept of replay.events) stream.write(this.frame(kept));
    if (turn === undefined) stream.end();
    else turn.attach(stream);
    return 'resumed';
  }

  /** How a message that was kept is written: with its id, where the revision has ids. */
  frame({ id, text }: Kept): string {
    return eventFrame(text, this.dialect?.http.sessions ? id : undefined);
  }

  /** Ends the stream that belongs to no request. */
  stopListening(): void {
    this.#listening?.stop();
  }

  end(): void {
    const ended = this.#ended;
    if (ended === undefined) return;
    this.#ended = undefined;
    ended(this);
    this.stopListening();
    for (const [id, turn] of this.#turns?.entries() ?? []) {
      turn.abandon(id, this.kept);
      this.house.traffic.leave(this.caller);
    }
    this.#turns = undefined;
    if (this.kept) this.house.log.drop(this.id);
    this.conversation?.end();
    this.receiver?.closed();
  }

  #respond(response: Response): void | Promise<void> {
    // Before anything is settled: what can not be written leaves room for an answer that can.
    const text = textOf(response);
    const turn = this.#settle(response.id);
    if (turn === undefined) return undefined;
    // What the server says of itself is no sign of life of the client's.
    this.touched = this.house.clock.now();
    const refused = turn.opening && 'error' in response;
    const room = turn.answer(this, text, 'error' in response ? response.error : undefined);
    // A session that nobody knows of is none.
    if (turn.opening && (refused || turn.exchange.gone)) this.end();
    if (!this.kept && this.waiting === 0) this.end();
    return room;
  }

  #settle(id: Id | null | undefined): Turn | undefined {
    const turn = id === undefined || id === null ? undefined : this.#turns?.get(id);
    if (turn === undefined) return undefined;
    this.#turns?.delete(id as Id);
    if (this.#turns?.size === 0) this.#turns = undefined;
    this.house.traffic.leave(this.caller);
    return turn;
  }

  #turnOf(stream: number): Turn | undefined {
    return this.#turns?.entries().find(([, turn]) => turn.stream === stream)?.[1];
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
