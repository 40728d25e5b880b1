import { LazyAbortSignal, runWithTimeout, systemClock, TenonError } from '@tenon/base';
import type { ClientHandlers } from 'tenon';
import type { Dialect } from 'tenon/testing-internals';
import { describeExecution, requireEqualExecutions, requireEqualResults } from './compare-executions.js';
import { Observation } from './observation.js';
import type { ExecutionScenario } from './scenarios.js';

export interface EquivalenceCheckOptions {
  /** Answers of the client. Without an answer for a kind of input request, the client does not support that kind. */
  readonly answers?: ClientHandlers | undefined;
  /**
   * Returns the effects of the handler that the kit cannot observe. Called before and after each scenario.
   *
   * Return and clear the records of your fakes: `() => mails.splice(0)`. They are compared like the rest.
   *
   * @default none
   */
  readonly effects?: (() => readonly unknown[]) | undefined;
  /**
   * Returns the part of the handler's return value that is compared.
   * @default the whole value
   */
  readonly compare?: ((returned: unknown) => unknown) | undefined;
  /**
   * Maximum time for one scenario, in milliseconds.
   * @default 10,000
   */
  readonly timeout?: number | undefined;
}

/** The scenarios of one handler. Each is compared with the first. */
export class EquivalenceCheck {
  readonly answers: ClientHandlers;
  readonly #options: EquivalenceCheckOptions;
  /** Observation of the first scenario. */
  expected: Observation | undefined;
  /** The first scenario of each version. */
  readonly #firsts = new Map<Dialect, Observation>();
  readonly #values = new Map<string, unknown>();
  #fail: (error: TenonError) => void = () => {};

  constructor(options: EquivalenceCheckOptions) {
    this.#options = options;
    this.answers = options.answers ?? {};
  }

  async observe(
    scenario: ExecutionScenario,
    run: (observation: Observation) => Promise<void>,
  ): Promise<Observation | undefined> {
    const observation = new Observation(scenario);
    const { effects, timeout = 10_000, compare } = this.#options;
    // Each scenario has another time, so that values that depend on the clock differ.
    await sleep(2);
    // Work that a handler of an earlier scenario left running does not count.
    effects?.();
    await this.#runUntilFailure(observation, timeout, () => run(observation)).finally(() => observation.onEnd());
    observation.effects = effects?.() ?? [];
    if (this.expected) requireEqualExecutions(this.expected, observation, compare);
    const first = this.#firsts.get(scenario.dialect);
    if (first && !compare) requireEqualResults(first, observation);
    else if (first === undefined) this.#firsts.set(scenario.dialect, observation);
    this.expected ??= observation;
    return observation;
  }

  /** Fails the scenario without waiting for its end. */
  fail(error: TenonError): void {
    this.#fail(error);
  }

  /** Returns the value that a step had in its first run in any scenario. */
  recordStepValue<T>(step: string, n: number, own: T): T {
    const key = `${n} ${step}`;
    if (!this.#values.has(key)) this.#values.set(key, own);
    return this.#values.get(key) as T;
  }

  #runUntilFailure(observation: Observation, timeout: number, run: () => Promise<void>): Promise<void> {
    const failure = new LazyAbortSignal();
    this.#fail = error => failure.abort(error);
    return runWithTimeout(run, {
      clock: systemClock,
      timeout,
      hold: true,
      signal: failure,
      onTimeout() {
        throw createNoEndError(observation, timeout);
      },
    });
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise(resolve => {
    systemClock.after(ms, resolve, { hold: true });
  });
}

function createNoEndError(observation: Observation, timeout: number): TenonError {
  const last = observation.seen.at(-1) as { readonly question?: string; readonly step?: string } | undefined;
  return new TenonError('testing/no-end', `${describeExecution(observation)} timed out after ${timeout} ms`, {
    received: last
      ? `${last.step === undefined ? last.question : `the step "${last.step}"`} as last event`
      : 'no event',
    hint: 'check the pending work of the handler, or raise `timeout`',
  });
}
