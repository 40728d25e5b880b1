import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputRequiredResult } from '../../model/asking.js';
import type { Inputs } from '../../model/shapes.js';
import type { Ask, Asker, Question, ReportProgress, StepDone, Ways } from './asking.js';
import { answers, Entered } from './entered.js';
import { Journal } from './journal.js';

const MAX_ENTRIES = 32;

/** How a handler begins. */
export interface Beginning {
  readonly inputs?: Inputs;
  /** What its first entry gives, where that is on its way. */
  readonly first?: Promise<JsonObject> | undefined;
}

/** Enters a handler until it no longer returns questions. */
export async function again(
  asker: Asker,
  journal: Journal,
  ways: Ways,
  { inputs: given = {}, first }: Beginning = {},
): Promise<JsonObject> {
  let inputs = given;
  let returned: Entered | undefined;
  for (let entry = 0; entry < MAX_ENTRIES; entry++) {
    const run = new Entered(journal, ways);
    const result = await (entry === 0 && first ? first : asker(run, inputs));
    if (result.resultType !== 'input_required') {
      if (returned === undefined && first === undefined) await run.checkMet();
      return result;
    }
    returned ??= new Entered(journal, ways, 'returned ');
    inputs = await answers(result as unknown as InputRequiredResult, returned);
  }
  throw new TenonError('handler/endless-questions', `the handler still asks after ${MAX_ENTRIES} rounds`);
}

/** The ways of one call whose questions are requests. */
export class Requests implements Ways {
  readonly #ask: Ask;
  readonly #journal = new Journal();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  enter(): Entered {
    return new Entered(this.#journal, this);
  }

  /** Goes on with a handler that has returned its questions. */
  again(asker: Asker, result: JsonObject): Promise<JsonObject> {
    return again(asker, this.#journal, this, { first: Promise.resolve(result) });
  }

  check(): void {}

  async put({ key, method, params }: Question, signal?: AbortSignal, onProgress?: ReportProgress): Promise<JsonObject> {
    const answer = await this.#ask(method, params, signal, onProgress);
    this.#journal.answer(key, answer);
    return answer;
  }

  async work(run: () => Promise<StepDone>): Promise<StepDone> {
    const done = await run();
    this.#journal.add(done);
    return done;
  }
}
