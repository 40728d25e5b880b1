import { type JsonObject, TenonError } from '@tenon/base';
import type { CheckResult } from './compile-schema.js';
import { inspectSchema, type SchemaLimits } from './inspect-schema.js';
import { isWorkLimitError } from './json-schema/broken-schema.js';
import { compileJsonSchema } from './json-schema/compile-json-schema.js';
import { MAX_PATTERN } from './patterns/estimate-max-length.js';
import type { PatternLimits } from './patterns/pattern-compiler.js';
import { explainFailure, memoize, validateCompiled } from './validate-json-schema.js';

/** Result of a check. With `ok: null` the value could not be checked, and `reason` says why. */
export type PeerCheckResult = CheckResult | UncheckedValue;

/** A value that could not be checked. */
export interface UncheckedValue {
  readonly ok: null;
  /**
   * `schema/work-limit`: the check would take too long. `schema/too-large`: the schema is too large. Refuse the value in
   * both cases, because a peer can choose the schema and the value. Any other code: the schema cannot be used, for
   * example `schema/broken`.
   */
  readonly code: string;
  readonly reason: string;
}

/** Validator of values by a JSON Schema that a peer sent. */
export interface PeerSchemaValidator {
  /** The JSON Schema that the peer sent. */
  readonly json: JsonObject;
  /** Checks a value. Never throws. */
  check(value: unknown): PeerCheckResult;
  /** Returns what is invalid in the schema, also in parts that only some values reach. Never throws. */
  findFaults(): readonly string[];
}

/** Limits of a schema that a peer sent. They bound the time to compile it. */
const PEER_SCHEMA_LIMITS: SchemaLimits = { maxDepth: 64, maxValues: 20_000, maxText: 1_000_000 };
const PEER_PATTERN_LIMITS: PatternLimits = { maxLength: MAX_PATTERN, maxTotalLength: 20_000 };

/**
 * Compiles a JSON Schema that a peer sent. Its size, the steps of a check and the cost of its patterns are limited. A
 * schema beyond the limits and an invalid schema cannot validate values.
 */
export function compilePeerSchema(json: JsonObject): PeerSchemaValidator {
  const getCompiled = memoize(() => {
    inspectSchema(json, PEER_SCHEMA_LIMITS);
    return compileJsonSchema(json, PEER_PATTERN_LIMITS);
  });
  return {
    json,
    check(value) {
      try {
        return validateCompiled(getCompiled(), value);
      } catch (error) {
        return toUnchecked(error);
      }
    },
    findFaults() {
      try {
        return getCompiled().faults;
      } catch (error) {
        return [toUnchecked(error).reason];
      }
    },
  };
}

function toUnchecked(error: unknown): UncheckedValue {
  if (TenonError.is(error)) return { ok: null, code: error.code, reason: error.message };
  const code = isWorkLimitError(error) ? 'schema/work-limit' : 'schema/cannot-validate';
  return { ok: null, code, reason: explainFailure(error) };
}
