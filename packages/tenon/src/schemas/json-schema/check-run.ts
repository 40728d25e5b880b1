import { createWorkLimitError } from './broken-schema.js';
import type { SchemaResource } from './schema-document.js';
import { countSteps, REMEMBER_STEPS } from './work.js';

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
