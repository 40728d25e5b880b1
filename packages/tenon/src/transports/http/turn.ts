import type { AuthInfo, Envelope } from '../../jsonrpc/channel.js';
import type { ErrorObject, Id, Message } from '../../jsonrpc/message.js';
import { acceptsStreamOnly } from './accept.js';
import type { Exchange } from './exchange.js';
import { invalidRequest, refuse, refuseBusy } from './refusal.js';
import type { Session } from './session.js';
import { EVENT_STREAM, eventFrame, primingFrame } from './sse-frame.js';
import type { EventStream } from './streams.js';

/**
 * One POST of a session that waits for answers. It becomes a stream when something is to be said before they are there,
 * and the stream outlives its connection: what it would have carried can be fetched by resuming it.
 */
export class Turn implements Envelope {
  readonly exchange: Exchange;
  /** Whether its request opens the session. */
  readonly opening: boolean;
  readonly auth: AuthInfo | undefined;
  /** The answers of a batch, as they are written, until all are there. */
  readonly #batch: string[] | undefined;
  /** The stream's number in its session; 0 until there is one. */
  stream = 0;
  #events: EventStream | undefined;
  #waiting: number;

  constructor(exchange: Exchange, waiting: number, kind: 'single' | 'batch' | 'opening', auth?: AuthInfo) {
    this.exchange = exchange;
    this.auth = auth;
    this.#waiting = waiting;
    this.#batch = kind === 'batch' ? [] : undefined;
    this.opening = kind === 'opening';
  }

  get request(): Exchange {
    return this.exchange;
  }

  /** Adds an answer to a batch that is known before any of its requests run. */
  addAnswer(text: string): void {
    this.#batch?.push(text);
  }

  /** Carries a message that belongs to the request. Returns `false` when there is no way to. */
  speak(session: Session, message: Message): false | void | Promise<void> {
    if (!this.#begin(session)) return false;
    return this.#event(session, JSON.stringify(message));
  }

  /** Carries an answer, and ends with the last one. */
  answer(session: Session, text: string, error: ErrorObject | undefined): void | Promise<void> {
    this.#waiting--;
    if (this.stream === 0 && !this.#mustStream(session, error)) return this.#plain(session, text, error);
    const room = this.#event(session, text);
    if (this.#waiting === 0) this.#events?.end();
    return room;
  }

  /** Ends the connection; the stream goes on when the client resumes it. */
  hangUp(session: Session): boolean {
    if (!this.#begin(session)) return false;
    this.#events?.end();
    this.#events = undefined;
    return true;
  }

  /** Goes on over another connection. */
  attach(events: EventStream): void {
    this.#events?.end();
    this.#events = events;
  }

  detach(events: EventStream): void {
    if (this.#events === events) this.#events = undefined;
  }

  /** One of the answers will not come. */
  dismiss(): void {
    this.#waiting--;
    if (this.#waiting > 0) return;
    if (this.stream !== 0) this.#events?.end();
    else if (this.exchange.gone) return;
    else if (this.#batch !== undefined && this.#batch.length > 0) this.exchange.reply(200, asBatch(this.#batch));
    else this.exchange.stream(200, { 'content-type': EVENT_STREAM }).end();
  }

  /** The session is over: no answer will come. */
  abandon(id: Id, kept: boolean): void {
    if (this.stream !== 0) this.#events?.end();
    else if (this.exchange.gone) return;
    else if (!kept) refuseBusy(this.exchange, 'The server is going down', id);
    else refuse(this.exchange, 404, invalidRequest('The session has ended'), id);
  }

  /** Begins the stream for a client that accepts nothing else. Errors that open no session or need a status are JSON. */
  #mustStream(session: Session, error: ErrorObject | undefined): boolean {
    if (this.exchange.gone || !acceptsStreamOnly(this.exchange.header('accept'))) return false;
    return (error === undefined || this.#batch !== undefined) && this.#begin(session);
  }

  #begin(session: Session): boolean {
    if (this.stream !== 0) return true;
    const closed = (stream: EventStream): void => this.detach(stream);
    const { exchange, opening } = this;
    const events = session.beginStream(exchange, { opening, closed, auth: session.expiring(this.auth) });
    if (events === undefined) return false;
    this.#events = events;
    this.stream = session.nextStream();
    const { http } = session.dialect ?? {};
    if (http?.priming) events.write(primingFrame(session.house.log.mark(this.stream), session.house.bounds.retry));
    // Answers of the batch that were ready before go first.
    for (const text of this.#batch?.splice(0) ?? []) this.#event(session, text);
    return true;
  }

  #event(session: Session, text: string): void | Promise<void> {
    const id = session.keep(this.stream, text);
    return this.#events?.write(eventFrame(text, id));
  }

  #plain(session: Session, text: string, error: ErrorObject | undefined): void {
    if (this.#batch !== undefined) {
      this.#batch.push(text);
      if (this.#waiting > 0) return;
    }
    if (this.exchange.gone) return;
    if (this.#batch !== undefined) return this.exchange.reply(200, asBatch(this.#batch));
    const challenge = error && session.house.challenge(this.exchange, error);
    if (challenge) return this.exchange.reply(403, text, challenge);
    this.exchange.reply(200, text, this.opening && error === undefined ? session.headers : undefined);
  }
}

function asBatch(texts: readonly string[]): string {
  return `[${texts.join(',')}]`;
}
