import { type OutputUnit, validate } from '@cfworker/json-schema';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { explain } from './faults.js';
import { inspect, type SchemaLimits } from './inspection.js';
import type { Issue } from './issues.js';
import { type Side, toJsonSchema } from './json-schema.js';
import { jsonType } from './leaves.js';
import { MAX_STEPS, type Prepared, prepare } from './preparation.js';
import { type InferOutput, isStandardSchema, type Schema, type StandardSchema } from './standard.js';

export { describeIssues, type Issue } from './issues.js';

export type Checked<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: Issue[] };

export interface Validator<T = unknown> {
  /** The JSON Schema to show to peers. Not to be changed. */
  readonly json: JsonObject;
  /**
   * Checks a value. A promise only where the schema itself is asynchronous; rejects with `schema/threw` when the schema
   * throws, and with `schema/broken` when JSON Schema can not be used at all.
   */
  check(value: unknown): Checked<T> | Promise<Checked<T>>;
}

/** `ok: null` when the schema can not be judged by, and `why`. */
export type Judged = Checked | { readonly ok: null; readonly why: string };

export interface Judge {
  readonly json: JsonObject;
  /** Checks a value. Never throws. */
  check(value: unknown): Judged;
}

/** The bounds of a schema that a peer sent. */
const FOREIGN_LIMITS: SchemaLimits = { depth: 64, values: 20_000 };
/** Values inside a value for which all issues are looked for; in a larger one the first ends the search. */
const MAX_EXPLAINED = 5_000;

/** A form is compiled each time that it is asked: its schema is prepared once. */
const preparations = new WeakMap<JsonObject, () => Prepared>();

/**
 * Makes a validator of a schema of this program's author. A Standard Schema validates by itself and applies its defaults
 * and transforms; JSON Schema leaves the value as it is.
 * Throws as `toJsonSchema` does.
 */
export function compile<const S extends Schema>(schema: S, side: Side): Validator<InferOutput<S>> {
  const json = toJsonSchema(schema, side);
  const check = isStandardSchema(schema) ? byStandard(schema) : byJson(json);
  return { json, check } as Validator<InferOutput<S>>;
}

/**
 * Makes a judge of a JSON Schema that a peer sent. It is bounded in size, in the steps of a check and in what its
 * patterns may cost; what goes beyond, and what is no JSON Schema, can not judge.
 */
export function compileJson(json: JsonObject): Judge {
  const prepared = once(() => {
    inspect(json, FOREIGN_LIMITS);
    return prepare(json, 'foreign');
  });
  return {
    json,
    check(value) {
      try {
        return run(prepared(), value);
      } catch (error) {
        return { ok: null, why: TenonError.is(error) ? error.message : whyFailed(error) };
      }
    },
  };
}

/** Does it on the first call; what it returned or threw is kept for the others. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | { readonly error: unknown } | undefined;
  return () => {
    if (made === undefined) {
      try {
        made = { value: make() };
      } catch (error) {
        made = { error };
      }
    }
    if ('error' in made) throw made.error;
    return made.value;
  };
}

function byStandard(schema: StandardSchema): (value: unknown) => Checked | Promise<Checked> {
  const standard = schema['~standard'];
  const threw = (cause: unknown) =>
    new TenonError('schema/threw', `a ${standard.vendor} schema threw instead of saying what is wrong`, {
      next: 'report issues from refinements and transforms; only a mistake in them throws',
      cause,
    });
  return value => {
    try {
      const result = standard.validate(value);
      if (!('then' in result)) return toChecked(result);
      return result.then(toChecked).catch(cause => {
        throw threw(cause);
      });
    } catch (cause) {
      return Promise.reject(threw(cause));
    }
  };
}

type StandardResult = Awaited<ReturnType<StandardSchema['~standard']['validate']>>;

function toChecked(result: StandardResult): Checked {
  if (!result.issues) return { ok: true, value: result.value };
  // A vendor's list can be a class of its own, and so would be what its `map` returns.
  const issues = Array.from(result.issues, ({ message, path }) => ({ path: Array.from(path ?? [], toKey), message }));
  return { ok: false, issues };
}

function toKey(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment;
  return typeof key === 'symbol' ? String(key) : key;
}

function byJson(json: JsonObject): (value: unknown) => Checked | Promise<Checked> {
  const prepared = preparations.get(json) ?? once(() => prepare(json, 'own'));
  preparations.set(json, prepared);
  return value => {
    try {
      return run(prepared(), value);
    } catch (error) {
      if (TenonError.is(error) && error.code === 'schema/broken') return Promise.reject(error);
      const why = TenonError.is(error) ? `the schema can not judge it: ${error.message}` : whyFailed(error);
      return { ok: false, issues: [{ path: [], message: `could not be checked: ${why}` }] };
    }
  };
}

/** Throws what `whyFailed` explains. */
function run(prepared: Prepared, value: unknown): Checked {
  try {
    return judge(prepared, value, value);
  } catch (error) {
    if (TenonError.is(error) || error instanceof RangeError || error instanceof URIError) throw error;
    // What JSON has no word for is left out or rewritten on the wire: that is what is checked then.
    const text = JSON.stringify(value);
    if (text !== undefined) return judge(prepared, JSON.parse(text), value);
    return { ok: false, issues: [{ path: [], message: `expected a JSON value, got ${jsonType(value)}` }] };
  }
}

function judge(prepared: Prepared, json: unknown, value: unknown): Checked {
  const first = findFaults(prepared, json, true);
  if (first.length === 0) return { ok: true, value };
  const units = isSmall(json) ? findFaults(prepared, json, false) : first;
  return { ok: false, issues: explain(prepared, json, units) };
}

function findFaults({ root, draft, lookup, meter }: Prepared, json: unknown, onlyFirst: boolean): OutputUnit[] {
  meter.left = MAX_STEPS;
  meter.armed = true;
  try {
    return validate(json, root, draft, lookup, onlyFirst).errors;
  } finally {
    meter.armed = false;
  }
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

function whyFailed(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply or too large';
  if (error instanceof URIError) return 'a name in it is not well-formed Unicode';
  return 'it is not JSON';
}
