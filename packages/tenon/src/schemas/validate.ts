import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Issue } from './issues.js';
import { type Side, toJsonSchema } from './json-schema.js';
import { type InferOutput, isStandardSchema, type Schema, type StandardSchema } from './standard.js';

export { describeIssues, type Issue } from './issues.js';

export type Checked<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: Issue[] };

export interface Validator<T = unknown> {
  /** The JSON Schema to show to peers. Not to be changed. */
  readonly json: JsonObject;
  /**
   * Checks a value. A promise only where the schema itself is asynchronous, and until what validates by JSON Schema is
   * there; rejects with `schema/threw` when the schema throws, and with `schema/broken` when JSON Schema can not be used
   * at all.
   */
  check(value: unknown): Checked<T> | Promise<Checked<T>>;
}

export type Check = (value: unknown) => Checked | Promise<Checked>;

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

let ofOwn: typeof import('./own.js') | undefined;

/** Loaded by the first value that is checked by a JSON Schema: most schemas validate by themselves. */
async function loadOwn(): Promise<typeof import('./own.js')> {
  ofOwn ??= await import('./own.js');
  return ofOwn;
}

function byJson(json: JsonObject): Check {
  let check: Check | undefined;
  return value => {
    check ??= ofOwn?.checkOf(json);
    return check ? check(value) : loadOwn().then(({ checkOf }) => checkOf(json)(value));
  };
}

function byStandard(schema: StandardSchema): Check {
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
