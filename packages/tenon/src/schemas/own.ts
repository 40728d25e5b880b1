import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { type Prepared, prepare } from './preparation.js';
import type { Check } from './validate.js';
import { once, verdict, whyFailed } from './verdict.js';

/** A form is compiled each time that it is asked: its schema is prepared once. */
const preparations = new WeakMap<JsonObject, () => Prepared>();

/** Makes the check of a JSON Schema that this program's author wrote. */
export function checkOf(json: JsonObject): Check {
  const prepared = preparations.get(json) ?? once(() => prepare(json));
  preparations.set(json, prepared);
  return value => {
    try {
      return verdict(prepared(), value);
    } catch (error) {
      if (TenonError.is(error) && error.code === 'schema/broken') return Promise.reject(error);
      const why = TenonError.is(error) ? `the schema can not judge it: ${error.message}` : whyFailed(error);
      return { ok: false, issues: [{ path: [], message: `could not be checked: ${why}` }] };
    }
  };
}
