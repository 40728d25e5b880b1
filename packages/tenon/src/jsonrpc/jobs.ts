import type { Channel } from './channel.js';
import type { Clock } from './clock.js';
import { INVALID_REQUEST, TOO_MANY } from './codes.js';
import { follow } from './follow.js';
import { type ErrorObject, type Id, type Response, shownId } from './message.js';
import { Roster } from './roster.js';
import { Running } from './running.js';

/** Requests of one peer that may be worked on at once, those included that were cancelled and go on all the same. */
const MAX_IN_FLIGHT = 1000;

export type Reply = (response: Response | undefined) => void;

interface Job {
  readonly running: Running;
  readonly reply: Reply;
  /** Calls `answer` when enough time has passed; absent: it may be answered at once. */
  answerAfter: ((answer: () => void) => void) | undefined;
}

/** The requests of a peer that are being worked on, by id. */
export class Jobs {
  readonly #jobs = new Roster<Job>();
  #working = 0;

  get size(): number {
    return this.#jobs.size;
  }

  /** Counts what is worked on, and what goes on after it was cancelled. */
  get working(): number {
    return this.#working;
  }

  /** Why a request with this id can not be taken now. */
  refusal(id: Id): ErrorObject | undefined {
    if (this.#jobs.has(id)) {
      return { code: INVALID_REQUEST, message: `Invalid request: the id ${shownId(id)} is in use` };
    }
    if (this.#working < MAX_IN_FLIGHT) return undefined;
    return { code: TOO_MANY, message: `Too many requests: ${MAX_IN_FLIGHT} are being worked on` };
  }

  /** Works on a request; its answer goes to `reply` unless it is cancelled meanwhile. `over` follows in any case. */
  start(
    id: Id,
    work: (running: Running) => Response | Promise<Response>,
    reply: Reply,
    over: (running: Running) => void,
  ): void {
    const running = new Running();
    const job: Job = { running, reply, answerAfter: undefined };
    this.#jobs.set(id, job);
    this.#working += 1;
    const end = (response: Response): void => {
      this.#working -= 1;
      if (this.#jobs.get(id) === job) {
        this.#jobs.delete(id);
        reply(response);
      }
      over(running);
    };
    void follow(work(running), response => {
      running.finish();
      if (job.answerAfter === undefined) end(response);
      else job.answerAfter(() => end(response));
    });
  }

  /** Holds the answer to a request back for as long as the channel wants after a progress notification. */
  delayAnswer(id: Id | undefined, { progressGap }: Pick<Channel, 'progressGap'>, clock: Clock): void {
    if (id === undefined || progressGap === undefined) return;
    const job = this.#jobs.get(id);
    const due = clock.now() + progressGap;
    if (job) job.answerAfter = answer => void clock.after(Math.max(0, due - clock.now()), answer);
  }

  /** Stops the work on a request. No answer follows. False when there is no such work. */
  cancel(id: Id, reason?: string): boolean {
    const job = this.#jobs.get(id);
    if (job === undefined) return false;
    this.#jobs.delete(id);
    job.running.cancel(reason);
    job.reply(undefined);
    return true;
  }

  cancelAll(reason: string): void {
    const jobs = this.#jobs.entries();
    this.#jobs.clear();
    for (const [, { running }] of jobs) running.cancel(reason);
  }
}
