import { createWorkLimitError } from './broken-schema.js';
import type { SchemaResource } from './schema-document.js';

/** Checks a value against a schema or against one keyword. */
export type SchemaCheck = (value: unknown, run: CheckRun) => boolean;

/** A keyword that a value does not satisfy, with its failures. */
export interface Failure {
  /** Name of the keyword. `false` for the schema `false`, and `form` for one alternative of `anyOf` and `oneOf`. */
  readonly keyword: string;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** The value of the keyword in the schema. */
  readonly expected: unknown;
  /** Failures of the subschemas of the keyword. */
  readonly inner: readonly Failure[];
}

/** The resources that references have passed through, innermost first. */
export interface DynamicScope {
  readonly resource: SchemaResource;
  readonly outer: DynamicScope | undefined;
}

/** State of one check of one value. */
export interface CheckRun {
  /** False while failures or evaluated members are recorded. */
  readonly isSimple: boolean;
  /** True if the first member that fails ends the check of its siblings. */
  stopsAtFirst: boolean;
  /** Failures of the current keyword. Undefined when only success counts. */
  failures: Failure[] | undefined;
  readonly path: (string | number)[];
  /** Members of the current value that subschemas have evaluated. Undefined when no keyword needs them. */
  evaluated: Set<string | number> | undefined;
  scope: DynamicScope | undefined;
  /** Number of steps that the check may still take. */
  steps: number;
  /** Number of failures that were recorded. */
  failureCount: number;
}

/**
 * Maximum number of steps of one check. A step takes about 5 ns, so a check at the limit takes less than 200 ms. An
 * array of a million small objects stays below it.
 */
export const MAX_STEPS = 38_000_000;

/** Steps of one keyword, of one alternative, of one look-up of a member, and of one member noted as evaluated. */
export const KEYWORD_STEPS = 3;
export const BRANCH_STEPS = 5;
export const LOOKUP_STEPS = 4;
export const REMEMBER_STEPS = 36;

/**
 * Steps to list a name of an object, by the number of its names. V8 stores an object with more than 100 names as a hash
 * table, whose names it sorts each time that it lists them.
 */
const NAME_STEPS: readonly { readonly maxNames: number; readonly steps: number }[] = [
  { maxNames: 100, steps: 2 },
  { maxNames: 1_000, steps: 20 },
  { maxNames: Number.POSITIVE_INFINITY, steps: 90 },
];
/** Further steps to list or look up a name that begins with a digit: V8 stores numbers apart, and converts the name. */
const DIGIT_NAME_STEPS = 60;
/** Further steps to list the names of an object that has such names. */
const DIGIT_OBJECT_STEPS = 40;

/** Number of characters that the engine compares in one step. */
const COMPARED_CHARACTERS = 32;
/** Up to this length, texts are compared within the steps of the keyword. */
const SHORT_TEXT = 128;

/** Number of failures after which only the first member of each value is explained. */
const MANY_FAILURES = 5_000;
const MAX_FAILURES = 20_000;
/** Steps of one failure, and of one member while failures are recorded. */
const FAILURE_STEPS = 60;
const RECORDED_MEMBER_STEPS = 30;

/** Applies a subschema to a member of the current value. Throws `URIError` for a name that UTF-8 cannot encode. */
export function checkMember(check: SchemaCheck, member: unknown, key: string | number, run: CheckRun): boolean {
  if (run.isSimple) return check(member, run);
  const { evaluated, path } = run;
  if (run.failures !== undefined) {
    countSteps(run, RECORDED_MEMBER_STEPS + (typeof key === 'string' ? key.length : 0));
    encodeURIComponent(key);
  }
  run.evaluated = undefined;
  path.push(key);
  const isValid = check(member, run);
  path.pop();
  run.evaluated = evaluated;
  return isValid;
}

/**
 * Applies a subschema to the current value. Members that it evaluates count only if it succeeds.
 * @param failures Receives the failures of the subschema.
 */
export function checkBranch(
  check: SchemaCheck,
  value: unknown,
  run: CheckRun,
  failures: Failure[] | undefined,
): boolean {
  if (run.isSimple) return check(value, run);
  const { evaluated, failures: outer } = run;
  const own = evaluated && new Set<string | number>();
  run.failures = failures;
  run.evaluated = own;
  const isValid = check(value, run);
  if (isValid && own !== undefined && evaluated !== undefined) addEvaluated(own, evaluated, run);
  run.failures = outer;
  run.evaluated = evaluated;
  return isValid;
}

/** Adds the members that a subschema has evaluated to those of its schema. */
export function addEvaluated(own: ReadonlySet<string | number>, evaluated: Set<string | number>, run: CheckRun): void {
  countSteps(run, own.size * REMEMBER_STEPS);
  for (const key of own) evaluated.add(key);
}

/** Applies one alternative of several, and records its failures as one failure. */
export function checkForm(check: SchemaCheck, value: unknown, run: CheckRun): boolean {
  const inner = run.failures && [];
  if (checkBranch(check, value, run, inner)) return true;
  if (inner !== undefined) addFailure(run, 'form', value, undefined, inner);
  return false;
}

export function addFailure(
  run: CheckRun,
  keyword: string,
  value: unknown,
  expected: unknown,
  inner: readonly Failure[],
): void {
  const { failures, path } = run;
  if (failures === undefined) return;
  countSteps(run, FAILURE_STEPS + path.length);
  if (++run.failureCount > MAX_FAILURES) throw createWorkLimitError('the value has too many faults');
  if (run.failureCount > MANY_FAILURES) run.stopsAtFirst = true;
  failures.push({ keyword, path: [...path], value, expected, inner });
}

/** Counts the work that a part of a check is about to do. Throws `schema/work-limit` when no steps are left. */
export function countSteps(run: CheckRun, steps: number): void {
  run.steps -= steps;
  if (run.steps < 0) throw createWorkLimitError();
}

/** Lists the names of an object. They can be counted only after they were listed. The steps include a look-up of each. */
export function listNames(object: object, run: CheckRun): string[] {
  const names = Object.keys(object);
  const { steps = 0 } = NAME_STEPS.find(({ maxNames }) => names.length <= maxNames) ?? {};
  const digitNames = countDigitNames(names);
  const digitSteps = digitNames > 0 ? DIGIT_OBJECT_STEPS + digitNames * DIGIT_NAME_STEPS : 0;
  countSteps(run, names.length * steps + digitSteps);
  return names;
}

/** Returns the steps to look up each of the names in one object. */
export function getLookupSteps(names: readonly string[]): number {
  return names.length * LOOKUP_STEPS + countDigitNames(names) * DIGIT_NAME_STEPS;
}

function countDigitNames(names: readonly string[]): number {
  let count = 0;
  for (const name of names) {
    const first = name.charCodeAt(0);
    if (first >= 0x30 && first <= 0x39) count++;
  }
  return count;
}

/** Counts the comparisons of a text with `count` texts of the same length. */
export function countComparisons(text: string, count: number, run: CheckRun): void {
  if (text.length > SHORT_TEXT) countSteps(run, Math.ceil(text.length / COMPARED_CHARACTERS) * count);
}

/** Counts a pass over each part of a value, at `steps` for each part. */
export function countParts(value: unknown, steps: number, run: CheckRun): void {
  if (typeof value === 'string') countSteps(run, steps + value.length);
  else if (typeof value !== 'object' || value === null) countSteps(run, steps);
  else if (Array.isArray(value)) {
    countSteps(run, steps);
    for (const item of value) countParts(item, steps, run);
  } else {
    for (const name of listNames(value, run)) {
      countSteps(run, steps + name.length);
      countParts((value as { readonly [name: string]: unknown })[name], steps, run);
    }
  }
}
