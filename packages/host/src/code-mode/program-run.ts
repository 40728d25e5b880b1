import { type Clock, isObject, type JsonObject, parseJsonText, TenonError, toJsonObject } from '@tenon/base';
import type { ProxiedCall, ProxiedTool } from '../proxy/proxied-tool.js';
import { computeDigest } from '../security/lock/pin-definition.js';
import { toFailedOutcome, toOutcome } from './call-outcome.js';
import type { EngineSlots } from './engine-slots.js';
import type { ExecutionRuntime } from './execution.js';
import { type CallStep, revisitInputs, runProgramCall } from './program-call.js';
import type { DeliveredOutcome, ProgramEnd, ProgramEngine, ProgramLimits, RunningProgram } from './program-engine.js';
import type { ProgramRecord, StoredStep } from './program-store.js';

/** Time after which a program that waits for a call is removed from memory, in milliseconds. */
const PARK_DELAY = 1000;

export interface ProgramRunOptions {
  readonly engine: ProgramEngine;
  readonly slots: EngineSlots;
  readonly clock: Clock;
  readonly limits: ProgramLimits & { readonly maxCallResult: number };
  readonly record: ProgramRecord;
  readonly runtime: ExecutionRuntime;
  readonly code: string;
  /** Key of the caller whose share the program uses. */
  readonly caller: string;
  readonly outer: ProxiedCall;
  readonly find: (name: string) => Promise<ProxiedTool> | ProxiedTool;
}

/** Call of a program, for reports. */
export interface ReportedCall {
  readonly name: string;
  /** Absent: the call has not ended. */
  readonly ok?: boolean | undefined;
  /** Code of the error of a failed call. */
  readonly code?: string | undefined;
}

/** Outcome of a run, with its calls in the order of the program. */
export interface ProgramOutcome {
  readonly end:
    | ProgramEnd
    | { readonly failure: 'calls' | 'replay-differs'; readonly message: string; readonly log: readonly string[] };
  readonly calls: readonly ReportedCall[];
}

interface CallState {
  readonly name: string;
  readonly digest: string;
  readonly steps: CallStep[];
  outcome: DeliveredOutcome | undefined;
  isRunning: boolean;
}

/**
 * Runs a program and its calls. Outcomes reach the program one after the other, in the order in which they were stored,
 * so that a replay with the stored outcomes makes the same calls.
 */
export class ProgramRun {
  readonly #options: ProgramRunOptions;
  readonly #calls: CallState[] = [];
  /** Positions of the calls with an outcome, in the order of their storage. */
  readonly #order: number[] = [];
  #program: RunningProgram | undefined;
  #isStarting = false;
  /** Number of calls that the program in memory has made. */
  #made = 0;
  #delivered = 0;
  #storing: Promise<void> = Promise.resolve();
  #stopParking: (() => void) | undefined;
  #waitingForInput = 0;
  #running = 0;
  #end: (outcome: ProgramOutcome['end']) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  #isOver = false;

  constructor(options: ProgramRunOptions) {
    this.#options = options;
  }

  /** Runs the program until it ends. */
  async run(): Promise<ProgramOutcome> {
    this.#restore(await this.#options.record.listSteps());
    const { context } = this.#options.outer;
    const onAbort = () => this.#fail(context.signal.reason);
    const ended = new Promise<ProgramOutcome['end']>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
    });
    ended.catch(() => {});
    context.signal.addEventListener('abort', onAbort, { once: true });
    try {
      await revisitInputs(
        this.#options.outer,
        this.#calls.flatMap(({ steps }) => steps),
      );
      await this.#start();
      const end = await ended;
      return { end, calls: this.#calls.map(reportCall) };
    } finally {
      this.#isOver = true;
      context.signal.removeEventListener('abort', onAbort);
      this.#stop();
    }
  }

  /** Reads the calls of an earlier run. */
  #restore(stored: readonly StoredStep[]): void {
    const outcomes: [order: number, call: number][] = [];
    for (const { call, name, value } of stored.toSorted((a, b) => a.call - b.call)) {
      this.#calls[call] ??= { name: '', digest: '', steps: [], outcome: undefined, isRunning: false };
      const state = this.#calls[call];
      if (name === 'call') {
        this.#calls[call] = { ...state, name: String(value.name), digest: String(value.digest) };
      } else if (name === 'outcome') {
        state.outcome = { ok: value.ok === true, json: String(value.json) };
        outcomes.push([Number(value.order), call]);
      } else state.steps.push(value as unknown as CallStep);
    }
    this.#order.push(...outcomes.sort(([a], [b]) => a - b).map(([, call]) => call));
  }

  async #start(): Promise<void> {
    if (this.#program || this.#isStarting) return;
    this.#isStarting = true;
    const { engine, slots, caller, code, limits, record } = this.#options;
    await slots.take(caller);
    this.#isStarting = false;
    if (this.#isOver) return slots.release(caller);
    this.#made = 0;
    this.#delivered = 0;
    try {
      this.#program = engine.start(
        { code, seed: record.seed, time: record.time, limits },
        {
          onCall: (index, name, args) => this.#handleCall(index, name, args),
          onIdle: () => this.#park(),
          onEnd: end => this.#end(end),
        },
      );
    } catch (error) {
      slots.release(caller);
      throw error;
    }
  }

  #stop(): void {
    this.#stopParking?.();
    if (this.#program === undefined) return;
    this.#program.stop();
    this.#program = undefined;
    this.#options.slots.release(this.#options.caller);
  }

  /** Removes the program from memory if it waits long for its calls. */
  #park(): void {
    this.#stopParking?.();
    if (this.#delivered < this.#order.length) return;
    this.#stopParking = this.#options.clock.after(PARK_DELAY, () => this.#stop());
  }

  #handleCall(index: number, name: string, json: string): void {
    const { maxCalls } = this.#options.limits;
    if (index >= maxCalls)
      return this.#endWith('calls', `it made more than ${maxCalls} calls. Make fewer calls, or split the program`);
    const args = parseJsonText(json);
    const digest = computeDigest([name, args]);
    const known = this.#calls[index];
    if (known && known.digest !== digest) {
      const message = `the call ${index + 1} of the repeated program is not the stored one. Stored: ${known.name}, made: ${name}`;
      return this.#endWith('replay-differs', message);
    }
    this.#made = index + 1;
    const call = known ?? { name, digest, steps: [], outcome: undefined, isRunning: false };
    this.#calls[index] = call;
    if (!call.outcome && !call.isRunning) {
      call.isRunning = true;
      this.#execute(index, call, toJsonObject(args), known === undefined).catch(error => this.#fail(error));
    }
    this.#flush();
  }

  #endWith(failure: 'calls' | 'replay-differs', message: string): void {
    this.#end({ failure, message, log: [] });
  }

  async #execute(index: number, call: CallState, args: JsonObject, isFirst: boolean): Promise<void> {
    const { runtime, outer, find, limits, record } = this.#options;
    const { name } = call;
    this.#running += 1;
    if (isFirst) await record.addStep({ call: index, name: 'call', value: { name, digest: call.digest } });
    let outcome: DeliveredOutcome;
    try {
      const result = await runProgramCall(
        {
          runtime,
          outer,
          name,
          args,
          steps: call.steps,
          store: (step, value) => record.addStep({ call: index, name: `step ${step}`, value: { ...value } }),
          onInput: isWaiting => this.#countInput(isWaiting),
        },
        find,
      );
      outcome = toOutcome(name, result, limits.maxCallResult);
    } catch (error) {
      // Another process executes the call, and stores its outcome.
      const isTakenOver = TenonError.is(error) && error.code === 'program/running';
      if (isTakenOver || outer.context.signal.aborted) return this.#fail(error);
      outcome = toFailedOutcome(name, error);
    }
    this.#running -= 1;
    this.#storing = this.#storing.then(() => this.#settle(index, call, outcome));
    await this.#storing;
  }

  /** Stores an outcome before the program gets it. */
  async #settle(index: number, call: CallState, outcome: DeliveredOutcome): Promise<void> {
    if (this.#isOver) return;
    const value = { order: this.#order.length, ...outcome };
    await this.#options.record.addStep({ call: index, name: 'outcome', value });
    call.outcome = outcome;
    this.#order.push(index);
    const done = this.#order.length;
    this.#options.outer.context.progress(done, undefined, `${done} calls: ${call.name}`);
    if (this.#program) this.#flush();
    else if (!this.#isOver) await this.#start();
  }

  /** Releases the lease while all calls wait for input, because that may take long or never end. */
  async #countInput(isWaiting: boolean): Promise<void> {
    this.#waitingForInput += isWaiting ? 1 : -1;
    if (!isWaiting) return this.#options.record.resume();
    if (this.#waitingForInput === this.#running) await this.#options.record.release();
  }

  /** Gives the program the outcomes of the calls that it has made, in their stored order. */
  #flush(): void {
    for (;;) {
      const index = this.#order[this.#delivered];
      const outcome = index === undefined ? undefined : this.#calls[index]?.outcome;
      if (this.#program === undefined || index === undefined || outcome === undefined || index >= this.#made) return;
      this.#delivered += 1;
      this.#stopParking?.();
      this.#program.deliver(index, outcome);
    }
  }
}

function reportCall({ name, outcome }: CallState): ReportedCall {
  if (outcome === undefined) return { name };
  const error = outcome.ok ? undefined : parseJsonText(outcome.json);
  return { name, ok: outcome.ok, ...(isObject(error) ? { code: String(error.code) } : {}) };
}
