import type { StandardJSONSchemaV1 } from '@standard-schema/spec';
import {
  checkObject,
  decodePointerToken,
  describeMismatch,
  describeType,
  isObject,
  type JsonObject,
  requireArgument,
  TenonError,
} from '@tenon/base';
import { detectDraft } from './draft.js';
import { inspectSchema } from './inspect-schema.js';
import { isStandardSchema, type JsonSchema, type Schema, type StandardSchema } from './standard.js';
import { convertZodSchema, hasCodecs, isZodNode, ZOD_OUTPUT } from './zod-json-schema.js';

/** Side of a schema: input, or output after defaults and transforms. */
export type SchemaSide = 'input' | 'output';

/** The targets in the order of preference. A vendor's converter throws for a target that it does not support. */
const TARGETS = ['draft-2020-12', 'draft-07'] as const;

const converted: Record<SchemaSide, WeakMap<object, JsonObject>> = { input: new WeakMap(), output: new WeakMap() };

/**
 * Returns the JSON Schema of one side of a schema. A JSON Schema is returned unchanged, with every keyword. Other
 * results are converted once and cached, so callers must not change them. They name no dialect if it is 2020-12, the
 * default, because some clients of earlier versions refuse its name.
 * @throws TenonError `schema/no-json-schema`, `schema/not-json`, `schema/too-large` or `schema/unknown-dialect`.
 */
export function toJsonSchema(schema: Schema, side: SchemaSide): JsonObject {
  const known = converted[side].get(schema);
  if (known !== undefined) return known;
  if (!isStandardSchema(schema) && !isObject(schema)) {
    throw new TenonError('schema/not-json', 'invalid schema', {
      expected: 'a Standard Schema (Zod 4, Valibot, ArkType, …) or a JSON Schema object',
      received: describeType(schema),
    });
  }
  const json = isStandardSchema(schema) ? convertSchema(schema, side) : (schema as JsonObject);
  inspectSchema(json);
  const { $schema: _, ...withoutDialect } = json;
  const result = detectDraft(json) === '2020-12' && json !== schema ? withoutDialect : json;
  converted[side].set(schema, result);
  return result;
}

/**
 * Pairs a schema with a JSON Schema that you write by hand. Use it for a schema that cannot be converted to JSON
 * Schema. The schema still validates the values.
 * @param output JSON Schema of the schema's output. Default: the same as the input.
 */
export function withJsonSchema<S extends StandardSchema>(
  schema: S,
  input: JsonSchema,
  output = input,
): SchemaWithJson<S> {
  requireArgument('`schema` of withJsonSchema', schema, value =>
    isStandardSchema(value) ? undefined : describeMismatch('a schema of zod, valibot or arktype', value),
  );
  requireArgument('`input` of withJsonSchema', input, checkObject());
  requireArgument('`output` of withJsonSchema', output, checkObject());
  const standard = schema['~standard'];
  const { version, vendor } = standard;
  const validate: StandardSchema['~standard']['validate'] = (value, options) => standard.validate(value, options);
  const jsonSchema = { input: () => input, output: () => output };
  // `SchemaWithJson` has the types of `S` in a member that only the compiler sees.
  return { '~standard': { version, vendor, validate, jsonSchema } } as unknown as SchemaWithJson<S>;
}

/** A schema with a JSON Schema that was written by hand. */
export type SchemaWithJson<S extends StandardSchema> = {
  readonly '~standard': S['~standard'] & { readonly jsonSchema: StandardJSONSchemaV1.Converter };
};

type Convertible = {
  readonly '~standard': StandardSchema['~standard'] & { readonly jsonSchema?: Partial<StandardJSONSchemaV1.Converter> };
  readonly toJsonSchema?: unknown;
  readonly in?: unknown;
  readonly out?: unknown;
};

function convertSchema(schema: StandardSchema, side: SchemaSide): JsonObject {
  const writer = findConverter(schema as Convertible, side);
  if (writer === undefined) throw createNoConversionError(schema);
  let firstError: unknown;
  for (const target of TARGETS) {
    try {
      const json = writer(target);
      if (isObject(json)) return json;
    } catch (error) {
      firstError ??= error;
    }
  }
  throw createNoConversionError(schema, firstError);
}

/**
 * Finds the JSON Schema converter of a schema: the Standard JSON Schema extension, else the older method of arktype.
 * @see https://standardschema.dev/json-schema
 */
function findConverter(
  schema: Convertible,
  side: SchemaSide,
): ((target: (typeof TARGETS)[number]) => unknown) | undefined {
  const converter = schema['~standard'].jsonSchema;
  if (typeof converter?.[side] === 'function') {
    if (!isZodNode(schema) || side === 'input') return target => converter[side]?.({ target });
    const wireSide = hasCodecs(schema) ? 'input' : side;
    return target => converter[wireSide]?.({ target, ...ZOD_OUTPUT });
  }
  if (isZodNode(schema)) return () => convertZodSchema(schema, side);
  const half = (side === 'input' ? schema.in : schema.out) as Convertible | undefined;
  for (const each of [half, schema]) {
    const method = each?.toJsonSchema;
    if (typeof method === 'function') return () => method.call(each);
  }
  return undefined;
}

function createNoConversionError(schema: StandardSchema, cause?: unknown): TenonError {
  const { vendor } = schema['~standard'];
  const reason = cause instanceof Error ? `: ${cause.message}` : '';
  const pair = 'add your own JSON Schema: withJsonSchema(schema, { … })';
  const remedy = (cause === undefined ? REMEDIES : CONVERSION_REMEDIES).get(vendor);
  return new TenonError('schema/no-json-schema', `cannot convert a ${vendor} schema to JSON Schema${reason}`, {
    hint: remedy === undefined ? pair : `${remedy}, or ${pair}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Advice by vendor, for schemas that have no conversion to JSON Schema. */
const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['valibot', 'wrap the schema: toStandardJsonSchema(schema) of @valibot/to-json-schema'],
  ['zod', "import zod 4 from 'zod', or from 'zod/v4' of zod 3"],
]);

/** Advice by vendor, for schemas with a type that JSON does not have. */
const CONVERSION_REMEDIES: ReadonlyMap<string, string> = new Map([
  ['zod', 'convert the value by a codec: z.codec(z.string(), …, { decode, encode })'],
]);

/** Returns the part of a schema that a reference inside the schema points to. */
export function resolveReference(json: JsonSchema, reference: string): unknown {
  const [document, fragment = ''] = reference.split('#', 2);
  if (document !== '' && document !== json.$id) return undefined;
  if (fragment !== '' && !fragment.startsWith('/')) return findAnchor(json, fragment);
  let node: unknown = json;
  for (const token of fragment.split('/').slice(1)) {
    const key = decodePointerToken(token);
    if (key === undefined || typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
    node = (node as Record<string, unknown>)[key];
  }
  return node;
}

/** Finds an anchor among the definitions, because references from the root point to definitions. */
function findAnchor(json: JsonSchema, anchor: string): unknown {
  for (const place of [json.$defs, json.definitions]) {
    if (!isObject(place)) continue;
    const found = Object.values(place).find(each => isObject(each) && each.$anchor === anchor);
    if (found !== undefined) return found;
  }
  return json.$anchor === anchor ? json : undefined;
}
