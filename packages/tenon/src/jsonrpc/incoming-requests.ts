import type { Clock } from '../cancellation/clock.js';
import { CompactMap } from './compact-map.js';
import { INVALID_REQUEST, TOO_MANY_REQUESTS } from './error-codes.js';
import { thenMaybe } from './maybe-promise.js';
import { type ErrorObject, formatId, type Id, type JsonRpcResponse } from './message.js';
import { RequestScope } from './request-scope.js';
import type { Transport } from './transport.js';

/** Requests of one peer that may be worked on at once, those included that were cancelled and go on all the same. */
const MAX_IN_FLIGHT = 1000;

export type SendReply = (response: JsonRpcResponse | undefined) => void;

interface IncomingRequest {
  readonly scope: RequestScope;
  readonly reply: SendReply;
  /** Calls `answer` when enough time has passed; absent: it may be answered at once. */
  answerAfter: ((answer: () => void) => void) | undefined;
}

/** The requests of a peer that are being worked on, by id. */
export class IncomingRequests {
  readonly #requests = new CompactMap<IncomingRequest>();
  #active = 0;

  get size(): number {
    return this.#requests.size;
  }

  /** Counts what is worked on, and what goes on after it was cancelled. */
  get active(): number {
    return this.#active;
  }

  /** Returns the error of a request that cannot be accepted now. */
  findRejection(id: Id): ErrorObject | undefined {
    if (this.#requests.has(id)) {
      return { code: INVALID_REQUEST, message: `Invalid request: the id ${formatId(id)} is in use` };
    }
    if (this.#active < MAX_IN_FLIGHT) return undefined;
    return { code: TOO_MANY_REQUESTS, message: `Too many requests: ${MAX_IN_FLIGHT} are being worked on` };
  }

  /** Works on a request; its answer goes to `reply` unless it is cancelled meanwhile. `over` follows in any case. */
  start(
    id: Id,
    work: (scope: RequestScope) => JsonRpcResponse | Promise<JsonRpcResponse>,
    reply: SendReply,
    onDone: (scope: RequestScope) => void,
  ): void {
    const scope = new RequestScope();
    const job: IncomingRequest = { scope, reply, answerAfter: undefined };
    this.#requests.set(id, job);
    this.#active += 1;
    const end = (response: JsonRpcResponse): void => {
      this.#active -= 1;
      if (this.#requests.get(id) === job) {
        this.#requests.delete(id);
        reply(response);
      }
      onDone(scope);
    };
    void thenMaybe(work(scope), response => {
      scope.finish();
      if (job.answerAfter === undefined) end(response);
      else job.answerAfter(() => end(response));
    });
  }

  /** Holds the answer to a request back for as long as the channel wants after a progress notification. */
  delayAnswer(id: Id | undefined, { progressDelay }: Pick<Transport, 'progressDelay'>, clock: Clock): void {
    if (id === undefined || progressDelay === undefined) return;
    const job = this.#requests.get(id);
    const dueAt = clock.now() + progressDelay;
    if (job) job.answerAfter = answer => void clock.after(Math.max(0, dueAt - clock.now()), answer);
  }

  /** Stops the work on a request. No answer follows. False when there is no such work. */
  cancel(id: Id, reason?: string): boolean {
    const job = this.#requests.get(id);
    if (job === undefined) return false;
    this.#requests.delete(id);
    job.scope.cancel(reason);
    job.reply(undefined);
    return true;
  }

  cancelAll(reason: string): void {
    const jobs = this.#requests.entries();
    this.#requests.clear();
    for (const [, { scope }] of jobs) scope.cancel(reason);
  }
}
