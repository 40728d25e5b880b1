import { type Issue, type JsonObject, type MaybePromise, TenonError, thenMaybe } from '@tenon/base';
import { type SchemaSide, toJsonSchema } from './json-schema.js';
import { type InferOutput, isStandardSchema, type Schema, type StandardSchema } from './standard.js';
import { hasCodecs, isZodNode } from './zod-json-schema.js';

export { describeIssues, type Issue } from '@tenon/base';

export type CheckResult<T = unknown> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: Issue[] };

export interface Validator<T = unknown> {
  /** The JSON Schema to show to peers. Do not change it. */
  readonly json: JsonObject;
  /**
   * Checks a value. Returns a promise if the schema is asynchronous, and until the JSON Schema validator is loaded.
   * @throws TenonError `schema/threw` when the schema throws, and `schema/broken` when the JSON Schema is invalid. Both
   * reject.
   */
  check(value: unknown): CheckResult<T> | Promise<CheckResult<T>>;
}

export type ValueCheck = (value: unknown) => CheckResult | Promise<CheckResult>;

/**
 * Compiles a schema of the application into a validator. A Standard Schema validates by itself and applies its defaults
 * and transforms. A JSON Schema leaves the value as it is.
 * @throws the same errors as `toJsonSchema`.
 */
export function compileSchema<const S extends Schema>(schema: S, side: SchemaSide): Validator<InferOutput<S>> {
  const json = toJsonSchema(schema, side);
  const check = isStandardSchema(schema) ? createStandardCheck(schema, side) : createJsonCheck(json);
  return { json, check } as Validator<InferOutput<S>>;
}

/** The JSON Schema validator. It is loaded on its first use, because most schemas validate by themselves. */
let checkModule: typeof import('./compile-check.js') | undefined;

/** Creates the check of a JSON Schema, also of one that a schema library has made, which may be a Standard Schema too. */
export function createJsonCheck(json: JsonObject): ValueCheck {
  let check: ValueCheck | undefined;
  const loadAndCheck = async (value: unknown) => {
    checkModule ??= await import('./compile-check.js');
    return checkModule.compileCheck(json)(value);
  };
  return value => {
    check ??= checkModule?.compileCheck(json);
    return check ? check(value) : loadAndCheck(value);
  };
}

function createStandardCheck(schema: StandardSchema, side: SchemaSide): ValueCheck {
  const standard = schema['~standard'];
  const createThrownError = (cause: unknown) =>
    new TenonError('schema/threw', `a ${standard.vendor} schema threw during validation`, {
      hint: 'report issues from refinements and transforms instead of throwing',
      cause,
    });
  const isEncoded = side === 'output' && hasCodecs(schema);
  const validate = (value: unknown): MaybePromise<CheckResult> => {
    const result = standard.validate(value);
    return 'then' in result ? result.then(toCheckResult) : toCheckResult(result);
  };
  return value => {
    try {
      const result = isEncoded ? encodeResult(schema, value) : validate(value);
      if (!('then' in result)) return result;
      return result.catch(cause => {
        throw createThrownError(cause);
      });
    } catch (cause) {
      return Promise.reject(createThrownError(cause));
    }
  };
}

/**
 * Encodes a result by the codecs of its schema. By its type, a handler returns the encoded value, which is decoded first so
 * that it is checked and has its defaults. Another value counts as decoded.
 */
function encodeResult(schema: StandardSchema, value: unknown): MaybePromise<CheckResult> {
  return thenMaybe<StandardResult, CheckResult>(schema['~standard'].validate(value), decoded =>
    decoded.issues
      ? thenMaybe<CheckResult, CheckResult>(encodeValue(schema, value), encoded =>
          encoded.ok ? encoded : toCheckResult(decoded),
        )
      : encodeValue(schema, decoded.value),
  );
}

/** The encoded value, or the reasons why it cannot be encoded. Their messages are absent where zod writes them later. */
interface ZodEncoding {
  readonly value: unknown;
  readonly issues: readonly {
    readonly message?: string;
    readonly expected?: string;
    readonly path?: readonly PropertyKey[];
  }[];
}

/** Encodes a value by the codecs of a schema of zod. Throws what their functions throw. */
function encodeValue(schema: StandardSchema, value: unknown): MaybePromise<CheckResult> {
  if (!isZodNode(schema) || typeof schema._zod.run !== 'function') return { ok: true, value };
  const encoding: MaybePromise<ZodEncoding> = schema._zod.run({ value, issues: [] }, { direction: 'backward' });
  return thenMaybe<ZodEncoding, CheckResult>(encoding, encoded => {
    if (encoded.issues.length === 0) return { ok: true, value: encoded.value };
    const issues = encoded.issues.map(({ path = [], message, expected }) => ({
      path: path.map(toKey),
      message: message ?? `Invalid input${expected === undefined ? '' : `: expected ${expected}`}`,
    }));
    return { ok: false, issues };
  });
}

type StandardResult = Awaited<ReturnType<StandardSchema['~standard']['validate']>>;

function toCheckResult(result: StandardResult): CheckResult {
  if (!result.issues) return { ok: true, value: result.value };
  // A vendor's list can be an instance of its own class, and its `map` would return that class too.
  const issues = Array.from(result.issues, ({ message, path }) => ({ path: Array.from(path ?? [], toKey), message }));
  return { ok: false, issues };
}

function toKey(segment: PropertyKey | { readonly key: PropertyKey }): string | number {
  const key = typeof segment === 'object' ? segment.key : segment;
  return typeof key === 'symbol' ? String(key) : key;
}
