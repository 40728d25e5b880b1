import { isPromise } from '../../jsonrpc/follow.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Question, StepDone, Ways } from './asking.js';
import { inputRequestOf } from './entered.js';
import type { Journal } from './journal.js';
import { copyOf } from './json-value.js';

declare function setTimeout(run: () => void, ms: number): unknown;

/** What a pause needs to know of the round that is going on. */
export interface Round {
  readonly check: (method: string, params: JsonObject) => void;
  /** Keeps a step where it outlives this process, if there is such a place. */
  readonly keep: (step: StepDone) => Promise<void> | void;
}

interface Waiting {
  readonly question: Question;
  readonly resolve: (answer: JsonObject | Promise<JsonObject>) => void;
}

/** Somebody who waits for the work: as long as there is no result, `leave` gives them one. */
interface Stay {
  leave: ((result: JsonObject | Promise<JsonObject>) => void) | undefined;
}

/**
 * Brings a handler to rest when it has asked: when nothing that it does in steps is still going on, and what it asks
 * together has been asked. Until the round that brings the answers, it comes no further.
 */
export class Pause implements Ways {
  readonly #journal: Journal;
  #waiting: Map<string, Waiting> | undefined;
  #round: Round;
  #working = 0;
  #looking = false;
  /** Whether something is asked that whoever waits for the handler has not been told of. */
  #unsaid = false;
  #onIdle: (() => void) | undefined;
  #gate: Promise<void> | undefined;
  #open: (() => void) | undefined;
  #stay: Stay | undefined;
  /** Whether who waited last has what it waited for. */
  #through = true;
  #elsewhere: Ways | undefined;

  constructor(journal: Journal, round: Round) {
    this.#journal = journal;
    this.#round = round;
  }

  check(method: string, params: JsonObject): void {
    (this.#elsewhere ?? this.#round).check(method, params);
  }

  async put({ params, ...rest }: Question): Promise<JsonObject> {
    // As it is now: it is sent later, and whoever asked may go on with what it was made of.
    const question = { ...rest, params: copyOf(params) };
    if (this.#elsewhere) return this.#elsewhere.put(question);
    return new Promise(resolve => {
      this.#waiting ??= new Map();
      this.#waiting.set(question.key, { question, resolve });
      this.#unsaid = true;
      this.#look();
    });
  }

  async work(run: () => Promise<StepDone>): Promise<StepDone> {
    if (this.#gate) await this.#gate;
    if (this.#elsewhere) return this.#elsewhere.work(run);
    this.#working++;
    try {
      return await this.#kept(await run());
    } finally {
      this.#working--;
      if (this.#working === 0) this.#onIdle?.();
      this.#look();
    }
  }

  async #kept(done: StepDone): Promise<StepDone> {
    if (!this.#elsewhere) await this.#round.keep(done);
    // It may have departed while the step was going on, or was kept.
    if (this.#elsewhere) return this.#elsewhere.work(async () => done);
    this.#journal.add(done);
    return done;
  }

  /** What the result is, or the questions when the work comes to rest on them. */
  until(begin: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    const around = this.#stay;
    const stay: Stay = { leave: undefined };
    this.#stay = stay;
    this.#through = false;
    this.#unsaid = this.#waiting !== undefined && this.#waiting.size > 0;
    if (this.#unsaid) this.#look();
    const over = (): void => {
      this.#stay = around;
      this.#through = true;
    };
    let work: JsonObject | Promise<JsonObject>;
    try {
      work = begin();
    } catch (error) {
      over();
      throw error;
    }
    if (isPromise(work)) return left(stay, work, over);
    over();
    return work;
  }

  /** From here on the handler goes other ways, and who waits for it gets this result. False when nobody does any more. */
  depart(ways: Ways, result: JsonObject | Promise<JsonObject>): boolean {
    const leave = this.#through ? undefined : this.#stay?.leave;
    if (leave === undefined) return false;
    this.#elsewhere = ways;
    for (const { question, resolve } of this.#waiting?.values() ?? []) resolve(ways.put(question));
    this.#waiting?.clear();
    leave(result);
    return true;
  }

  /** From here on no step begins before the next round. Resolves when those are done that have begun. */
  async close(): Promise<void> {
    this.#gate ??= new Promise(open => {
      this.#open = open;
    });
    if (this.#working === 0) return;
    await new Promise<void>(resolve => {
      this.#onIdle = resolve;
    });
  }

  /** The next round: what was answered goes on, and what it does belongs to this round. */
  resume(round: Round): void {
    this.#round = round;
    for (const { ask, answer } of this.#journal.answered()) {
      const waiting = this.#waiting?.get(ask);
      this.#waiting?.delete(ask);
      waiting?.resolve(answer);
    }
    this.#open?.();
    this.#gate = undefined;
  }

  #questions(): JsonObject {
    const requests = [...(this.#waiting ?? [])].map(([key, { question }]) => [key, inputRequestOf(question)]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
  }

  /** Questions that are asked together travel together: those that follow in this turn still join. */
  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    setTimeout(() => {
      this.#looking = false;
      const leave = this.#stay?.leave;
      if (this.#elsewhere || !this.#unsaid || this.#working > 0 || leave === undefined) return;
      this.#unsaid = false;
      leave(this.#questions());
    }, 0);
  }
}

/** What the work comes to, or what whoever waits for it leaves with before. */
function left(stay: Stay, work: Promise<JsonObject>, over: () => void): Promise<JsonObject> {
  return new Promise((resolve, reject) => {
    stay.leave = result => {
      over();
      resolve(result);
    };
    work.then(stay.leave, error => {
      over();
      reject(error);
    });
  });
}
