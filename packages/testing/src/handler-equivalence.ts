import {
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkString,
  type JsonObject,
  requireArgument,
  requirePresentOptions,
  TenonError,
} from '@tenon/base';
import { EquivalenceCheck, type EquivalenceCheckOptions } from './handler-equivalence/equivalence-check.js';
import { createHandlerUnderTest, type TestableHandler } from './handler-equivalence/handler-under-test.js';
import type { Observation, ObservedEvent } from './handler-equivalence/observation.js';
import { runScenario } from './handler-equivalence/run-scenario.js';
import { type ExecutionScenario, listScenarios } from './handler-equivalence/scenarios.js';
import { optionalFunction, optionalTimeout } from './option-checks.js';

const checkHandler = checkObject({ run: checkFunction });
const checkReader = checkObject({ read: checkFunction });

/** Options of `checkHandlerEquivalence`: the input of the handler, and the answers of its client. */
export interface HandlerEquivalenceOptions extends EquivalenceCheckOptions {
  /**
   * The arguments of the call. A resource has none.
   * @default `{}`
   */
  readonly input?: JsonObject | undefined;
}

/** One execution of the handler, with everything that was observed of it. */
export interface ExecutionResult {
  /**
   * Execution mode: `by-request`, `held` (the handler waits in memory), `replayed` (it runs again), `replayed by
   * another replica`, `task`, or `promoted` (a running call becomes a task). The last two and `replayed` also exist
   * with the suffix `, crashed at every write`.
   */
  readonly mode: string;
  /** Protocol version of the run. */
  readonly protocolVersion: string;
  /**
   * The input requests that reached the client, in the form of the newest version, and the steps that ran, in order.
   */
  readonly events: readonly ObservedEvent[];
  /** Number of runs of the handler. */
  readonly entries: number;
  /** Values that the option `effects` returned after this execution. */
  readonly effects: readonly unknown[];
  /** Result that the client received. Absent after an error. */
  readonly result?: JsonObject;
  /** Error of the call, if it failed. */
  readonly error?: { readonly code: number | undefined; readonly message: string };
  /**
   * Capabilities that the handler needs and a client of this version cannot have. The execution is then not compared.
   */
  readonly missingCapabilities?: readonly string[];
}

/**
 * Runs a handler in every execution mode on every protocol version, and compares its input requests, effects and
 * results. The modes are requests, retries in the same or another process, tasks, and processes that crash after each
 * write. Clients, processes and clocks are simulated.
 * @throws TenonError `testing/ways-differ` when the executions differ, usually because of an effect outside `ctx.step`.
 */
export async function checkHandlerEquivalence(
  handler: TestableHandler,
  options: HandlerEquivalenceOptions = {},
): Promise<ExecutionResult[]> {
  requirePresentOptions<HandlerEquivalenceOptions>('checkHandlerEquivalence', options, {
    input: checkOptional(checkObject()),
    answers: checkOptional(checkObject()),
    effects: optionalFunction,
    compare: optionalFunction,
    timeout: optionalTimeout,
  });
  requireArgument(
    '`handler` of checkHandlerEquivalence',
    handler,
    checkEither(
      checkHandler,
      checkObject({ prompt: checkHandler }),
      checkObject({ resource: checkReader, uri: checkString }),
    ),
  );
  const { input = {}, ...rest } = options;
  const target = createHandlerUnderTest(handler, input);
  const equivalence = new EquivalenceCheck(rest);
  const scenarios = listScenarios(target);
  const results: ExecutionResult[] = [];
  for (const scenario of scenarios) {
    for (const each of scenario.promotion ? listPromotions(scenario, equivalence) : [scenario]) {
      const observation = await equivalence.observe(each, observation =>
        runScenario(target, each, observation, equivalence),
      );
      if (observation) results.push(toExecutionResult(observation));
    }
  }
  if (results.length > 0) return results;
  throw new TenonError('testing/no-way', 'the handler cannot be served in any execution mode', {
    hint: 'pass answers for the input requests that it requires',
  });
}

/** Lists the scenarios in which a call becomes a task: one for each action of its handler. */
function listPromotions(scenario: ExecutionScenario, { expected }: EquivalenceCheck): ExecutionScenario[] {
  const actions = expected?.actions ?? [];
  return actions.slice(0, MAX_PROMOTIONS).map((_, index) => ({ ...scenario, promotion: { index } }));
}

const MAX_PROMOTIONS = 16;

function toExecutionResult({
  scenario,
  seen: events,
  entries,
  effects,
  result,
  error,
  missingCapabilities,
}: Observation): ExecutionResult {
  const { name, dialect } = scenario;
  return {
    mode: name,
    protocolVersion: dialect.protocolVersion,
    events,
    entries,
    effects,
    ...(result ? { result } : {}),
    ...(error ? { error } : {}),
    ...(missingCapabilities.length > 0 ? { missingCapabilities } : {}),
  };
}
