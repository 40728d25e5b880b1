import { TenonError } from '../jsonrpc/error.js';
import type { CheckResult } from './compile-schema.js';
import type { CompiledSchema } from './json-schema/compile-json-schema.js';
import { explainFailures } from './json-schema/explain-failures.js';
import { getJsonType } from './json-schema/keyword-messages.js';

/**
 * Maximum number of nested values for which all issues are collected. In a larger value, the first issue ends the
 * search.
 */
const MAX_EXPLAINED = 5_000;

/** Calls `make` on the first call. Later calls return the same result or throw the same error. */
export function memoize<T>(make: () => T): () => T {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
  return () => {
    if (outcome === undefined) {
      try {
        outcome = { value: make() };
      } catch (error) {
        outcome = { error };
      }
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  };
}

/** Validates a value. Throws an error that `explainFailure` explains. */
export function validateCompiled(schema: CompiledSchema, value: unknown): CheckResult {
  try {
    return collectIssues(schema, value, value);
  } catch (error) {
    if (TenonError.is(error) || error instanceof RangeError || error instanceof URIError) throw error;
    // Values that JSON cannot represent are dropped or converted on the wire, so the converted value is checked.
    const text = JSON.stringify(value);
    if (text !== undefined) return collectIssues(schema, JSON.parse(text), value);
    return { ok: false, issues: [{ path: [], message: `expected a JSON value, got ${getJsonType(value)}` }] };
  }
}

/** Collects the issues of a value with a second check, so that valid values need no extra time. */
function collectIssues(schema: CompiledSchema, json: unknown, value: unknown): CheckResult {
  if (schema.isValid(json)) return { ok: true, value };
  return { ok: false, issues: explainFailures(schema.findFailures(json, !isSmall(json))) };
}

function isSmall(json: unknown): boolean {
  let left = MAX_EXPLAINED;
  const waiting = [json];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inside = Object.values(value);
    left -= inside.length;
    if (left < 0) return false;
    for (const each of inside) waiting.push(each);
  }
  return true;
}

export function explainFailure(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply or too large';
  if (error instanceof URIError) return 'a name in it is not well-formed Unicode';
  return 'it is not JSON';
}
