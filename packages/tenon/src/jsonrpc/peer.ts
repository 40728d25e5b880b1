import { type CallOptions, Calls, type ParamsOf } from './calls.js';
import type { Channel, Envelope, Receiver, SendOptions } from './channel.js';
import type { Clock } from './clock.js';
import { INVALID_REQUEST, PARSE_ERROR } from './codes.js';
import { asErrors, isForPeer, isSessionLoss, TenonError, toErrorObject, toSuccess } from './error.js';
import { follow, rescue } from './follow.js';
import type { Hands } from './hands.js';
import { Jobs, type Reply } from './jobs.js';
import {
  failure,
  type Id,
  isAnswer,
  type JsonObject,
  kindOf,
  malformation,
  type Notification,
  notification,
  type Request,
  type Response,
  request,
  withoutNulls,
} from './message.js';
import * as errors from './peer-errors.js';
import type { Running } from './running.js';

const PROGRESS = 'notifications/progress';
const ignore = (): void => {};
/** One end of a channel: gives ids, keeps what is pending, runs what comes, and survives whatever comes. */
export class Peer implements Receiver {
  readonly channel: Channel;
  readonly #hands: Hands;
  readonly #clock: Clock;
  /** These two are there when there are any: many sessions idle, and most clients are never asked anything. */
  #calls: Calls | undefined;
  #jobs: Jobs | undefined;
  /** Set once the peer no longer knows the session: what is sent after that would be refused, or belong to none. */
  #sessionError: TenonError | undefined;
  #hasSign = false;
  #isClosed = false;
  #hasEnded = false;

  constructor(channel: Channel, hands: Hands, clock: Clock) {
    this.channel = channel;
    this.#hands = hands;
    this.#clock = clock;
  }

  /** The other end, as errors name it. */
  get peer(): string {
    return this.#hands.peer ?? this.channel.peer;
  }

  /** How many requests of the peer are being worked on. */
  get inFlight(): number {
    return this.#jobs?.size ?? 0;
  }

  /** Counts the handlers that run, those included whose request was cancelled. */
  get activeHandlers(): number {
    return this.#jobs?.working ?? 0;
  }

  /** How many requests of ours wait for their answer. */
  get waiting(): number {
    return this.#calls?.size ?? 0;
  }

  open(): void | Promise<void> {
    return this.channel.open(this);
  }

  /** Sends a request and waits for its result. Rejects with the peer's error, or with why there will be no answer. */
  call(method: string, params: ParamsOf, options: CallOptions = {}): Promise<JsonObject> {
    this.#calls ??= new Calls(this.#clock, this);
    const id = this.#calls.nextId();
    const answer = this.#calls.wait(id, method, options);
    if (this.#calls.has(id)) this.#send(id, method, params, options);
    return answer;
  }

  #send(id: Id, method: string, params: ParamsOf, options: CallOptions): void {
    const failed = (error: unknown): void => {
      this.#calls?.fail(id, this.#toSendError(error, method));
    };
    try {
      if (this.#sessionError) throw this.#sessionError;
      const given = typeof params === 'function' ? params(id) : params;
      const sent = this.channel.send(request(id, method, given), options.send);
      if (sent) sent.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  /** Sends a notification. A road that has ended makes it vanish: nobody waits for it. */
  notify(method: string, params?: JsonObject, options?: SendOptions): void | Promise<void> {
    if (this.#sessionError) return;
    if (method === PROGRESS) this.#jobs?.delayAnswer(options?.relatedTo, this.channel, this.#clock);
    return rescue(
      () => this.channel.send(notification(method, params), options),
      error => this.#reportSendError(error, method),
    );
  }

  /** Every failed send passes here, so that any of them can tell that the session is lost. */
  #toSendError(error: unknown, method?: string): TenonError {
    const sendError = TenonError.from(error, 'connection/send', { peer: this.peer, method });
    if (isSessionLoss(sendError)) this.onSessionLost(sendError);
    return sendError;
  }

  /** After the end of this peer a closed connection is no problem: it was meant to be closed. */
  #reportSendError(error: unknown, method?: string): void {
    const sendError = this.#toSendError(error, method);
    if (!this.#hasEnded || sendError.code !== 'connection/closed') this.#problem(sendError);
  }

  /** Tells that the peer still works on a request of ours: its idle time starts anew. False when it is answered. */
  touch(id: Id, progress?: JsonObject): boolean {
    return this.#calls?.touch(id, progress) ?? false;
  }

  /** Stops the work on a request of the peer, when it is still being worked on. No answer follows. */
  cancel(id: Id, reason?: string): boolean {
    const cancelled = this.#jobs?.cancel(id, reason) ?? false;
    if (cancelled) this.#safely(() => this.channel.unanswered?.(id));
    return cancelled;
  }

  /** Aborts all work for the peer and rejects all that waits for it. */
  end(error?: TenonError): void {
    this.#hasEnded = true;
    this.#calls?.failAll(error ?? new TenonError('connection/closed', 'the connection is closed', { peer: this.peer }));
    this.#jobs?.cancelAll('the connection ended');
  }

  /** Tells whether a message came since the last call of this. */
  takeSign(): boolean {
    const hasSign = this.#hasSign;
    this.#hasSign = false;
    return hasSign;
  }

  message(value: unknown, envelope?: Envelope): void {
    this.#hasSign = true;
    if (Array.isArray(value)) return void this.#batch(value, envelope);
    this.#one(value, envelope, response => this.#reply(response));
  }

  unreadable(error: TenonError): void {
    const code = error.rpc ?? PARSE_ERROR;
    const message = code === PARSE_ERROR ? 'Parse error' : 'Invalid request';
    this.#refuse(undefined, code, message, response => this.#reply(response));
    this.#problem(error);
  }

  lost(id: Id, error: TenonError): void {
    this.#calls?.fail(id, error);
  }

  onSessionLost(error: TenonError): void {
    if (this.#sessionError) return;
    this.#sessionError = error;
    this.#safely(() => this.#hands.onSessionLost?.(error));
  }

  closed(error?: TenonError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.end(error);
    this.#safely(() => this.#hands.closed(error));
  }

  #one(value: unknown, envelope: Envelope | undefined, reply: Reply): void {
    switch (kindOf(value)) {
      case 'request':
        return this.#run(withoutNulls(value as Request), envelope, reply);
      case 'notification':
        this.#safely(() => this.#hands.notification(withoutNulls(value as Notification), envelope));
        return reply(undefined);
      case 'success':
      case 'failure':
        this.#settle(withoutNulls(value as Response));
        return reply(undefined);
      default:
        return this.#malformed(value, reply);
    }
  }

  #batch(values: unknown[], envelope?: Envelope): void {
    const batches = this.#hands.batches();
    if (batches === 'split' && values.length > 0) {
      for (const value of values) this.#one(value, envelope, response => this.#reply(response));
      return;
    }
    if (batches !== true || values.length === 0 || values.length > errors.MAX_BATCH) {
      return this.#refuseBatch(values, errors.describeBatchFault(values));
    }
    const answers: Response[] = [];
    let left = values.length;
    const collect = (response: Response | undefined) => {
      if (response) answers.push(response);
      if (--left === 0 && answers.length > 0) this.#reply(answers);
    };
    for (const value of values) this.#one(value, envelope, collect);
  }

  /** Answers each request of a batch, so that the peer waits for none of them. Answers to requests of ours are taken. */
  #refuseBatch(values: unknown[], message: string): void {
    const ids = values.flatMap(value => malformation(value).id ?? []);
    for (const id of ids.length === 0 ? [undefined] : ids)
      this.#refuse(id, INVALID_REQUEST, message, response => this.#reply(response));
    for (const value of values) if (isAnswer(value)) this.#one(value, undefined, () => {});
  }

  #settle(response: Response): void {
    if (response.id === undefined || response.id === null) {
      const { message } = (response as { error: { message: string } }).error;
      this.#problem(errors.createUnreadableError(this.peer, message));
    } else if (!this.#calls?.settle(response)) {
      this.#problem(errors.createUnaskedError(this.peer, response.id));
    }
  }

  #malformed(value: unknown, reply: Reply): void {
    const { id, why } = malformation(value);
    const error = new TenonError('peer/malformed', `sent something that is no message: ${why}`, { peer: this.peer });
    // A broken answer is still the only one that its call gets: waiting on would be in vain.
    if (isAnswer(value) && this.#calls?.fail(value.id, error)) return reply(undefined);
    this.#problem(error);
    this.#refuse(id, INVALID_REQUEST, `Invalid request: ${why}`, reply);
  }

  #refuse(id: Id | undefined, code: number, message: string, reply: Reply): void {
    const unreadable = this.#hands.unreadableId();
    if ((id === undefined && unreadable === false) || this.#mayNotAnswer()) return reply(undefined);
    reply(failure(id ?? (unreadable === null ? null : undefined), { code, message }));
  }

  #run(incoming: Request, envelope: Envelope | undefined, reply: Reply): void {
    if (this.#mayNotAnswer()) {
      this.#problem(errors.createMayNotAskError(this.peer, incoming.method));
      return reply(undefined);
    }
    this.#jobs ??= new Jobs();
    const jobs = this.#jobs;
    const refusal = jobs.refusal(incoming.id);
    if (refusal) return reply(failure(incoming.id, refusal));
    const work = (running: Running) => this.#answer(incoming, running, envelope);
    jobs.start(incoming.id, work, reply, running => {
      if (jobs.working === 0) this.#jobs = undefined;
      this.#safely(() => running.done());
    });
  }

  #mayNotAnswer(): boolean {
    return this.#hands.mayAnswer?.() === false;
  }

  #answer(incoming: Request, running: Running, envelope?: Envelope): Response | Promise<Response> {
    return rescue<Response>(
      () => follow(this.#hands.request(incoming, running, envelope), result => toSuccess(incoming, result)),
      error => {
        if (!isForPeer(error)) {
          this.#problem(TenonError.from(error, 'handler/threw', { peer: this.peer, method: incoming.method }));
        }
        return failure(incoming.id, toErrorObject(error));
      },
    );
  }

  #reply(response: Response | Response[] | undefined): void {
    if (response === undefined || this.#sessionError) return;
    const fail = (error: unknown) => {
      this.#reportSendError(error);
      // What can not be written is answered all the same: the peer would wait for ever.
      if (!this.#sessionError) void rescue(() => this.channel.send(asErrors(response)), ignore);
    };
    void rescue(() => this.channel.send(response), fail);
  }

  /** A listener that throws harms nobody else. */
  #problem(error: TenonError): void {
    try {
      this.#hands.problem(error);
    } catch {
      // Whoever is told of problems can not be told of this one.
    }
  }

  #safely(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.#problem(TenonError.from(error, 'handler/threw', { peer: this.peer }));
    }
  }
}
