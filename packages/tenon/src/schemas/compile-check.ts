import { type JsonObject, TenonError } from '@tenon/base';
import type { ValueCheck } from './compile-schema.js';
import { type CompiledSchema, compileJsonSchema } from './json-schema/compile-json-schema.js';
import { explainFailure, memoize, validateCompiled } from './validate-json-schema.js';

/** The compiled schema of each form, so that a form that is used again is compiled only once. */
const compiledSchemas = new WeakMap<JsonObject, () => CompiledSchema>();

/** Creates the check of a JSON Schema that the application's author wrote. */
export function compileCheck(json: JsonObject): ValueCheck {
  const getCompiled = compiledSchemas.get(json) ?? memoize(() => compileJsonSchema(json));
  compiledSchemas.set(json, getCompiled);
  return value => {
    try {
      return validateCompiled(getCompiled(), value);
    } catch (error) {
      if (TenonError.is(error) && error.code === 'schema/broken') return Promise.reject(error);
      const reason = TenonError.is(error) ? `the schema cannot judge it: ${error.message}` : explainFailure(error);
      return { ok: false, issues: [{ path: [], message: `could not be checked: ${reason}` }] };
    }
  };
}
