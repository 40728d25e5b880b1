import { createBrokenSchemaError } from './broken-schema.js';
import {
  addEvaluated,
  addFailure,
  type CheckRun,
  countSteps,
  KEYWORD_STEPS,
  REMEMBER_STEPS,
  type SchemaCheck,
} from './check-run.js';
import type { CompiledKeyword } from './keyword-compiler.js';
import type { SchemaResource } from './schema-document.js';

/** Keywords that apply subschemas to members of the value. */
const MEMBER_KEYWORDS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties'],
  ...['prefixItems', 'items', 'additionalItems', 'unevaluatedItems'],
]);

/** A keyword takes more steps while its failures are collected. */
const COLLECTING_FACTOR = 6;

/**
 * Creates the check of all keywords of a schema. The first failure ends the check, unless failures are collected. Each
 * check is counted, because references that fan out let a small schema take very long.
 * @param checks Checks of the same keywords that need not record anything.
 */
export function createSchemaCheck(keywords: readonly CompiledKeyword[], checks: readonly SchemaCheck[]): SchemaCheck {
  // A value that is not JSON has no type, so `type` reports it.
  const hasType = keywords.some(({ keyword }) => keyword === 'type');
  const steps = KEYWORD_STEPS * Math.max(1, keywords.length);
  return (value, run) => {
    countSteps(run, steps);
    if (run.failures !== undefined) return collectFailures(keywords, value, run);
    if (!hasType) requireJson(value);
    for (let index = 0; index < checks.length; index++) if (!(checks[index] as SchemaCheck)(value, run)) return false;
    return true;
  };
}

function collectFailures(keywords: readonly CompiledKeyword[], value: unknown, run: CheckRun): boolean {
  requireJson(value);
  countSteps(run, keywords.length * KEYWORD_STEPS * COLLECTING_FACTOR);
  const { failures } = run;
  let isValid = true;
  let hasEnded = false;
  for (const { keyword, expected, check } of keywords) {
    const appliesToMembers = MEMBER_KEYWORDS.has(keyword);
    if (hasEnded && appliesToMembers) continue;
    const inner = [] as NonNullable<typeof failures>;
    run.failures = inner;
    const isSatisfied = check(value, run);
    run.failures = failures;
    if (isSatisfied) continue;
    isValid = false;
    hasEnded ||= appliesToMembers && run.stopsAtFirst;
    addFailure(run, keyword, value, expected, inner);
  }
  return isValid;
}

/** Throws `TypeError` for a value that JSON cannot represent. */
function requireJson(value: unknown): void {
  const type = typeof value;
  if (type !== 'object' && type !== 'string' && type !== 'number' && type !== 'boolean')
    throw new TypeError(`${type} is not a JSON value`);
}

/** Wraps a check so that it records the members that its keywords evaluate. */
export function createTrackingCheck(check: SchemaCheck): SchemaCheck {
  return (value, run) => {
    const { evaluated } = run;
    const own = new Set<string | number>();
    countSteps(run, REMEMBER_STEPS);
    run.evaluated = own;
    const isValid = check(value, run);
    run.evaluated = evaluated;
    if (evaluated !== undefined) addEvaluated(own, evaluated, run);
    return isValid;
  };
}

/** Wraps a check so that it records the resource of its schema for dynamic references. */
export function createScopedCheck(check: SchemaCheck, resource: SchemaResource): SchemaCheck {
  return (value, run) => {
    const { scope } = run;
    if (scope?.resource === resource) return check(value, run);
    run.scope = { resource, outer: scope };
    const isValid = check(value, run);
    run.scope = scope;
    return isValid;
  };
}

/** Creates a check that throws `schema/broken`. An invalid part of a schema affects only the values that reach it. */
export function createInvalidCheck(reason: string, createError = createBrokenSchemaError): SchemaCheck {
  return () => {
    throw createError(reason);
  };
}
