import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ValueCheck } from './compile-schema.js';
import { type PreparedSchema, prepareSchema } from './prepare-schema.js';
import { explainFailure, memoize, validatePrepared } from './validate-json-schema.js';

/** The prepared schema of each form, so that a form that is compiled for each use is prepared only once. */
const preparations = new WeakMap<JsonObject, () => PreparedSchema>();

/** Creates the check of a JSON Schema that the application's author wrote. */
export function compileCheck(json: JsonObject): ValueCheck {
  const getPrepared = preparations.get(json) ?? memoize(() => prepareSchema(json));
  preparations.set(json, getPrepared);
  return value => {
    try {
      return validatePrepared(getPrepared(), value);
    } catch (error) {
      if (TenonError.is(error) && error.code === 'schema/broken') return Promise.reject(error);
      const reason = TenonError.is(error) ? `the schema cannot judge it: ${error.message}` : explainFailure(error);
      return { ok: false, issues: [{ path: [], message: `could not be checked: ${reason}` }] };
    }
  };
}
