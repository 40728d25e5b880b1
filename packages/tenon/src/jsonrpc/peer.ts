import type { Channel, Envelope, Receiver, SendOptions } from './channel.js';
import type { Clock } from './clock.js';
import { INVALID_REQUEST, PARSE_ERROR } from './codes.js';
import { isForPeer, rpcError, TenonError, toErrorObject } from './error.js';
import {
  failure,
  type Id,
  type JsonObject,
  kindOf,
  malformation,
  type Notification,
  notification,
  type Request,
  type Response,
  request,
  success,
} from './message.js';
import { Calls, type Patience } from './calls.js';
import { Running } from './running.js';

/** What a role does with what its peer sends. */
export interface Hands {
  /** Answers one request. What it throws becomes the error that crosses: see `rpcError`. */
  request(request: Request, running: Running, envelope?: Envelope): JsonObject | Promise<JsonObject>;
  notification(notification: Notification, envelope?: Envelope): void;
  /** Something came that is no message, or that answers nothing. The peer goes on. */
  problem(error: TenonError): void;
  /** The road has ended. */
  closed(error?: TenonError): void;
  /** Whether an array of messages is welcome now. */
  batches(): boolean;
  /** What stands for the id of a message that was too broken to have one; `false`: such a message is not answered. */
  unreadableId(): null | undefined | false;
}

export interface CallOptions extends Patience {
  readonly signal?: AbortSignal | undefined;
  readonly send?: SendOptions;
  /** Called when the caller has given up, with the id, so that the peer can be told. */
  readonly onAbandoned?: (id: Id, error: TenonError) => void;
}

/** The params of a request; a function where they name its id, as a progress token does. */
export type ParamsOf = JsonObject | undefined | ((id: Id) => JsonObject);

const MAX_BATCH = 50;

/** One end of a channel: gives ids, keeps what is pending, runs what comes, and survives whatever comes. */
export class Peer implements Receiver {
  readonly channel: Channel;
  readonly #hands: Hands;
  readonly #calls: Calls;
  #running: Map<Id, Running> | undefined;

  constructor(channel: Channel, hands: Hands, clock: Clock) {
    this.channel = channel;
    this.#hands = hands;
    this.#calls = new Calls(clock);
  }

  /** How many requests of the peer are being worked on. */
  get inFlight(): number {
    return this.#running?.size ?? 0;
  }

  open(): void | Promise<void> {
    return this.channel.open(this);
  }

  /** Sends a request and waits for its result. Rejects with the peer's error, or with why there will be no answer. */
  call(method: string, params: ParamsOf, options: CallOptions = {}): Promise<JsonObject> {
    const id = this.#calls.nextId();
    const answer = this.#calls.wait(id, { ...options, method, peer: this.channel.peer });
    void this.#dispatch(id, method, typeof params === 'function' ? params(id) : params, options);
    return answer;
  }

  async #dispatch(id: Id, method: string, params: JsonObject | undefined, options: CallOptions): Promise<void> {
    try {
      await this.channel.send(request(id, method, params), options.send);
    } catch (error) {
      this.#calls.fail(id, TenonError.from(error, 'connection/send', { peer: this.channel.peer, method }));
    }
  }

  /** Sends a notification. A road that has ended makes it vanish: nobody waits for it. */
  async notify(method: string, params?: JsonObject, options?: SendOptions): Promise<void> {
    try {
      await this.channel.send(notification(method, params), options);
    } catch (error) {
      this.#hands.problem(TenonError.from(error, 'connection/send', { peer: this.channel.peer, method }));
    }
  }

  /** Tells that the peer still works on a request of ours: its idle time starts anew. */
  touch(id: Id): void {
    this.#calls.touch(id);
  }

  /** Stops the work on a request of the peer, when it is still being worked on. No answer follows. */
  cancel(id: Id, reason?: string): boolean {
    const running = this.#running?.get(id);
    running?.cancel(reason);
    return running !== undefined;
  }

  /** Aborts all work for the peer and rejects all that waits for it. */
  end(error?: TenonError): void {
    this.#calls.failAll(error ?? this.#closedError());
    for (const running of this.#running?.values() ?? []) running.cancel('the connection ended');
  }

  message(value: unknown, envelope?: Envelope): void {
    if (Array.isArray(value)) return void this.#batch(value, envelope);
    this.#one(value, envelope, response => this.#reply(response));
  }

  unreadable(error: TenonError): void {
    this.#refuse(undefined, PARSE_ERROR, 'Parse error', response => this.#reply(response));
    this.#hands.problem(error);
  }

  lost(id: Id, error: TenonError): void {
    this.#calls.fail(id, error);
  }

  closed(error?: TenonError): void {
    this.end(error);
    this.#hands.closed(error);
  }

  #one(value: unknown, envelope: Envelope | undefined, reply: (response: Response | undefined) => void): void {
    switch (kindOf(value)) {
      case 'request':
        return this.#run(value as Request, envelope, reply);
      case 'notification':
        this.#hands.notification(value as Notification, envelope);
        return reply(undefined);
      case 'success':
      case 'failure':
        this.#settle(value as Response);
        return reply(undefined);
      default:
        return this.#malformed(value, reply);
    }
  }

  #batch(values: unknown[], envelope?: Envelope): void {
    if (!this.#hands.batches() || values.length === 0 || values.length > MAX_BATCH) {
      const why = values.length > MAX_BATCH ? `a batch of more than ${MAX_BATCH} messages` : 'a batch is no message';
      this.#refuse(undefined, INVALID_REQUEST, `Invalid request: ${why}`, response => this.#reply(response));
      return;
    }
    const answers: Response[] = [];
    let left = values.length;
    const collect = (response: Response | undefined) => {
      if (response) answers.push(response);
      if (--left === 0 && answers.length > 0) this.#reply(answers);
    };
    for (const value of values) this.#one(value, envelope, collect);
  }

  #settle(response: Response): void {
    if (response.id === undefined || response.id === null) {
      const { message } = (response as { error: { message: string } }).error;
      this.#hands.problem(new TenonError('peer/unreadable', `could not read a message of ours: ${message}`, this.#facts()));
    } else if (!this.#calls.settle(response)) {
      this.#hands.problem(new TenonError('peer/unasked', `answered ${show(response.id)}, which nobody waits for`, this.#facts()));
    }
  }

  #malformed(value: unknown, reply: (response: Response | undefined) => void): void {
    const { id, why } = malformation(value);
    this.#hands.problem(new TenonError('peer/malformed', `sent something that is no message: ${why}`, this.#facts()));
    this.#refuse(id, INVALID_REQUEST, `Invalid request: ${why}`, reply);
  }

  #refuse(id: Id | undefined, code: number, message: string, reply: (response: Response | undefined) => void): void {
    const unreadable = this.#hands.unreadableId();
    if (id === undefined && unreadable === false) return reply(undefined);
    reply(failure(id ?? (unreadable === null ? null : undefined), { code, message }));
  }

  #run(incoming: Request, envelope: Envelope | undefined, reply: (response: Response | undefined) => void): void {
    const { id } = incoming;
    this.#running ??= new Map();
    if (this.#running.has(id)) {
      const error = rpcError(INVALID_REQUEST, `Invalid request: the id ${show(id)} is in use`);
      return reply(failure(id, toErrorObject(error)));
    }
    const running = new Running();
    this.#running.set(id, running);
    void this.#answer(incoming, running, envelope).then(response => {
      this.#running?.delete(id);
      reply(running.cancelled ? undefined : response);
      running.done();
    });
  }

  async #answer(incoming: Request, running: Running, envelope?: Envelope): Promise<Response> {
    try {
      return success(incoming.id, await this.#hands.request(incoming, running, envelope));
    } catch (error) {
      if (!isForPeer(error)) {
        this.#hands.problem(TenonError.from(error, 'handler/threw', { ...this.#facts(), method: incoming.method }));
      }
      return failure(incoming.id, toErrorObject(error));
    }
  }

  #reply(response: Response | Response[] | undefined): void {
    if (response === undefined) return;
    const failed = (error: unknown) => this.#hands.problem(TenonError.from(error, 'connection/send', this.#facts()));
    try {
      const sent = this.channel.send(response);
      if (sent) sent.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #facts(): { peer: string } {
    return { peer: this.channel.peer };
  }

  #closedError(): TenonError {
    return new TenonError('connection/closed', 'the connection is closed', this.#facts());
  }
}

/** Ids come from the peer: a long one is cut before it is shown. */
function show(id: Id): string {
  return JSON.stringify(typeof id === 'string' ? id.slice(0, 64) : id);
}
