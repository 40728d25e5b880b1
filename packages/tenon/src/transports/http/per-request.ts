import type { Loan } from '../../conversation/service.js';
import type { Dialect } from '../../dialects/dialect.js';
import { getCallerKey } from '../../jsonrpc/caller-key.js';
import type { AuthInfo } from '../../jsonrpc/channel.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { textOf } from '../../jsonrpc/lasting.js';
import type { Notification, Request, Response } from '../../jsonrpc/message.js';
import { acceptsStreamOnly } from './accept.js';
import type { Exchange } from './exchange.js';
import { onExpiry } from './expiry.js';
import { checkMirrors } from './mirrors.js';
import { refuse, refuseBusy, statusOf } from './refusal.js';
import type { Road } from './road.js';
import { eventFrame } from './sse-frame.js';
import type { EventStream } from './streams.js';

/**
 * Answers one request that brings all its context along: as JSON when the answer comes first, as a stream when a
 * notification goes ahead of it. Closing the connection gives the request up.
 */
export function answerAlone(
  road: Road,
  exchange: Exchange,
  request: Request,
  dialect: Dialect,
  auth: AuthInfo | undefined,
) {
  const mismatch = checkMirrors(exchange, request, dialect);
  if (mismatch !== undefined) return refuse(exchange, 400, mismatch, request.id);
  const alone = new Alone(road, exchange, request, dialect, auth);
  if (!road.traffic.enter(alone.caller)) return refuseBusy(exchange, 'Too many requests are unanswered', request.id);
  void alone.answer();
}

/** A request that stands alone, on its way to its answer. */
class Alone implements Loan {
  readonly auth: AuthInfo | undefined;
  readonly address: string | undefined;
  /** The caller whose share of the limits it uses up. */
  readonly caller: string;
  readonly #road: Road;
  readonly #exchange: Exchange;
  readonly #request: Request;
  readonly #dialect: Dialect;
  #stream: EventStream | undefined;
  #done = false;
  #callOff: (() => void) | undefined;

  constructor(road: Road, exchange: Exchange, request: Request, dialect: Dialect, auth: AuthInfo | undefined) {
    this.#road = road;
    this.#exchange = exchange;
    this.#request = request;
    this.#dialect = dialect;
    this.auth = auth;
    this.address = road.getAddress(exchange);
    this.caller = getCallerKey(auth, this.address);
  }

  async answer(): Promise<void> {
    try {
      this.#answered(await this.#road.service.answer(this.#request, this.#dialect, this));
    } catch (error) {
      this.#failed(error);
    }
  }

  get fleeting(): boolean {
    return this.#exchange.fleeting === true;
  }

  get request(): Exchange {
    return this.#exchange;
  }

  header(name: string): string | undefined {
    return this.#exchange.header(name);
  }

  send(notification: Notification): void | Promise<void> {
    if (this.#done || this.#exchange.gone) return undefined;
    this.#stream ??= this.#road.streams.begin(this.#exchange, this.caller);
    if (this.#stream !== undefined) return this.#stream.write(eventFrame(JSON.stringify(notification)));
    if (this.#finish()) refuseBusy(this.#exchange, 'Too many streams are open', this.#request.id);
  }

  whenGone(gone: () => void): void {
    if (this.#dialect.http.closeCancels) this.#exchange.whenGone(gone);
  }

  whenEnding(ending: () => void): void {
    if (this.#done) return;
    const { clock, traffic } = this.#road;
    const cancels = [traffic.whenClosing(ending), onExpiry(clock, this.auth, ending)];
    this.#callOff = () => {
      for (const cancel of cancels) cancel();
    };
  }

  #answered(response: Response): void {
    const text = textOf(response);
    if (!this.#finish() || this.#exchange.gone) return;
    if (this.#stream !== undefined) {
      this.#stream.write(eventFrame(text));
      return this.#stream.end();
    }
    if (!('error' in response)) {
      const accept = this.#exchange.header('accept');
      const stream = acceptsStreamOnly(accept) ? this.#road.streams.begin(this.#exchange, this.caller) : undefined;
      if (stream === undefined) return this.#exchange.reply(200, text);
      stream.write(eventFrame(text));
      return stream.end();
    }
    const challenge = this.#road.challenge(this.#exchange, response.error);
    this.#exchange.reply(statusOf(response.error.code), text, challenge);
  }

  #failed(error: unknown): void {
    this.#road.report(error);
    if (!this.#finish()) return;
    if (this.#stream !== undefined) return this.#stream.cut();
    refuse(this.#exchange, 500, { code: INTERNAL_ERROR, message: 'Internal error' }, this.#request.id);
  }

  /** False when it was answered before. */
  #finish(): boolean {
    if (this.#done) return false;
    this.#done = true;
    this.#callOff?.();
    this.#road.traffic.leave(this.caller);
    return true;
  }
}
