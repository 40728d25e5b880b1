import { copyThroughJson, isPromise, type JsonObject, runNextTurn } from '@tenon/base';
import type { ExecutionBackend, PendingInputRequest } from './handler-run.js';
import type { CompletedStep, Journal } from './journal.js';
import { toInputRequest } from './journaled-execution.js';

/** The round that is in progress. */
export interface SuspensionRound {
  readonly check: (method: string, params: JsonObject) => void;
  /** Stores a step, if a store outlives this process. */
  readonly saveStep: (step: CompletedStep) => Promise<void> | void;
}

interface WaitingInput {
  readonly request: PendingInputRequest;
  readonly resolve: (answer: JsonObject | Promise<JsonObject>) => void;
}

/** A caller that waits for a result. `resolve` ends the wait with another result. */
interface RoundWaiter {
  resolve: ((result: JsonObject | Promise<JsonObject>) => void) | undefined;
}

/**
 * Suspends a handler that has requested input, once no step is running and its concurrent input requests are collected.
 * The handler continues in the round with the answers.
 */
export class Suspension implements ExecutionBackend {
  readonly #journal: Journal;
  #pendingInputs: Map<string, WaitingInput> | undefined;
  #round: SuspensionRound;
  #activeSteps = 0;
  #isCheckScheduled = false;
  /** True if an input request has not been sent to the client. */
  #hasUnsentRequests = false;
  #onIdle: (() => void) | undefined;
  #nextRound: Promise<void> | undefined;
  #startNextRound: (() => void) | undefined;
  #waiter: RoundWaiter | undefined;
  /** True if the last caller has its result. */
  #isResolved = true;
  #redirectBackend: ExecutionBackend | undefined;

  constructor(journal: Journal, round: SuspensionRound) {
    this.#journal = journal;
    this.#round = round;
  }

  check(method: string, params: JsonObject): void {
    (this.#redirectBackend ?? this.#round).check(method, params);
  }

  deliver({ key, method, params }: PendingInputRequest): Promise<JsonObject> {
    // The copy protects the request from later changes by the handler, because it is sent later.
    const request = { key, method, params: copyThroughJson(params) as JsonObject };
    if (this.#redirectBackend) return this.#redirectBackend.deliver(request);
    return new Promise(resolve => {
      this.#pendingInputs ??= new Map();
      this.#pendingInputs.set(request.key, { request, resolve });
      this.#hasUnsentRequests = true;
      this.#scheduleCheck();
    });
  }

  async runStep(run: () => Promise<CompletedStep>): Promise<CompletedStep> {
    if (this.#nextRound) await this.#nextRound;
    if (this.#redirectBackend) return this.#redirectBackend.runStep(run);
    this.#activeSteps++;
    try {
      return await this.#saveStep(await run());
    } finally {
      this.#activeSteps--;
      if (this.#activeSteps === 0) this.#onIdle?.();
      this.#scheduleCheck();
    }
  }

  async #saveStep(step: CompletedStep): Promise<CompletedStep> {
    if (!this.#redirectBackend) await this.#round.saveStep(step);
    // The handler may have been redirected while the step was running or being stored.
    if (this.#redirectBackend) return this.#redirectBackend.runStep(async () => step);
    this.#journal.add(step);
    return step;
  }

  /** Runs `start` until it has a result, or until it waits for input. */
  runUntilSuspended(start: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    const outerWaiter = this.#waiter;
    const waiter: RoundWaiter = { resolve: undefined };
    this.#waiter = waiter;
    this.#isResolved = false;
    this.#hasUnsentRequests = this.#pendingInputs !== undefined && this.#pendingInputs.size > 0;
    if (this.#hasUnsentRequests) this.#scheduleCheck();
    const finish = (): void => {
      this.#waiter = outerWaiter;
      this.#isResolved = true;
    };
    let work: JsonObject | Promise<JsonObject>;
    try {
      work = start();
    } catch (error) {
      finish();
      throw error;
    }
    if (!isPromise(work)) {
      finish();
      return work;
    }
    const pending = work;
    // The result of the work, or the result that ends the round earlier.
    return new Promise((resolve, reject) => {
      waiter.resolve = result => {
        finish();
        resolve(result);
      };
      pending.then(waiter.resolve, error => {
        finish();
        reject(error);
      });
    });
  }

  /**
   * Redirects the handler to another backend and gives this result to the waiting caller. Returns false when no caller
   * waits.
   */
  redirectTo(backend: ExecutionBackend, result: JsonObject | Promise<JsonObject>): boolean {
    const leave = this.#isResolved ? undefined : this.#waiter?.resolve;
    if (leave === undefined) return false;
    this.#redirectBackend = backend;
    for (const { request, resolve } of this.#pendingInputs?.values() ?? []) resolve(backend.deliver(request));
    this.#pendingInputs?.clear();
    leave(result);
    return true;
  }

  /** Prevents new steps until the next round. Returns a promise that resolves when the running steps are done, if any run. */
  close(): Promise<void> | undefined {
    this.#nextRound ??= new Promise(open => {
      this.#startNextRound = open;
    });
    if (this.#activeSteps === 0) return undefined;
    return new Promise(resolve => {
      this.#onIdle = resolve;
    });
  }

  /** Starts the next round. Answered input requests resolve, and new steps belong to the new round. */
  resume(round: SuspensionRound): void {
    this.#round = round;
    for (const { ask, answer } of this.#journal.listAnswered()) {
      const waiting = this.#pendingInputs?.get(ask);
      this.#pendingInputs?.delete(ask);
      waiting?.resolve(answer);
    }
    this.#startNextRound?.();
    this.#nextRound = undefined;
  }

  #toInputRequiredResult(): JsonObject {
    const requests = [...(this.#pendingInputs ?? [])].map(([key, { request }]) => [key, toInputRequest(request)]);
    return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
  }

  /** Schedules a check at the end of this turn, so that concurrent input requests are sent together. */
  #scheduleCheck(): void {
    if (this.#isCheckScheduled) return;
    this.#isCheckScheduled = true;
    runNextTurn(() => {
      this.#isCheckScheduled = false;
      const leave = this.#waiter?.resolve;
      if (this.#redirectBackend || !this.#hasUnsentRequests || this.#activeSteps > 0 || leave === undefined) return;
      this.#hasUnsentRequests = false;
      leave(this.#toInputRequiredResult());
    });
  }
}
