import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { InputRequest, InputRequiredResult, InputResponses } from '../../model/asking.js';
import type { Inputs } from '../../model/shapes.js';
import type { Ask, KeptRun, Question, Run, Seat, StepDone, Ways } from './asking.js';
import { fingerprint } from './fingerprint.js';
import { askPlace, type Journal, notMet, stepPlace } from './journal.js';
import { copyOf, jsonFault } from './json-value.js';

declare function setTimeout(run: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** How long a handler that is entered again may take to come to what it came to before, in milliseconds. */
const PATIENCE = 5000;

/** One entry of a handler: what it asks and does is looked up in the journal before it is asked and done. */
export class Entered implements KeptRun {
  readonly journal: Journal;
  readonly #ways: Ways;
  // Most handlers neither ask nor take steps: these cost them nothing.
  #met: Set<string> | undefined;
  #onMeet: (() => void) | undefined;
  #counts: Map<string, number> | undefined;
  readonly #space: string;
  #inStep = false;

  /** `space` keeps what is asked on somebody else's behalf apart. */
  constructor(journal: Journal, ways: Ways, space = '') {
    this.journal = journal;
    this.#ways = ways;
    this.#space = space;
  }

  async ask(...[method, params, signal, onProgress]: Parameters<Ask>): Promise<JsonObject> {
    if (this.#inStep) throw askInStep(method);
    const mark = this.#space + fingerprint([method, params]);
    const n = this.#count(mark);
    const before = this.journal.question(mark, n);
    // Who has answered need not be able to answer again.
    if (before?.answer === undefined) this.#ways.check(method, params);
    const { ask: key, answer, refused } = before ?? this.journal.ask(method, mark, n);
    this.#meet(askPlace(mark, n));
    if (refused !== undefined) throw refusal(refused);
    return copyOf(answer ?? (await this.#ways.put({ key, method, params }, signal, onProgress)));
  }

  async step(step: string, work: () => unknown): Promise<unknown> {
    if (this.#inStep) throw stepInStep(step);
    const n = this.#count(`step ${step}`);
    this.#meet(stepPlace(step, n));
    const before = this.journal.step(step, n);
    const done = before ?? (await this.#ways.work(() => this.#done(step, n, work)));
    return copyOf(done.value);
  }

  core(_: Seat, enter: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    return enter();
  }

  async whole(): Promise<KeptRun> {
    return this;
  }

  /**
   * Throws when the handler does not come to what it came to before. What runs side by side may come to it later than
   * the rest, and is given time.
   */
  async checkMet(): Promise<void> {
    this.#met ??= new Set();
    const met = this.#met;
    if (this.journal.besides(met) === undefined) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, PATIENCE);
      this.#onMeet = () => {
        if (this.journal.besides(met)) return;
        clearTimeout(timer);
        resolve();
      };
    });
    const entry = this.journal.besides(met);
    if (entry) throw notMet(entry);
  }

  async #done(step: string, n: number, work: () => unknown): Promise<StepDone> {
    // Another process may have done it while this one waited for its turn.
    const before = this.journal.step(step, n);
    if (before) return before;
    const value = await this.#worked(work);
    const fault = value === undefined ? undefined : jsonFault(value);
    if (fault) throw notJson(step, fault);
    return { step, ...(n > 0 ? { n } : {}), ...(value === undefined ? {} : { value: copyOf(value) }) };
  }

  /** A question inside a step would be forgotten with it, and asked again. Only before its first await is that known. */
  #worked(work: () => unknown): unknown {
    this.#inStep = true;
    try {
      return work();
    } finally {
      this.#inStep = false;
    }
  }

  #meet(place: string): void {
    this.#met ??= new Set();
    this.#met.add(place);
    this.#onMeet?.();
  }

  #count(name: string): number {
    this.#counts ??= new Map();
    const n = this.#counts.get(name) ?? 0;
    this.#counts.set(name, n + 1);
    return n;
  }
}

/** What a question ends in that the client would not, or could not, answer. */
export function refusal(why: string): TenonError {
  return new TenonError('client/refused', `The client did not answer: ${why}`);
}

/**
 * A question as it stands among others, by its key. Who asks like that is not told when a visit is done, and has no name
 * for it.
 */
export function inputRequestOf({ method, params: given }: Pick<Question, 'method' | 'params'>): InputRequest {
  const { elicitationId: _, ...params } = given;
  return (Object.keys(params).length === 0 ? { method } : { method, params }) as InputRequest;
}

/** The answers to what a handler returned as its questions. */
export async function answers(
  { inputRequests = {}, requestState }: InputRequiredResult,
  run: Pick<Run, 'ask'>,
): Promise<Inputs> {
  const asked = Object.entries(inputRequests).map(async ([key, { method, params }]) => {
    const answer = await run.ask(method, isObject(params) ? (params as JsonObject) : {});
    return [key, answer] as const;
  });
  const inputResponses = Object.fromEntries(await Promise.all(asked)) as unknown as InputResponses;
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}

function askInStep(method: string): TenonError {
  return new TenonError('handler/ask-in-step', `${method} was asked inside of a step`, {
    next: 'ask first, and take the answer into the step',
  });
}

function stepInStep(step: string): TenonError {
  return new TenonError('handler/step-in-step', `the step "${step}" stands inside of another`, {
    next: 'put one step after the other',
  });
}

function notJson(step: string, fault: string): TenonError {
  return new TenonError('handler/step-not-json', `what the step "${step}" returned is no JSON value`, {
    expected: 'null, a boolean, a finite number, text, or arrays and plain objects of these; or nothing',
    got: fault,
    next: 'return the few values that the handler goes on with',
  });
}
