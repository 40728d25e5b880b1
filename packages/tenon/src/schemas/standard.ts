import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { FromJsonSchema } from './inference.js';

/**
 * A schema of any vendor with a `~standard` property.
 * @see https://standardschema.dev
 */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** A JSON Schema object: 2020-12, unless `$schema` names draft-07 or 2019-09. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Schema of a tool, a prompt or a form: a Standard Schema or a plain JSON Schema object. */
export type Schema = SchemaOfZod | StandardSchema | JsonSchema;

/**
 * A Standard Schema of zod, identified by zod's own type members. `~standard` has the same types, but it computes both
 * sides at once and makes type checking a quarter slower. The name of this type sorts before `StandardSchemaV1`,
 * because TypeScript 7 compares the members of a union by name.
 */
interface SchemaOfZod {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

/** Refuses a plain object whose members are schemas of a library. The compiler shows the text in its error. */
export type WholeSchema<S> = S extends { readonly [name: string]: SchemaOfZod | StandardSchema }
  ? unknown extends S[keyof S] // Schemas of typebox have members of any type.
    ? unknown
    : 'Pass a whole schema, such as z.object({ … }), in place of a plain object of schemas'
  : unknown;

/** A schema with its types. TypeScript compares only these members when it infers types. */
interface Typed {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined };
}

/** Input type of a schema: the value before its defaults and transforms. Write a JSON Schema literal `as const`. */
export type InferInput<S> = S extends SchemaOfZod
  ? S['_zod']['input']
  : S extends Typed
    ? TypesOf<S>['input']
    : FromJsonSchema<S>;

/** Output type of a schema: the value after its defaults and transforms. */
export type InferOutput<S> = S extends SchemaOfZod
  ? S['_zod']['output']
  : S extends Typed
    ? TypesOf<S>['output']
    : FromJsonSchema<S>;

/** Reads the types by an indexed access, because that is much cheaper for the compiler than inference. */
type TypesOf<S extends Typed> = NonNullable<S['~standard']['types']>;

/** Type of the arguments of a handler: `InferOutput`, or any object if the schema declares no type. */
export type InferArguments<S> = unknown extends InferOutput<S> ? Record<string, unknown> : InferOutput<S>;

/** Tells if a value is a Standard Schema. The schemas of some vendors are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false;
  const standard = (value as { '~standard'?: Partial<StandardSchema['~standard']> })['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}
