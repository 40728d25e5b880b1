import { copyJson, TenonError } from '@tenon/base';
import type { ClientCapabilities, Context } from 'tenon';
import type { HandlerRun } from 'tenon/proxy';
import { findMissingForRequest, HandlerContext, isInputRequired } from 'tenon/testing-internals';
import { findMissingAction, findUnexpectedAction } from './compare-executions.js';
import type { EquivalenceCheck } from './equivalence-check.js';
import { describeAction, type HandlerAction } from './handler-action.js';
import type { HandlerFunction } from './handler-under-test.js';
import type { Observation } from './observation.js';
import type { Replica } from './replica.js';

/** Called at each action of a handler, at which a call may become a task. */
export type ActionListener = (index: number) => void;

/** Wraps a handler, and records its input requests and steps. */
export function observeHandler(
  run: HandlerFunction,
  observation: Observation,
  replica: Replica,
  equivalence: EquivalenceCheck,
  onAction: ActionListener,
): HandlerFunction {
  return async (input, context) => {
    const entry = new HandlerEntry(context, observation, replica, equivalence, onAction);
    try {
      const returned = await run(input, context);
      entry.handleReturn(returned);
      return returned;
    } catch (error) {
      entry.handleThrow(error);
      throw error;
    }
  };
}

/** One run of the handler. */
class HandlerEntry {
  readonly #observation: Observation;
  readonly #replica: Replica;
  readonly #equivalence: EquivalenceCheck;
  readonly #onAction: ActionListener;
  readonly #actions: HandlerAction[] = [];
  readonly #counts = new Map<string, number>();
  #running = 0;

  constructor(
    context: Context,
    observation: Observation,
    replica: Replica,
    equivalence: EquivalenceCheck,
    onAction: ActionListener,
  ) {
    this.#observation = observation;
    this.#replica = replica;
    this.#equivalence = equivalence;
    this.#onAction = onAction;
    observation.entries++;
    observation.capabilities = context.client.capabilities;
    observation.missingCapabilities = findMissingCapabilities(equivalence.expected, observation);
    this.#instrument(HandlerContext.getRun(context));
  }

  handleReturn(value: unknown): void {
    if (this.#replica.isCrashed) return;
    if (isInputRequired(value)) this.#observation.returnsInputRequests = true;
    else this.#finish({ returned: value });
  }

  handleThrow(error: unknown): void {
    if (!this.#replica.isCrashed) this.#finish({ threw: describeReason(error) });
  }

  #finish(outcome: object): void {
    const observation = this.#observation;
    observation.actions = [...this.#actions];
    observation.outcome = toPlainJson(outcome);
    const expected = this.#expected;
    const error = expected && findMissingAction(expected, observation, this.#actions);
    if (error) this.#equivalence.fail(error);
  }

  /** Observation that this scenario is compared with. */
  get #expected(): Observation | undefined {
    const { expected } = this.#equivalence;
    return this.#observation.missingCapabilities.length > 0 ||
      this.#observation.returnsInputRequests ||
      expected?.returnsInputRequests
      ? undefined
      : expected;
  }

  #instrument(run: HandlerRun): void {
    const ask = run.request.bind(run);
    const step = run.step.bind(run);
    run.request = (question, params) =>
      this.#runAction({ question, params: copyJson(params) }, () => ask(question, params));
    run.step = (name, work) => {
      const n = this.#counts.get(name) ?? 0;
      this.#counts.set(name, n + 1);
      return this.#runAction({ step: name }, () => step(name, () => this.#runStep(name, n, work)));
    };
  }

  #runAction<T>(action: HandlerAction, go: () => Promise<T>): Promise<T> {
    return this.#replica.runIfAlive(async () => {
      this.#actions.push(action);
      if (this.#running > 0) this.#observation.overlaps = true;
      this.#running++;
      const expected = this.#expected;
      const error = expected && findUnexpectedAction(expected, this.#observation, this.#actions);
      if (error) {
        this.#equivalence.fail(error);
        return new Promise<T>(() => {});
      }
      if (action.question) this.#onAction(this.#actions.length - 1);
      return go().finally(() => {
        this.#running--;
      });
    });
  }

  /** Runs a step. A call that becomes a task does so during a step. */
  #runStep<T>(name: string, n: number, work: () => T | Promise<T>): Promise<T> {
    return this.#replica.runIfAlive(() =>
      this.#observation.recordStep(name, n, this.#replica, async () => {
        const doing = work();
        this.#onAction(this.#actions.findIndex(({ step }) => step === name));
        return this.#equivalence.recordStepValue(name, n, await doing);
      }),
    );
  }
}

/** Returns the capabilities that the first scenario needed and this client does not have. */
function findMissingCapabilities(expected: Observation | undefined, { capabilities }: Observation): string[] {
  if (expected === undefined) return [];
  const isAskable = (action: HandlerAction, by: ClientCapabilities) =>
    action.question === undefined || findMissingForRequest(action.question, action.params, by) === undefined;
  return expected.actions
    .filter(action => isAskable(action, expected.capabilities) && !isAskable(action, capabilities))
    .map(describeAction);
}

/** Serializes a value as JSON, or describes it if that is impossible. */
function toPlainJson(outcome: object): unknown {
  try {
    return JSON.parse(JSON.stringify(outcome));
  } catch (error) {
    return String(error);
  }
}

/** Describes the reason of a refusal. The message for unsupported input requests differs between versions. */
function describeReason(error: unknown): string {
  if (!TenonError.is(error)) return String(error);
  const isLack =
    error.code === 'client/missing-capability' ||
    (error.data as { requiredCapabilities?: unknown })?.requiredCapabilities;
  return isLack ? 'the client lacks a capability' : error.message;
}
