import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { inspect, type SchemaLimits } from './inspection.js';
import { reach } from './pattern.js';
import { prepare } from './preparation.js';
import type { Checked } from './validate.js';
import { once, verdict, whyFailed } from './verdict.js';

/** `ok: null` when the schema can not be judged by, and `why`. */
export type Judged = Checked | { readonly ok: null; readonly why: string };

export interface Judge {
  readonly json: JsonObject;
  /** Checks a value. Never throws. */
  check(value: unknown): Judged;
}

/** The bounds of a schema that a peer sent. */
const FOREIGN_LIMITS: SchemaLimits = { depth: 64, values: 20_000 };

/**
 * Makes a judge of a JSON Schema that a peer sent. It is bounded in size, in the steps of a check and in what its
 * patterns may cost; what goes beyond, and what is no JSON Schema, can not judge.
 */
export function compileJson(json: JsonObject): Judge {
  const prepared = once(() => {
    inspect(json, FOREIGN_LIMITS);
    return prepare(json, reach);
  });
  return {
    json,
    check(value) {
      try {
        return verdict(prepared(), value);
      } catch (error) {
        return { ok: null, why: TenonError.is(error) ? error.message : whyFailed(error) };
      }
    },
  };
}
