import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { CheckResult } from './compile-schema.js';
import { inspectSchema, type SchemaLimits } from './inspect-schema.js';
import { compileJsonSchema } from './json-schema/compile-json-schema.js';
import { estimateMaxLength } from './patterns/estimate-max-length.js';
import { explainFailure, memoize, validateCompiled } from './validate-json-schema.js';

/** Result of a check. With `ok: null` the schema cannot be used, and `reason` says why. */
export type PeerCheckResult = CheckResult | { readonly ok: null; readonly reason: string };

/** Validator of values by a JSON Schema that a peer sent. */
export interface PeerSchemaValidator {
  /** The JSON Schema that the peer sent. */
  readonly json: JsonObject;
  /** Checks a value. Never throws. */
  check(value: unknown): PeerCheckResult;
}

/** Limits of a schema that a peer sent. */
const PEER_SCHEMA_LIMITS: SchemaLimits = { maxDepth: 64, maxValues: 20_000 };

/**
 * Compiles a JSON Schema that a peer sent. Its size, the steps of a check and the cost of its patterns are limited. A
 * schema beyond the limits and an invalid schema cannot validate values.
 */
export function compilePeerSchema(json: JsonObject): PeerSchemaValidator {
  const getCompiled = memoize(() => {
    inspectSchema(json, PEER_SCHEMA_LIMITS);
    return compileJsonSchema(json, estimateMaxLength);
  });
  return {
    json,
    check(value) {
      try {
        return validateCompiled(getCompiled(), value);
      } catch (error) {
        return { ok: null, reason: TenonError.is(error) ? error.message : explainFailure(error) };
      }
    },
  };
}
