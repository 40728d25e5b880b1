import type { Clock } from '../../jsonrpc/clock.js';
import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputRequests, InputResponses } from '../../model/asking.js';
import { applyDefaults, type Complete } from '../../model/defaults.js';
import type { Inputs } from '../../model/shapes.js';
import { Claim, type Owner } from '../../stores/claim.js';
import { retryStoreFaults } from '../../stores/fault-retry.js';
import { createSeal, MAX_SEALED, type Seal } from '../../stores/seal.js';
import type { Stores } from '../../stores/stores.js';
import type { Entry, StepDone } from './asking.js';
import { Held } from './held.js';
import { isAsked, Journal } from './journal.js';
import { type AskingOptions, defaults } from './options.js';
import { addAnswers, readAnswer } from './returned-questions.js';

/** How long a process that says nothing is believed to be at work on a retry, in milliseconds. */
const LEASE = 30_000;

/** Longest time that a call waits for a store with a fault, in milliseconds. */
const MAX_FAULT = 30_000;

/** What a retry goes on with. */
export interface Opened {
  /** The call that all its rounds belong to; none yet before the first. */
  readonly call: string | undefined;
  readonly round: number;
  readonly journal: Journal;
  /** What the handler is entered with: something when it returned its questions. */
  readonly inputs: Inputs;
  /** Questions that the handler returned and that have no answer yet: they are asked again before it is entered. */
  readonly unanswered: InputRequests | undefined;
  /** Keeps a step that was done, where it outlives this process. */
  keep(step: StepDone): Promise<void> | void;
  /** The retry is answered. */
  over(): Promise<void> | void;
}

export interface NextRound {
  readonly call: string;
  readonly round: number;
  readonly journal: Journal;
  /** What the handler will be entered with. */
  readonly inputs: Inputs;
  /** Questions that the handler returned: their answers are added to that. Undefined when it waits for answers itself. */
  readonly questions: InputRequests | undefined;
}

export interface StatesFacts {
  readonly options: AskingOptions;
  readonly stores: Stores;
  /** Whether what a store holds is found by every process that can open the seal. */
  readonly everywhere: boolean;
  readonly clock: Clock;
  readonly problem: (error: TenonError) => void;
}

/** The states that travel by clients: sealed, good for one retry, and small. */
export class States {
  readonly held: Held;
  readonly #options: Complete<Omit<AskingOptions, 'keys'>>;
  readonly #facts: StatesFacts;
  readonly #seal: Seal;
  readonly #owner: Owner;

  constructor(facts: StatesFacts) {
    const { keys, ...options } = facts.options;
    this.#facts = facts;
    this.#options = applyDefaults(defaults, options);
    this.#seal = createSeal(keys);
    this.held = new Held(this.#options.maxHeld, this.#options.holdTime, facts.clock);
    this.#owner = { clock: facts.clock, lease: LEASE };
  }

  /** Throws -32602 when the state was not sealed here for this call, is too old, or was used before. */
  async open(inputs: Inputs, boundTo: () => string, caller: string): Promise<Opened> {
    const { requestState = '', inputResponses = {} } = inputs;
    const state = await this.#seal.open(requestState, boundTo());
    if (!state || !(Number(state.expires) > this.#facts.clock.now())) throw refused('is not valid');
    const round = Number(state.round);
    if (round > this.#options.maxRounds) throw refused('has been through too many rounds');
    const call = String(state.call);
    const memory = await this.#memoryOf(state);
    const journal = new Journal(memory.journal);
    const fits = fitting(journal, inputResponses);
    const next = memory.questions && addAnswers(memory.questions, memory.inputs, inputResponses);
    const used = await this.#use(call, round, Number(state.expires), caller);
    for (const entry of used.entries) journal.add(entry);
    for (const [key, answer] of fits) journal.answer(key, answer);
    const { inputs: given, unanswered } = next ?? { ...memory, unanswered: undefined };
    return { call, round, journal, inputs: given, unanswered, keep: used.keep, over: used.over };
  }

  /** The state of the next round. Throws when there may be none. */
  async seal(
    { call, round, journal, inputs, questions }: NextRound,
    boundTo: () => string,
    caller: string,
  ): Promise<string> {
    const { life, maxRounds, maxStateSize } = this.#options;
    if (round > maxRounds) throw endless(maxRounds);
    const facts = { call, round, expires: this.#facts.clock.now() + life };
    const memory: JsonObject = { journal: journal.entries as unknown[], inputs: inputs as JsonObject, questions };
    const most = Math.min(maxStateSize, MAX_SEALED);
    const sealed = await this.#seal.seal({ ...facts, ...memory }, boundTo());
    if (sealed.length <= most) return sealed;
    if (!this.#facts.everywhere) throw tooLarge(sealed.length, most);
    const at = `journal/${call}.${round}`;
    const { stores, clock, problem } = this.#facts;
    const put = () => stores.values.put(at, memory, { ttl: life, owner: caller });
    await retryStoreFaults(put, { clock, maxElapsed: MAX_FAULT, onFault: problem });
    return this.#seal.seal({ ...facts, at }, boundTo());
  }

  async #memoryOf(state: JsonObject): Promise<Memory> {
    const { at } = state;
    const memory = at === undefined ? state : (await this.#facts.stores.values.get(String(at)))?.value;
    if (memory === undefined) throw refused('is not valid');
    return memory as unknown as Memory;
  }

  /**
   * A state is good for one retry: a store remembers that. Where it outlives the process, so do the steps of a retry whose
   * process dies, and the same retry may be sent again.
   */
  async #use(call: string, round: number, expires: number, caller: string): Promise<Use> {
    const { stores, clock, problem } = this.#facts;
    const key = `retry/${call}.${round}`;
    // Work that takes longer than the state is good for is still work on it.
    const ttl = ({ over }: Used) => Math.max(over ? 1 : LEASE, expires - clock.now());
    if (!stores.durable) {
      const first = await stores.values.put(key, {}, { version: 0, ttl: expires - clock.now(), owner: caller });
      if (first === undefined) throw refused('has been used');
      return { entries: [], keep: nothing, over: nothing };
    }
    const take = (before: Used | undefined) => (before?.over ? undefined : { entries: [], ...before });
    let onFault = problem;
    const faults = { maxElapsed: MAX_FAULT, onFault: (error: TenonError) => onFault(error) };
    const claim = await Claim.take<Used>(stores.values, key, { ...this.#owner, caller, faults }, take, ttl);
    if (claim === undefined) throw refused('has been used');
    claim.renew();
    const keep = async (step: StepDone) => {
      const update = claim.update(used => ({ ...used, entries: [...used.entries, step] }));
      // The journal in memory has the step. Only when this process dies, too, is it done again.
      await update.catch(error => {
        if (TenonError.is(error) && error.code === 'store/lease-lost') throw error;
        problem(TenonError.from(error));
      });
    };
    // A fault of the store does not hold up the answer.
    const over = () =>
      new Promise<void>(resolve => {
        onFault = error => {
          problem(error);
          resolve();
        };
        const released = claim.release(() => ({ entries: [], over: true }));
        released.catch(error => problem(TenonError.from(error))).finally(resolve);
      });
    return { entries: claim.value.entries, keep, over };
  }
}

/** What a state says, or what is kept for it in a store. */
interface Memory extends Pick<NextRound, 'inputs' | 'questions'> {
  readonly journal: Entry[];
}

interface Use extends Pick<Opened, 'keep' | 'over'> {
  /** What a process that died had done for the same retry. */
  readonly entries: readonly StepDone[];
}

interface Used {
  readonly entries: readonly StepDone[];
  /** Set when the retry was answered. */
  readonly over?: boolean;
}

function nothing(): void {}

/** Of a call that begins. */
export function fresh(inputs: Inputs = {}): Opened {
  const journal = new Journal();
  return { call: undefined, round: 0, journal, inputs, unanswered: undefined, keep: nothing, over: nothing };
}

/** The answers to what was asked, each of its kind. What nobody asked is left out. */
function fitting(journal: Journal, inputResponses: InputResponses): [string, JsonObject][] {
  return journal.entries.flatMap((entry): [string, JsonObject][] => {
    if (!isAsked(entry) || entry.answer !== undefined || !Object.hasOwn(inputResponses, entry.ask)) return [];
    return [[entry.ask, readAnswer(entry.ask, entry.method, inputResponses[entry.ask])]];
  });
}

function refused(why: string): TenonError {
  return rpcError(INVALID_PARAMS, `Invalid params: requestState ${why}`);
}

function endless(most: number): TenonError {
  return new TenonError('handler/endless-questions', `the handler still asks after ${most} rounds`, {
    next: 'ask together what does not depend on each other, or raise `asking.maxRounds`',
  });
}

function tooLarge(size: number, most: number): TenonError {
  return new TenonError('handler/state-too-large', 'what the handler has to remember is too large to travel', {
    expected: `${most} characters at the most`,
    got: String(size),
    next: 'return less from its steps and in its questions, raise `asking.maxStateSize`, or give the server `stores`',
  });
}
