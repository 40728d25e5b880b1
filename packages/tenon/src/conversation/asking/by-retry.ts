import { follow, isPromise } from '../../jsonrpc/follow.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Asker, Asking, KeptRun, Seat, Ways } from './asking.js';
import { LateRun, loadWorks, type Works } from './late-run.js';
import type { RetryFacts } from './retry.js';
import type { States, StatesFacts } from './states.js';

type Awaitable = JsonObject | Promise<JsonObject>;

/** A round, before what serves a retry is loaded. */
export interface RoundFacts extends Omit<RetryFacts, 'states'> {
  readonly states: LateStates;
}

/** The states of one server. They are made for the first call that needs them. */
export type LateStates = (works: Works) => States;

export function lateStates(facts: StatesFacts): LateStates {
  let states: States | undefined;
  return works => {
    states ??= new works.States(facts);
    return states;
  };
}

/** A question ends the call, and a retry brings the answer. What does that is loaded by the first call that needs it. */
export function byRetry(facts: RoundFacts): Asking {
  return asker => {
    const { requestState, inputResponses } = facts.inputs;
    if (requestState === undefined && inputResponses === undefined) return new FirstRound(facts).answer(asker);
    return loadWorks().then(works => works.retrying(wholeFacts(facts, works))(asker));
  };
}

function wholeFacts(facts: RoundFacts, works: Works): RetryFacts {
  return { ...facts, states: facts.states(works) };
}

/** The first round of a call. When its handler asks, all goes on as if it had been known from the start. */
class FirstRound extends LateRun {
  readonly #facts: RoundFacts;
  /** What the handler, and all that is around it, comes to; and who waits for that. */
  #outcome: Awaitable = {};
  #waits: Wait | undefined;
  /** The handler itself. */
  #seat: Seat | undefined;
  #handler: Wait | undefined;
  /** The outcome for the client, once what serves retries is loaded. */
  #whole: Awaitable = {};

  constructor(facts: RoundFacts) {
    super();
    this.#facts = facts;
  }

  answer(asker: Asker): Awaitable {
    const outcome = asker(this, {});
    this.#outcome = outcome;
    if (isPromise(outcome)) this.#waits = new Wait(outcome);
    return follow(this.#waits?.over ?? outcome, result =>
      result.resultType === 'input_required' ? this.#asked() : result,
    );
  }

  /** A result that asks is made by what serves retries, whether the handler asked by itself or returned its questions. */
  async #asked(): Promise<JsonObject> {
    await this.whole();
    return this.#whole;
  }

  override core(seat: Seat, enter: () => Awaitable): Awaitable {
    if (this.made) return this.made.core(seat, enter);
    const work = enter();
    if (!isPromise(work)) return work;
    this.#seat = seat;
    this.#handler = new Wait(work);
    return this.#handler.over;
  }

  depart(ways: Ways, result: Awaitable): Promise<JsonObject> | undefined {
    return this.made?.depart?.(ways, result);
  }

  protected make(works: Works): KeptRun {
    let made: KeptRun | undefined;
    const whole = works.retrying(wholeFacts(this.#facts, works))(async run => {
      made = run as KeptRun;
      const handler = this.#handler;
      handler?.leaveTo(made.core(this.#seat as Seat, () => handler.work));
      return this.#outcome;
    });
    this.#whole = whole;
    this.#waits?.leaveTo(whole);
    return made as unknown as KeptRun;
  }
}

/** Somebody waits for some work, and may be left to another who says when that is over. */
class Wait {
  readonly work: Promise<JsonObject>;
  readonly over: Promise<JsonObject>;
  #resolve: (result: JsonObject) => void = () => {};
  #reject: (error: unknown) => void = () => {};
  #left = false;

  constructor(work: Promise<JsonObject>) {
    this.work = work;
    this.over = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    work.then(
      result => this.#left || this.#resolve(result),
      error => this.#left || this.#reject(error),
    );
  }

  leaveTo(other: Awaitable): void {
    this.#left = true;
    Promise.resolve(other).then(this.#resolve, this.#reject);
  }
}
