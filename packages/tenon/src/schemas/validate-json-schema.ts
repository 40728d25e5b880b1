import { getJsonType, TenonError } from '@tenon/base';
import type { CheckResult } from './compile-schema.js';
import type { CompiledSchema } from './json-schema/compile-json-schema.js';
import { explainFailures } from './json-schema/explain-failures.js';

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

const UNEXPLAINED = 'does not match the schema, and has too many parts to list the reasons';

function collectIssues(schema: CompiledSchema, json: unknown, value: unknown): CheckResult {
  const failures = schema.findFailures(json);
  if (failures === undefined) return { ok: true, value };
  const issues = explainFailures(failures);
  return { ok: false, issues: issues.length > 0 ? issues : [{ path: [], message: UNEXPLAINED }] };
}

export function explainFailure(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply or too large';
  if (error instanceof URIError) return 'a name in it is not well-formed Unicode';
  return 'it is not JSON';
}
