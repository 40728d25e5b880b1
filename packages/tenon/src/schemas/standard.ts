import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { FromJsonSchema } from './inference.js';

/** A schema of any vendor, known by its `~standard` property alone. https://standardschema.dev */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** A JSON Schema object: 2020-12, unless its `$schema` says draft-07 or 2019-09. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** What tools, prompts and forms take as a schema: a Standard Schema, or a JSON Schema object as it is. */
export type Schema<Input = unknown, Output = Input> = StandardSchema<Input, Output> | JsonSchema;

/** What goes into a schema: the value before its defaults and transforms. A JSON Schema literal is read `as const`. */
export type InferInput<S> = S extends StandardSchema ? TypesOf<S>['input'] : FromJsonSchema<S>;

/** What comes out of a schema: the value after its defaults and transforms. */
export type InferOutput<S> = S extends StandardSchema ? TypesOf<S>['output'] : FromJsonSchema<S>;

/** Looked up, not inferred: it costs the compiler far less, and servers have hundreds of schemas. */
type TypesOf<S extends StandardSchema> = NonNullable<S['~standard']['types']>;

/** What a handler is given: `InferOutput`, or any object where nothing is known of it. */
export type InferArguments<S> = unknown extends InferOutput<S> ? Record<string, unknown> : InferOutput<S>;

/** Tells a Standard Schema from anything else. Some vendors' schemas are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return false;
  const standard = (value as { '~standard'?: Partial<StandardSchema['~standard']> })['~standard'];
  return typeof standard === 'object' && standard !== null && typeof standard.validate === 'function';
}
