import { type JsonObject, TenonError } from '@tenon/base';
import { isInputRequired } from '../protocol/methods.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type { ExecutionBackend, PendingInputRequest, ReportProgress, RequestInput, RunHandler } from './handler-run.js';
import { type CompletedStep, Journal } from './journal.js';
import { JournaledExecution, requestAnswers } from './journaled-execution.js';

const MAX_ENTRIES = 32;

/** Options for starting a handler. */
export interface FirstEntry {
  readonly inputs?: RetryInputs;
  /** Result of the first run, if the handler has already started. */
  readonly first?: Promise<JsonObject> | undefined;
}

/** Runs a handler until it returns no more input requests. */
export async function runUntilAnswered(
  handler: RunHandler,
  journal: Journal,
  backend: ExecutionBackend,
  { inputs: firstInputs = {}, first }: FirstEntry = {},
): Promise<JsonObject> {
  let inputs = firstInputs;
  let returnedRun: JournaledExecution | undefined;
  for (let entry = 0; entry < MAX_ENTRIES; entry++) {
    const run = new JournaledExecution(journal, backend);
    const result = await (entry === 0 && first ? first : handler(run, inputs));
    if (!isInputRequired(result)) {
      if (returnedRun === undefined && first === undefined) await run.checkRevisited();
      return result;
    }
    returnedRun ??= new JournaledExecution(journal, backend, 'returned ');
    inputs = await requestAnswers(result, returnedRun);
  }
  throw new TenonError('handler/too-many-rounds', `the handler requested input in more than ${MAX_ENTRIES} rounds`, {
    hint: 'request independent inputs together',
  });
}

/** Sends input requests as JSON-RPC requests, for protocol versions that support requests from server to client. */
export class RequestBackend implements ExecutionBackend {
  readonly #requestInput: RequestInput;
  readonly #journal = new Journal();

  constructor(requestInput: RequestInput) {
    this.#requestInput = requestInput;
  }

  createRun(): JournaledExecution {
    return new JournaledExecution(this.#journal, this);
  }

  /** Answers the input requests that a handler returned, and runs the handler again with the answers. */
  continueWith(asker: RunHandler, result: JsonObject): Promise<JsonObject> {
    return runUntilAnswered(asker, this.#journal, this, { first: Promise.resolve(result) });
  }

  check(): void {}

  async deliver(
    { key, method, params }: PendingInputRequest,
    signal?: AbortSignal,
    onProgress?: ReportProgress,
  ): Promise<JsonObject> {
    const answer = await this.#requestInput(method, params, signal, onProgress);
    this.#journal.answer(key, answer);
    return answer;
  }

  async runStep(run: () => Promise<CompletedStep>): Promise<CompletedStep> {
    const step = await run();
    this.#journal.add(step);
    return step;
  }
}
