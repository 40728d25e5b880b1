import { TenonError, toCanonicalJson } from '@tenon/base';
import { describeAction, type HandlerAction, subtract, toComparisonKey, truncate } from './handler-action.js';
import type { Observation, ObservedEvent } from './observation.js';

export function describeExecution({ scenario: { name, dialect } }: Observation): string {
  return `${name} (${dialect.protocolVersion})`;
}

const USE_STEP_HINT = 'read the clock, random values and external data inside of `ctx.step`';
const REPLAY_HINT =
  'run the effect inside of `ctx.step`, because the handler runs again after an input request and after a crash';
const STEP_NAME_HINT =
  'use a unique name for each step, and return failures from it, because a step that throws runs again';

/** Throws when the handler's actions differ from those of the first scenario. */
export function requireEqualExecutions(
  expected: Observation,
  actual: Observation,
  compare: ((v: unknown) => unknown) | undefined,
): void {
  if (actual.missingCapabilities.length > 0) return;
  requireEqualEvents(expected, actual);
  requireEqualEffects(expected, actual);
  if (!expected.returnsInputRequests) {
    const [one, other] = [expected.outcome, actual.outcome].map(value =>
      toCanonicalJson(compare ? compare(value) : value),
    );
    if (one !== other)
      throw createDifferenceError(
        actual,
        `came to ${truncate(other ?? '')}`,
        expected,
        `came to ${truncate(one ?? '')}`,
        USE_STEP_HINT,
      );
  }
}

/** Throws when the client got a different result than in another scenario of the same version. */
export function requireEqualResults(first: Observation, actual: Observation): void {
  const [one, other] = [first, actual].map(({ result, error }) => {
    const { _meta, resultType, ...rest } = result ?? {};
    return toCanonicalJson(error ? { code: error.code } : rest);
  });
  if (one === other) return;
  throw createDifferenceError(
    actual,
    `answered ${truncate(other ?? '')}`,
    first,
    `answered ${truncate(one ?? '')}`,
    USE_STEP_HINT,
  );
}

/** Finds an action that the handler did in this scenario and not in the first one, or not at this point. */
export function findUnexpectedAction(
  expected: Observation,
  actual: Observation,
  actions: readonly HandlerAction[],
): TenonError | undefined {
  const last = actions.at(-1) as HandlerAction;
  const inOrder = !expected.overlaps && !actual.overlaps;
  const instead = inOrder ? expected.actions[actions.length - 1] : subtract(expected.actions, actions)[0];
  const fits = inOrder
    ? instead !== undefined && toComparisonKey(instead) === toComparisonKey(last)
    : subtract(actions, expected.actions).length === 0;
  if (fits) return undefined;
  const there = instead ? `came to ${describeAction(instead)}` : 'came to nothing more';
  return createDifferenceError(actual, `came to ${describeAction(last)}`, expected, there, USE_STEP_HINT);
}

/** Finds an action that the handler did in the first scenario and not in this one. */
export function findMissingAction(
  expected: Observation,
  actual: Observation,
  actions: readonly HandlerAction[],
): TenonError | undefined {
  const [first] = subtract(expected.actions, actions);
  return (
    first &&
    createDifferenceError(
      actual,
      `came to its end without ${describeAction(first)}`,
      expected,
      'did not',
      USE_STEP_HINT,
    )
  );
}

function requireEqualEvents(expected: Observation, actual: Observation): void {
  const same = expected.scenario.dialect === actual.scenario.dialect;
  const [one, other] = [expected, actual].map(each => each.seen.map(event => normalizeEvent(event, same))) as [
    object[],
    object[],
  ];
  const [more] = subtract(other, one);
  if (more) throw createCountError(expected, one, actual, other, more);
  const [fewer] = subtract(one, other);
  if (fewer) throw createCountError(expected, one, actual, other, fewer);
  if (expected.overlaps || actual.overlaps) return;
  const index = one.findIndex((each, place) => toComparisonKey(each) !== toComparisonKey(other[place] as object));
  if (index < 0) return;
  throw createDifferenceError(
    actual,
    `${describeEvent(other[index] as ObservedEvent)} here`,
    expected,
    describeEvent(one[index] as ObservedEvent),
    USE_STEP_HINT,
  );
}

/**
 * Removes the differences of input requests between versions. The requests are also compared where the handler made
 * them.
 */
function normalizeEvent(event: ObservedEvent, sameVersion: boolean): object {
  if ('step' in event) return event;
  // If the protocol requires a value that the handler did not provide, the server generates it.
  const { elicitationId: _, ...params } = event.params;
  if (sameVersion) return { question: event.question, params };
  const { message, url } = params;
  return { question: event.question, params: { ...(message ? { message } : {}), ...(url ? { url } : {}) } };
}

function createCountError(
  expected: Observation,
  one: object[],
  actual: Observation,
  other: object[],
  what: object,
): TenonError {
  const [here, there] = [other, one].map(
    all => all.filter(each => toComparisonKey(each) === toComparisonKey(what)).length,
  ) as [number, number];
  const next = 'step' in what ? STEP_NAME_HINT : USE_STEP_HINT;
  return createDifferenceError(
    actual,
    `${describeEvent(what as ObservedEvent)} ${formatTimes(here)}`,
    expected,
    formatTimes(there),
    next,
  );
}

function describeEvent(event: ObservedEvent): string {
  if ('step' in event) return `ran the step "${event.step}"`;
  return `asked the client ${describeAction(event)}`;
}

/**
 * Compares effects. A step that was interrupted runs again, so its effects may occur more often, but there may be no
 * others.
 */
function requireEqualEffects(expected: Observation, actual: Observation): void {
  const [one, other] = [expected, actual].map(({ effects }) => effects.map(effect => ({ effect }))) as [
    ObservedEffect[],
    ObservedEffect[],
  ];
  const [fewer] = subtract(one, other);
  if (fewer) throw createEffectError(expected, one, actual, other, fewer);
  const more = subtract(other, one).find(
    each => actual.interruptedCount === 0 || !one.some(known => toComparisonKey(known) === toComparisonKey(each)),
  );
  if (more) throw createEffectError(expected, one, actual, other, more);
  if (expected.overlaps || actual.overlaps || actual.interruptedCount > 0) return;
  const index = one.findIndex(
    (each, place) => toComparisonKey(each) !== toComparisonKey(other[place] as ObservedEffect),
  );
  if (index >= 0)
    throw createDifferenceError(
      actual,
      `did ${describeEffect(other[index])} here`,
      expected,
      `did ${describeEffect(one[index])}`,
      REPLAY_HINT,
    );
}

interface ObservedEffect {
  readonly effect: unknown;
}

function createEffectError(
  expected: Observation,
  one: ObservedEffect[],
  actual: Observation,
  other: ObservedEffect[],
  what: ObservedEffect,
): TenonError {
  const count = (all: ObservedEffect[]) => all.filter(each => toComparisonKey(each) === toComparisonKey(what)).length;
  return createDifferenceError(
    actual,
    `did ${describeEffect(what)} ${formatTimes(count(other))}`,
    expected,
    formatTimes(count(one)),
    REPLAY_HINT,
  );
}

function describeEffect(what: ObservedEffect | undefined): string {
  return truncate(toCanonicalJson(what?.effect));
}

function formatTimes(count: number): string {
  return ['not at all', 'once', 'twice'][count] ?? `${count} times`;
}

function createDifferenceError(
  actual: Observation,
  here: string,
  first: Observation,
  there: string,
  hint: string,
): TenonError {
  return new TenonError(
    'testing/ways-differ',
    `${describeExecution(actual)} ${here}, where ${describeExecution(first)} ${there}`,
    { hint },
  );
}
