import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { type CheckRun, checkMember, type SchemaCheck } from './check-run.js';
import type { KeywordCompilers, KeywordContext } from './keyword-compiler.js';

type ObjectCheck = (object: JsonObject, run: CheckRun) => boolean;
type SchemaMap = { readonly [name: string]: unknown };

/** Compilers of the keywords for objects. */
export const OBJECT_KEYWORDS: KeywordCompilers = {
  required: (names: readonly string[]) => checkObject(object => hasAll(object, names)),
  minProperties: (limit: number) => checkObject(object => Object.keys(object).length >= limit),
  maxProperties: (limit: number) => checkObject(object => Object.keys(object).length <= limit),
  propertyNames(schema: unknown, { compile }) {
    const check = compile(schema);
    return checkObject((object, run) => {
      let isValid = true;
      for (const key of Object.keys(object)) isValid = checkMember(check, key, key, run) && isValid;
      return isValid;
    });
  },
  dependentRequired(dependencies: { readonly [name: string]: readonly string[] }) {
    const entries = Object.entries(dependencies);
    return checkObject(object => entries.every(([key, names]) => !Object.hasOwn(object, key) || hasAll(object, names)));
  },
  dependentSchemas(schemas: SchemaMap, { compile }) {
    const checks = Object.entries(schemas).map(([key, schema]) => [key, compile(schema)] as const);
    return checkObject((object, run) => {
      let isValid = true;
      for (const [key, check] of checks) if (Object.hasOwn(object, key)) isValid = check(object, run) && isValid;
      return isValid;
    });
  },
  properties(schemas: SchemaMap, { compile }) {
    const checks = Object.entries(schemas).map(([key, schema]) => [key, compile(schema)] as const);
    return checkObject((object, run) => {
      let isValid = true;
      for (const [key, check] of checks) {
        if (!Object.hasOwn(object, key) || checkProperty(check, object, key, run)) continue;
        isValid = false;
        if (run.stopsAtFirst) break;
      }
      return isValid;
    });
  },
  patternProperties(schemas: SchemaMap, { compile, compilePattern }) {
    const checks = Object.entries(schemas).map(
      ([source, schema]) => [compilePattern(source), compile(schema)] as const,
    );
    return checkObject((object, run) => {
      let isValid = true;
      for (const [matches, check] of checks) {
        for (const key of Object.keys(object)) {
          if (!matches(key) || checkProperty(check, object, key, run)) continue;
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
    return checkObject((object, run) => checkRest(check, object, key => run.evaluated?.has(key) === true, run));
  },
};

function checkObject(check: ObjectCheck): SchemaCheck {
  return (value, run) => !isObject(value) || check(value, run);
}

function hasAll(object: JsonObject, names: readonly string[]): boolean {
  for (const name of names) if (!Object.hasOwn(object, name)) return false;
  return true;
}

function checkProperty(check: SchemaCheck, object: JsonObject, key: string, run: CheckRun): boolean {
  const isValid = checkMember(check, object[key], key, run);
  if (isValid) run.evaluated?.add(key);
  return isValid;
}

/** Checks the members that no other keyword names. */
function checkRest(check: SchemaCheck, object: JsonObject, isNamed: (key: string) => boolean, run: CheckRun): boolean {
  let isValid = true;
  for (const key of Object.keys(object)) {
    if (isNamed(key) || checkProperty(check, object, key, run)) continue;
    isValid = false;
    if (run.stopsAtFirst) break;
  }
  return isValid;
}

/** Creates a test for the names that `properties` and `patternProperties` of the same schema cover. */
function createNameTest({ schema, compilePattern }: KeywordContext): (key: string) => boolean {
  const { properties, patternProperties } = schema;
  const names = new Set(isObject(properties) ? Object.keys(properties) : []);
  if (!isObject(patternProperties)) return key => names.has(key);
  const patterns = Object.keys(patternProperties).map(source => compilePattern(source));
  return key => names.has(key) || patterns.some(matches => matches(key));
}
