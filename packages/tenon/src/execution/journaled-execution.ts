import {
  computeFingerprint,
  copyThroughJson,
  findJsonFault,
  type JsonObject,
  TenonError,
  toJsonObject,
} from '@tenon/base';
import type { InputRequest, InputRequiredResult, InputResponses } from '../protocol/input-requests.js';
import type { RetryInputs } from '../protocol/params-and-results.js';
import type {
  ExecutionBackend,
  HandlerRun,
  JournaledRun,
  PendingInputRequest,
  RequestInput,
  ResumableContext,
} from './handler-run.js';
import { type CompletedStep, isRecordedRequest, type Journal, toRequestKey, toStepKey } from './journal.js';

declare function setTimeout(run: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

/** Maximum time for a repeated handler to reach all earlier input requests and steps, in milliseconds. */
const REVISIT_TIMEOUT = 5000;

/** One run of a handler. Its input requests and steps are looked up in the journal first. */
export class JournaledExecution implements JournaledRun {
  readonly journal: Journal;
  readonly #backend: ExecutionBackend;
  // Created on first use, because most handlers have neither input requests nor steps.
  #visited: Set<string> | undefined;
  #onVisit: (() => void) | undefined;
  #counts: Map<string, number> | undefined;
  readonly #namespace: string;
  #inStep = false;

  /** `namespace` separates the keys of input requests that are made on behalf of another component. */
  constructor(journal: Journal, backend: ExecutionBackend, namespace = '') {
    this.journal = journal;
    this.#backend = backend;
    this.#namespace = namespace;
  }

  async request(...[method, params, signal, onProgress]: Parameters<RequestInput>): Promise<JsonObject> {
    if (this.#inStep)
      throw new TenonError('handler/request-in-step', `the handler requested ${method} inside a step`, {
        hint: 'request the input before the step, and use the answer in the step',
      });
    const mark = this.#namespace + computeFingerprint([method, params]);
    const n = this.#count(mark);
    const recorded = this.journal.getRequest(mark, n);
    // A recorded answer is valid even if this client does not support the request.
    if (recorded?.answer === undefined) this.#backend.check(method, params);
    const { ask: key, answer, refused } = recorded ?? this.journal.ask(method, mark, n);
    this.#visit(toRequestKey(mark, n));
    if (refused !== undefined) throw createInputRefusedError(refused);
    const given = answer ?? (await this.#backend.deliver({ key, method, params }, signal, onProgress));
    return copyThroughJson(given) as JsonObject;
  }

  async step(step: string, work: () => unknown): Promise<unknown> {
    if (this.#inStep)
      throw new TenonError('handler/step-in-step', `the step "${step}" is nested in another step`, {
        hint: 'run the steps one after the other',
      });
    const n = this.#count(`step ${step}`);
    this.#visit(toStepKey(step, n));
    const recorded = this.journal.step(step, n);
    const done = recorded ?? (await this.#backend.runStep(() => this.#performStep(step, n, work)));
    return copyThroughJson(done.value);
  }

  async mark(name: string): Promise<boolean> {
    let isFirst = false;
    await this.step(name, () => {
      isFirst = true;
    });
    return isFirst;
  }

  addMark(name: string): void {
    const n = this.#count(`step ${name}`);
    this.#visit(toStepKey(name, n));
    this.journal.add(createStep(name, n));
  }

  invokeHandler(_: ResumableContext, enter: () => JsonObject | Promise<JsonObject>): JsonObject | Promise<JsonObject> {
    return enter();
  }

  async toJournaled(): Promise<JournaledRun> {
    return this;
  }

  /**
   * Throws when a repeated handler does not reach all earlier input requests and steps. Waits `REVISIT_TIMEOUT` first,
   * because concurrent work may reach them late.
   */
  async checkRevisited(): Promise<void> {
    this.#visited ??= new Set();
    const visited = this.#visited;
    if (this.journal.findFirstUnvisited(visited) === undefined) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, REVISIT_TIMEOUT);
      this.#onVisit = () => {
        if (this.journal.findFirstUnvisited(visited)) return;
        clearTimeout(timer);
        resolve();
      };
    });
    const entry = this.journal.findFirstUnvisited(visited);
    if (entry === undefined) return;
    const subject = isRecordedRequest(entry) ? `input request ${entry.ask} (${entry.method})` : `step "${entry.step}"`;
    throw new TenonError('handler/not-deterministic', `the handler did not repeat its ${subject}`, {
      expected: 'the same requests and steps in the same order for the same arguments and answers',
      hint: 'read the clock, random values and external data inside of `ctx.step`',
    });
  }

  async #performStep(step: string, n: number, work: () => unknown): Promise<CompletedStep> {
    // Another request may have completed the step while this one waited.
    const recorded = this.journal.step(step, n);
    if (recorded) return recorded;
    const value = await this.#callInStep(work);
    const fault = value === undefined ? undefined : findJsonFault(value);
    if (fault)
      throw new TenonError('handler/step-not-json', `the return value of the step "${step}" is not JSON`, {
        expected: 'null, a boolean, a finite number, a string, an array or plain object of these, or undefined',
        received: fault,
        hint: 'return only the values that the handler needs later',
      });
    return value === undefined ? createStep(step, n) : { ...createStep(step, n), value: copyThroughJson(value) };
  }

  /**
   * Runs `work` and rejects input requests inside the step, because they are not recorded and would be repeated. Only
   * requests before the first `await` can be detected.
   */
  #callInStep(work: () => unknown): unknown {
    this.#inStep = true;
    try {
      return work();
    } finally {
      this.#inStep = false;
    }
  }

  #visit(place: string): void {
    this.#visited ??= new Set();
    this.#visited.add(place);
    this.#onVisit?.();
  }

  #count(name: string): number {
    this.#counts ??= new Map();
    const n = this.#counts.get(name) ?? 0;
    this.#counts.set(name, n + 1);
    return n;
  }
}

function createStep(step: string, n: number): CompletedStep {
  return n > 0 ? { step, n } : { step };
}

/** Creates the error of an input request that the client refused or could not answer. */
export function createInputRefusedError(reason: string): TenonError {
  return new TenonError('client/refused', `The client did not answer: ${reason}`);
}

/**
 * Converts a pending input request to an entry of `inputRequests`. `elicitationId` is removed, because these protocol
 * versions have no `notifications/elicitation/complete`.
 */
export function toInputRequest({
  method,
  params: allParams,
}: Pick<PendingInputRequest, 'method' | 'params'>): InputRequest {
  const { elicitationId: _, ...params } = allParams;
  return (Object.keys(params).length === 0 ? { method } : { method, params }) as InputRequest;
}

/** Requests the answers to the input requests that a handler returned. */
export async function requestAnswers(
  { inputRequests = {}, requestState }: InputRequiredResult,
  run: Pick<HandlerRun, 'request'>,
): Promise<RetryInputs> {
  const requests = Object.entries(inputRequests).map(async ([key, { method, params }]) => {
    const answer = await run.request(method, toJsonObject(params));
    return [key, answer] as const;
  });
  // The table of methods has checked each answer.
  const inputResponses = Object.fromEntries(await Promise.all(requests)) as unknown as InputResponses;
  return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
}
