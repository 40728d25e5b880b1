import { type CheckRun, checkMember, countSteps, REMEMBER_STEPS, type SchemaCheck } from './check-run.js';
import { areUnique } from './equality.js';
import type { KeywordCompilers, KeywordContext } from './keyword-compiler.js';

type ArrayCheck = (items: readonly unknown[], run: CheckRun) => boolean;

/** Compilers of the keywords for arrays. */
export const ARRAY_KEYWORDS: KeywordCompilers = {
  maxItems: (limit: number) => checkArray(items => items.length <= limit),
  minItems: (limit: number) => checkArray(items => items.length >= limit),
  prefixItems: (schemas: readonly unknown[], context) => compileTuple(schemas, context),
  items(schema: unknown, context) {
    if (Array.isArray(schema)) return compileTuple(schema, context);
    const { prefixItems } = context.schema;
    return compileRest(schema, context, Array.isArray(prefixItems) ? prefixItems.length : 0);
  },
  additionalItems(schema: unknown, context) {
    const { items } = context.schema;
    return Array.isArray(items) ? compileRest(schema, context, items.length) : undefined;
  },
  contains(schema: unknown, { compile, schema: { minContains }, document }) {
    const check = compile(schema);
    return checkArray((items, run) => {
      countItems(items.length, run);
      let matches = 0;
      for (let index = 0; index < items.length; index++) {
        if (!checkMember(check, items[index], index, run)) continue;
        matches++;
        // Before 2020-12, `contains` does not affect the remaining items.
        if (document.draft === '2020-12') run.evaluated?.add(index);
      }
      return matches > 0 || minContains !== undefined;
    });
  },
  minContains: (limit: number, context) => compileMatchLimit(context, matches => matches >= limit),
  maxContains: (limit: number, context) => compileMatchLimit(context, matches => matches <= limit),
  unevaluatedItems: (schema: unknown, context) => compileRest(schema, context, 0, true),
  uniqueItems: (isWanted: unknown) => (isWanted === true ? checkArray(areUnique) : undefined),
};

function checkArray(check: ArrayCheck): SchemaCheck {
  return (value, run) => !Array.isArray(value) || check(value, run);
}

function countItems(count: number, run: CheckRun): void {
  countSteps(run, count * (run.evaluated === undefined ? 1 : REMEMBER_STEPS));
}

/** Applies each schema to the item at its position. */
function compileTuple(schemas: readonly unknown[], { compile }: KeywordContext): SchemaCheck {
  const checks = schemas.map(schema => compile(schema));
  return checkItems(index => checks[index] as SchemaCheck, 0, checks.length, false);
}

/** Applies a schema to the items from `start`. */
function compileRest(schema: unknown, { compile }: KeywordContext, start: number, skipsEvaluated = false): SchemaCheck {
  const check = compile(schema);
  return checkItems(() => check, start, Number.POSITIVE_INFINITY, skipsEvaluated);
}

function checkItems(
  getCheck: (index: number) => SchemaCheck,
  start: number,
  end: number,
  skipsEvaluated: boolean,
): SchemaCheck {
  return checkArray((items, run) => {
    const last = Math.min(items.length, end);
    countItems(Math.max(0, last - start), run);
    const { evaluated } = run;
    let isValid = true;
    for (let index = start; index < last; index++) {
      if (skipsEvaluated && evaluated?.has(index)) continue;
      evaluated?.add(index);
      if (checkMember(getCheck(index), items[index], index, run)) continue;
      isValid = false;
      if (run.stopsAtFirst) break;
    }
    return isValid;
  });
}

function compileMatchLimit(
  { schema, compile }: KeywordContext,
  isAllowed: (matches: number) => boolean,
): SchemaCheck | undefined {
  if (schema.contains === undefined) return undefined;
  const check = compile(schema.contains);
  return checkArray((items, run) => {
    countItems(items.length, run);
    const { failures } = run;
    // Failures of single items do not explain a wrong number of items.
    run.failures = undefined;
    let matches = 0;
    for (let index = 0; index < items.length; index++) if (checkMember(check, items[index], index, run)) matches++;
    run.failures = failures;
    return isAllowed(matches);
  });
}
