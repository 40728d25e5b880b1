import { isObject, isTextList, type JsonObject, shorten } from '@tenon/base';
import { createBrokenSchemaError } from './broken-schema.js';
import {
  type CheckRun,
  checkMember,
  countSteps,
  getLookupSteps,
  KEYWORD_STEPS,
  listNames,
  REMEMBER_STEPS,
  type SchemaCheck,
} from './check-run.js';
import type { CompiledKeyword, KeywordCompilers, KeywordContext, PatternTest } from './keyword-compiler.js';

type ObjectCheck = (object: JsonObject, run: CheckRun) => boolean;
type NameTest = (key: string, run: CheckRun) => boolean;
type SchemaMap = { readonly [name: string]: unknown };

/** Compilers of the keywords for objects. */
export const OBJECT_KEYWORDS: KeywordCompilers = {
  required(names: readonly string[]) {
    const steps = getLookupSteps(names);
    return checkObject((object, run) => {
      countSteps(run, steps);
      return hasAll(object, names);
    });
  },
  minProperties: (limit: number) => checkObject((object, run) => listNames(object, run).length >= limit),
  maxProperties: (limit: number) => checkObject((object, run) => listNames(object, run).length <= limit),
  propertyNames(schema: unknown, { compile }) {
    const check = compile(schema);
    return checkObject((object, run) => {
      let isValid = true;
      for (const key of listNames(object, run)) isValid = checkMember(check, key, key, run) && isValid;
      return isValid;
    });
  },
  dependentRequired(dependencies: { readonly [name: string]: readonly string[] }) {
    const entries = Object.entries(dependencies);
    const steps = getLookupSteps([...Object.keys(dependencies), ...entries.flatMap(([, names]) => names)]);
    return checkObject((object, run) => {
      countSteps(run, steps);
      return entries.every(([key, names]) => !Object.hasOwn(object, key) || hasAll(object, names));
    });
  },
  dependentSchemas(schemas: SchemaMap, { compile }) {
    const checks = Object.entries(schemas).map(([key, schema]) => [key, compile(schema)] as const);
    const steps = getLookupSteps(Object.keys(schemas));
    return checkObject((object, run) => {
      countSteps(run, steps);
      let isValid = true;
      for (const [key, check] of checks) if (Object.hasOwn(object, key)) isValid = check(object, run) && isValid;
      return isValid;
    });
  },
  properties: (schemas: SchemaMap, context) => compileMembers(schemas, context, [], undefined),
  patternProperties(schemas: SchemaMap, context) {
    const checks = Object.entries(schemas).map(
      ([source, schema]) => [requirePattern(source, context), context.compile(schema)] as const,
    );
    return checkObject((object, run) => {
      let isValid = true;
      const names = checks.length > 0 ? listNames(object, run) : [];
      for (const [matches, check] of checks) {
        for (const key of names) {
          if (!matches(key, run) || checkProperty(check, object, key, run)) continue;
          isValid = false;
          if (run.stopsAtFirst) return false;
        }
      }
      return isValid;
    });
  },
  additionalProperties(schema: unknown, context) {
    const check = context.compile(schema);
    const isNamed = createNameTest(context);
    return checkObject((object, run) => checkRest(check, object, isNamed, run));
  },
  unevaluatedProperties(schema: unknown, { compile }) {
    const check = compile(schema);
    const isEvaluated: NameTest = (key, { evaluated }) => evaluated?.has(key) === true;
    return checkObject((object, run) => checkRest(check, object, isEvaluated, run));
  },
};

/**
 * Returns the checks of the keywords of a schema for a run that records nothing. In it, one pass over an object checks
 * `required`, `properties` and `additionalProperties: false`, which takes half of the time.
 */
export function joinObjectChecks(keywords: readonly CompiledKeyword[], context: KeywordContext): SchemaCheck[] {
  const { properties, required = [], additionalProperties } = context.schema;
  const checks = new Map(keywords.map(({ keyword, check }) => [keyword, check]));
  const canJoin = checks.has('properties') && isObject(properties) && isTextList(required);
  if (canJoin && required.every(name => Object.hasOwn(properties, name)) && !context.document.tracksEvaluated) {
    const checkOthers = additionalProperties === false ? checks.get('additionalProperties') : undefined;
    if (checkOthers !== undefined) checks.delete('additionalProperties');
    checks.delete('required');
    checks.set('properties', compileMembers(properties, context, required, checkOthers));
  }
  return [...checks.values()];
}

/**
 * Creates the check of the members that `properties` names.
 * @param required Names that an object must have.
 * @param checkOthers Checks an object that has also other members.
 */
function compileMembers(
  schemas: SchemaMap,
  { compile }: KeywordContext,
  required: readonly string[],
  checkOthers: SchemaCheck | undefined,
): SchemaCheck {
  const names = Object.keys(schemas);
  const requiredNames = new Set(required);
  const members = names.map(key => ({ key, check: compile(schemas[key]), isRequired: requiredNames.has(key) }));
  const isInherited = names.some(name => name in Object.prototype);
  const steps = getLookupSteps([...names, ...required]);
  return checkObject((object, run) => {
    countSteps(run, steps);
    const prototype: unknown = Object.getPrototypeOf(object);
    const isPlain = !isInherited && (prototype === Object.prototype || prototype === null);
    let count = 0;
    let isValid = true;
    for (const { key, check, isRequired } of members) {
      // A value in a plain object is its own. To ask the object takes longer than to read it.
      const member = isPlain ? object[key] : undefined;
      if (member === undefined && !Object.hasOwn(object, key)) {
        if (isRequired) return false;
        continue;
      }
      count++;
      if (isPlain && run.isSimple ? check(member, run) : checkProperty(check, object, key, run)) continue;
      isValid = false;
      if (run.stopsAtFirst) break;
    }
    return isValid && (!checkOthers || listNames(object, run).length === count || checkOthers(object, run));
  });
}

function checkObject(check: ObjectCheck): SchemaCheck {
  return (value, run) => !isObject(value) || check(value, run);
}

function hasAll(object: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (!Object.hasOwn(object, name)) return false;
  return true;
}

function checkProperty(check: SchemaCheck, object: JsonObject, key: string, run: CheckRun): boolean {
  const isValid = checkMember(check, object[key], key, run);
  if (isValid && run.evaluated !== undefined) {
    countSteps(run, REMEMBER_STEPS);
    run.evaluated.add(key);
  }
  return isValid;
}

/** Checks the members that no other keyword names. */
function checkRest(check: SchemaCheck, object: JsonObject, isNamed: NameTest, run: CheckRun): boolean {
  let isValid = true;
  const names = listNames(object, run);
  countSteps(run, names.length * KEYWORD_STEPS);
  for (const key of names) {
    if (isNamed(key, run) || checkProperty(check, object, key, run)) continue;
    isValid = false;
    if (run.stopsAtFirst) break;
  }
  return isValid;
}

/** Creates a test for the names that `properties` and `patternProperties` of the same schema cover. */
function createNameTest(context: KeywordContext): NameTest {
  const { properties, patternProperties } = context.schema;
  const names = new Set(isObject(properties) ? Object.keys(properties) : []);
  if (!isObject(patternProperties)) return key => names.has(key);
  const patterns = Object.keys(patternProperties).map(source => requirePattern(source, context));
  return (key, run) => names.has(key) || patterns.some(matches => matches(key, run));
}

function requirePattern(source: string, { compilePattern }: KeywordContext): PatternTest {
  const test = compilePattern(source);
  if (test !== undefined) return test;
  throw createBrokenSchemaError(`its pattern ${shorten(JSON.stringify(source))} is not a regular expression`);
}
