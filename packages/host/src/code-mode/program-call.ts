import {
  computeFingerprint,
  createUnknownOutcomeError,
  INTERNAL_ERROR,
  isObject,
  type JsonObject,
  rpcError,
  toJsonObject,
} from '@tenon/base';
import { HandlerContext } from 'tenon/host-internals';
import type { ProxiedCall, ProxiedTool } from '../proxy/proxied-tool.js';

import type { CompletedStep, ExecutionBackend, ExecutionRuntime, JournalEntry } from './execution.js';

/** Maximum number of results with input requests within one call. */
const MAX_ROUNDS = 32;

/** Step of a call that is stored: an entry of its journal, with the parameters of an input request. */
export interface CallStep {
  readonly entry: JournalEntry;
  readonly params?: JsonObject;
}

export interface ProgramCallOptions {
  readonly runtime: ExecutionRuntime;
  /** The call of the tool that runs the program. */
  readonly outer: ProxiedCall;
  readonly name: string;
  readonly args: JsonObject;
  /** Steps of an earlier run. */
  readonly steps: readonly CallStep[];
  /** Stores a step before its effect. */
  readonly store: (name: string, step: CallStep) => Promise<void>;
  /** Called when the call starts and stops to wait for input of the caller. */
  readonly onInput: (isWaiting: boolean) => Promise<void>;
}

/** Runs one call of a program by the way of every call: policy, lock, approval, audit and limits. */
export async function runProgramCall(
  options: ProgramCallOptions,
  find: (name: string) => Promise<ProxiedTool> | ProxiedTool,
): Promise<JsonObject> {
  const { runtime, outer, name, args, steps } = options;
  const { Journal, JournaledExecution, requestAnswers } = runtime;
  const journal = new Journal(steps.map(({ entry }) => entry));
  const backend = createBackend(
    options,
    step => journal.add(step),
    (key, answer) => {
      journal.answer(key, answer);
      const entry = journal.entries.find(each => 'ask' in each && each.ask === key);
      return entry as JournalEntry;
    },
  );
  const returned = new JournaledExecution(journal, backend, 'returned ');
  const tool = await find(name);
  let inputs: HandlerContext['inputs'] = {};
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let result = journal.step('result', round)?.value;
    if (!isObject(result)) {
      // A repeated request with input may take effect twice, so a second process does not send it.
      if (round > 0) await markOnce(backend, journal.step('repeated', round), round, name);
      const run = new JournaledExecution(journal, backend);
      const params = { name, arguments: args };
      const context = new HandlerContext(
        outer.requestContext,
        run,
        params,
        undefined,
        inputs,
        undefined,
        outer.context,
      );
      result = await tool.run(params, { context, run, requestContext: outer.requestContext });
    }
    if (!isObject(result) || result.resultType !== 'input_required') return toJsonObject(result);
    const requested = { ...result, resultType: 'input_required' as const };
    if (!journal.step('result', round)) {
      await backend.runStep(async () => createStep('result', round, requested));
    }
    inputs = await requestAnswers(requested, returned);
  }
  throw rpcError(INTERNAL_ERROR, `The tool ${name} still requests input after ${MAX_ROUNDS} rounds`);
}

async function markOnce(
  backend: ExecutionBackend,
  known: CompletedStep | undefined,
  round: number,
  name: string,
): Promise<void> {
  if (known)
    throw createUnknownOutcomeError(`the outcome of the call of ${name} is unknown, because its process ended`);
  await backend.runStep(async () => createStep('repeated', round));
}

function createStep(step: string, n: number, value?: unknown): CompletedStep {
  return { step, ...(n > 0 ? { n } : {}), ...(value === undefined ? {} : { value }) };
}

function createBackend(
  { outer, store, onInput }: ProgramCallOptions,
  addStep: (step: CompletedStep) => void,
  answer: (key: string, response: JsonObject) => JournalEntry,
): ExecutionBackend {
  return {
    check: () => {},
    async deliver({ key, method, params }) {
      await onInput(true);
      try {
        const response = await outer.run.request(method, params);
        await onInput(false);
        await store(`ask ${key}`, { entry: answer(key, response), params });
        return response;
      } catch (error) {
        await onInput(false);
        throw error;
      }
    },
    async runStep(run) {
      const step = await run();
      await store(`${step.step} ${step.n ?? 0}`, { entry: step });
      addStep(step);
      return step;
    },
  };
}

/**
 * Repeats the input requests whose responses are stored, if the request of the caller has recorded them too. A repeated
 * handler must make all its requests again.
 */
export async function revisitInputs({ run }: ProxiedCall, steps: readonly CallStep[]): Promise<void> {
  const recorded = new Map<string, number>();
  for (const entry of run.journal?.entries ?? []) {
    if ('ask' in entry && entry.answer) recorded.set(entry.mark, (recorded.get(entry.mark) ?? 0) + 1);
  }
  for (const { entry, params } of steps) {
    if (!('ask' in entry) || params === undefined) continue;
    const mark = computeFingerprint([entry.method, params]);
    const left = recorded.get(mark) ?? 0;
    if (left === 0) continue;
    recorded.set(mark, left - 1);
    await run.request(entry.method, params);
  }
}
