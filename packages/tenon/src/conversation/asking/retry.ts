import { follow, isPromise } from '../../jsonrpc/follow.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputRequests, InputResponses } from '../../model/asking.js';
import type { Inputs } from '../../model/shapes.js';
import type { Asker, Asking, Seat, Ways } from './asking.js';
import { checkQuestions } from './check-questions.js';
import { Entered } from './entered.js';
import type { HeldHandler } from './held.js';
import { Pause, type Round } from './pause.js';
import { addAnswers } from './returned-questions.js';
import { fresh, type NextRound, type Opened, type States } from './states.js';

declare const crypto: { randomUUID(): string };

export interface RetryFacts {
  readonly states: States;
  /** Whom and what the state is bound to: user, OAuth client, method and arguments. */
  readonly boundTo: () => string;
  readonly inputs: Inputs;
  /** The caller whose share of the handlers that wait in memory is used up. */
  readonly caller: string;
  /** Whether a handler may wait in memory for the next round. */
  readonly holds: boolean;
  /** Says no when the client can not be asked this. */
  readonly check: (method: string, params: JsonObject) => void;
}

/**
 * A question ends the call; the retry brings the answer and what was remembered, sealed. Where the handler still waits in
 * this process it goes on; else it is entered again from the top, and what it asked and did before returns at once.
 */
export function retrying(facts: RetryFacts): Asking {
  return asker => {
    const { requestState, inputResponses } = facts.inputs;
    if (requestState !== undefined) return retried(facts, asker);
    // Nothing is to be opened, and nothing to be closed.
    const retry = new Retry(facts, fresh());
    return inputResponses === undefined ? retry.answer(asker) : retry.answerEarly(asker, inputResponses);
  };
}

async function retried(facts: RetryFacts, asker: Asker): Promise<JsonObject> {
  const opened = await facts.states.open(facts.inputs, facts.boundTo, facts.caller);
  try {
    return await new Retry(facts, opened).answer(asker);
  } finally {
    await opened.over();
  }
}

/** One round of a call. */
class Retry extends Entered {
  readonly #facts: RetryFacts;
  readonly #opened: Opened;
  readonly #round: Round;
  readonly #pause: Pause;
  /** What waited here since the round before. */
  readonly #held: HeldHandler | undefined;
  /** What will wait for the next one. */
  #resting: HeldHandler | undefined;
  /** Whether the handler itself came to an end in this round. */
  #through = false;

  constructor(facts: RetryFacts, opened: Opened) {
    const held = opened.call === undefined ? undefined : facts.states.held.take(`${opened.call}.${opened.round}`);
    const journal = held?.run.journal ?? opened.journal;
    if (held) journal.learn(opened.journal);
    const round = { check: facts.check, keep: opened.keep };
    const pause = new Pause(journal, round);
    super(journal, pause);
    this.#facts = facts;
    this.#opened = opened;
    this.#round = round;
    this.#pause = pause;
    this.#held = held;
  }

  answer(asker: Asker): JsonObject | Promise<JsonObject> {
    const { unanswered: inputRequests } = this.#opened;
    if (!inputRequests) return follow(this.#enter(asker), result => this.#close(result));
    const result = { resultType: 'input_required', inputRequests };
    checkQuestions(result, this.#facts.check);
    return this.#close(result);
  }

  /**
   * A client sent answers without a state. The handler is entered as in a first round; where the answers are to all
   * questions that it returns, it is entered once more, with them. Otherwise its questions are asked.
   */
  async answerEarly(asker: Asker, inputResponses: InputResponses): Promise<JsonObject> {
    const result = await this.#enter(asker);
    if (result.resultType !== 'input_required') return this.#close(result);
    const { inputs, questions = {} } = this.#nextInputs(result);
    const answered = addAnswers(questions, inputs, inputResponses);
    if (Object.keys(questions).length === 0 || answered.unanswered) return this.#close(result);
    return new Retry(this.#facts, { ...this.#opened, inputs: answered.inputs }).answer(asker);
  }

  #enter(asker: Asker): JsonObject | Promise<JsonObject> {
    return follow(
      this.#pause.until(() => asker(this, this.#opened.inputs)),
      result => {
        // Before anything is kept for a next round.
        checkQuestions(result, this.#facts.check);
        return result;
      },
    );
  }

  /** Ends the round. A result that asks gets its state. */
  #close(result: JsonObject): JsonObject | Promise<JsonObject> {
    // Nothing was asked, and nothing done in steps.
    const isPlain = this.journal.size === 0 && result.resultType !== 'input_required';
    return isPlain ? result : this.#answered(result);
  }

  async #answered(result: JsonObject): Promise<JsonObject> {
    if (this.#mustHaveMet(result)) await this.checkMet();
    if (result.resultType !== 'input_required') return result;
    return { ...result, requestState: await this.#nextState(result) };
  }

  override core(seat: Seat, enter: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    const resumed = this.#resumed(seat);
    if (resumed) return this.#rested(resumed);
    const work = enter();
    if (isPromise(work)) return this.#rested({ run: this, pause: this.#pause, seat, work });
    this.#through = work.isError !== true;
    return work;
  }

  /** What the handler comes to, or what it asks. */
  async #rested(handler: HeldHandler): Promise<JsonObject> {
    this.#resting = handler;
    const over = () => {
      this.#resting = undefined;
    };
    handler.work.then(over, over);
    const result = await handler.pause.until(() => handler.work);
    this.#through = result.isError !== true;
    return result;
  }

  depart(ways: Ways, result: JsonObject | Promise<JsonObject>): Promise<JsonObject> | undefined {
    const handler = this.#resting;
    return handler?.pause.depart(ways, result) ? handler.work : undefined;
  }

  /**
   * Whether the handler had to come to all that it came to before. One that failed, one that keeps its own state, and a
   * layer that answers by itself have their reasons to go another way.
   */
  #mustHaveMet(result: JsonObject): boolean {
    if (this.#held !== undefined || Object.keys(this.#opened.inputs).length > 0) return false;
    // What became a task is entered, or goes on, elsewhere.
    if (result.resultType === 'task') return false;
    return this.#through || this.#asks(result);
  }

  /** Whether these are the questions that it stands at; else it, or a layer, has returned some. */
  #asks({ inputRequests = {} }: JsonObject): boolean {
    const keys = Object.keys(inputRequests as JsonObject);
    return keys.length > 0 && keys.every(key => this.#isOpen(key));
  }

  #isOpen(key: string): boolean {
    return this.journal.open().some(({ ask }) => ask === key);
  }

  #resumed(seat: Seat): HeldHandler | undefined {
    this.#held?.seat.follow(seat);
    this.#held?.pause.resume(this.#round);
    return this.#held;
  }

  async #nextState(result: JsonObject): Promise<string> {
    const { states, boundTo, caller } = this.#facts;
    const { call = crypto.randomUUID(), round } = this.#opened;
    // One that goes on from the round before has a pause of its own.
    const pauses = new Set([this.#pause, this.#resting?.pause ?? this.#pause]);
    await Promise.all([...pauses].map(pause => pause.close()));
    const next = { call, round: round + 1, journal: this.journal, ...this.#nextInputs(result) };
    const state = await states.seal(next, boundTo, caller);
    if (this.#resting && this.#facts.holds) states.held.put(`${call}.${round + 1}`, this.#resting, caller);
    return state;
  }

  /** One that asks goes on with what it was entered with; one that returned its questions is entered with the answers. */
  #nextInputs(result: JsonObject): Pick<NextRound, 'inputs' | 'questions'> {
    const { inputs, unanswered } = this.#opened;
    if (unanswered || this.#asks(result)) return { inputs, questions: unanswered };
    const { inputRequests = {}, requestState } = result;
    const own = Object.entries(inputRequests as InputRequests).filter(([key]) => !this.#isOpen(key));
    return {
      inputs: typeof requestState === 'string' ? { requestState } : {},
      questions: Object.fromEntries(own),
    };
  }
}
