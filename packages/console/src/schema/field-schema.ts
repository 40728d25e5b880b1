import { decodePointerToken, isObject, toJsonObject } from '@tenon/base';
import type { Json } from '../api.js';
import { getMember } from '../json-values.js';

/** Maximum number of references that are followed to one schema. */
const MAX_REFERENCES = 32;

/** One of several schemas for a value. */
export interface Variant {
  readonly title: string;
  readonly schema: Json;
}

/** Value of an enumeration. */
export interface FieldOption {
  readonly value: unknown;
  readonly title: string;
}

/** Kind of the control for a schema. */
export type Field =
  | { readonly kind: 'const'; readonly value: unknown }
  | { readonly kind: 'enum'; readonly options: readonly FieldOption[] }
  | { readonly kind: 'choices'; readonly options: readonly FieldOption[] }
  | { readonly kind: 'boolean' | 'null' | 'json' | 'file' }
  | { readonly kind: 'number'; readonly isInteger: boolean }
  | { readonly kind: 'text'; readonly format: string; readonly isLong: boolean }
  | { readonly kind: 'tuple'; readonly items: readonly Json[]; readonly rest: Json | undefined }
  | { readonly kind: 'array'; readonly items: Json }
  | {
      readonly kind: 'object';
      readonly properties: readonly (readonly [name: string, schema: Json])[];
      readonly required: ReadonlySet<string>;
      /** Schema of further members. Absent if there are none. */
      readonly further: Json | undefined;
    }
  | { readonly kind: 'variants'; readonly variants: readonly Variant[] };

/** Follows `$ref` and merges `allOf`, without the schemas inside. A reference to an unknown place is any value. */
export function resolveSchema(schema: unknown, root: Json, count = 0): Json {
  let resolved = toJsonObject(schema);
  for (let step = count; typeof resolved.$ref === 'string' && step < MAX_REFERENCES; step += 1) {
    const { $ref, ...own } = resolved;
    resolved = { ...toJsonObject(findReference(String($ref), root)), ...own };
  }
  const { allOf, ...rest } = resolved;
  if (!Array.isArray(allOf) || count >= MAX_REFERENCES) return resolved;
  return [...allOf.map(each => resolveSchema(each, root, count + 1)), rest].reduce<Json>(mergeSchemas, {});
}

function mergeSchemas(one: Json, other: Json): Json {
  const properties = { ...toJsonObject(one.properties), ...toJsonObject(other.properties) };
  const required = [one.required, other.required].flatMap(each => (Array.isArray(each) ? each : []));
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function findReference(reference: string, root: Json): unknown {
  if (reference === '#') return root;
  if (reference.startsWith('#/')) {
    const names = reference
      .slice(2)
      .split('/')
      .map(part => decodePointerToken(part) ?? part);
    return names.reduce<unknown>(
      (value, name) => (Array.isArray(value) ? value[Number(name)] : getMember(value, name)),
      root,
    );
  }
  const definitions = Object.values({ ...toJsonObject(root.$defs), ...toJsonObject(root.definitions) });
  return definitions.find(
    each => isObject(each) && (each.$id === reference || `#${String(each.$anchor)}` === reference),
  );
}

/** Returns the types of a schema, also those that follow from its keywords. */
function listTypes(schema: Json): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type.filter(each => typeof each === 'string');
  if ('properties' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema || 'prefixItems' in schema ? ['array'] : [];
}

/** Chooses the control for a resolved schema. */
export function readField(schema: Json, root: Json): Field {
  if ('const' in schema) return { kind: 'const', value: schema.const };
  if (Array.isArray(schema.enum)) {
    const names = Array.isArray(schema.enumNames) ? schema.enumNames : [];
    return { kind: 'enum', options: createOptions(schema.enum.map((value, index) => ({ value, name: names[index] }))) };
  }
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(alternatives)) return readAlternatives(schema, alternatives, root);
  const types = listTypes(schema);
  if (types.length > 1)
    return { kind: 'variants', variants: types.map(type => ({ title: type, schema: { ...schema, type } })) };
  switch (types[0]) {
    case 'boolean':
    case 'null':
      return { kind: types[0] };
    case 'number':
    case 'integer':
      return { kind: 'number', isInteger: types[0] === 'integer' };
    case 'string':
      return readText(schema);
    case 'array':
      return readArray(schema, root);
    case 'object':
      return readObject(schema);
    default:
      return { kind: 'json' };
  }
}

function readAlternatives(schema: Json, alternatives: readonly unknown[], root: Json): Field {
  const { oneOf: _, anyOf: __, ...base } = schema;
  const resolved = alternatives.map(each => resolveSchema(each, root));
  if (resolved.every(each => 'const' in each))
    return { kind: 'enum', options: createOptions(resolved.map(each => ({ value: each.const, name: each.title }))) };
  const variants = resolved.map((each, index) => {
    const merged = mergeSchemas(base, each);
    const types = listTypes(merged).join(' or ') || `variant ${index + 1}`;
    return { title: toTitle(each.title ?? findDiscriminator(each) ?? types), schema: merged };
  });
  const numbered = variants.map(({ title, schema }, index) => ({ title: `${title} (${index + 1})`, schema }));
  return { kind: 'variants', variants: hasRepeatedTitle(variants) ? numbered : variants };
}

/** Creates options whose titles can be told apart. If two look alike, such as `1` and `"1"`, or one is blank, all have the JSON. */
function createOptions(values: readonly { readonly value: unknown; readonly name: unknown }[]): FieldOption[] {
  const options = values.map(({ value, name }) => ({ value, title: toTitle(name ?? value) }));
  if (!hasRepeatedTitle(options) && !options.some(({ title }) => title.trim() === '')) return options;
  return values.map(({ value, name }) => {
    const json = JSON.stringify(value);
    return { value, title: name == null ? json : `${toTitle(name)} (${json})` };
  });
}

const hasRepeatedTitle = (items: readonly { readonly title: string }[]): boolean =>
  new Set(items.map(({ title }) => title)).size < items.length;

/** Returns the constant that tells a variant from the others. */
function findDiscriminator(schema: Json): unknown {
  const members = Object.values(toJsonObject(schema.properties)).filter(isObject);
  return members.find(each => typeof each.const === 'string')?.const;
}

function readText({ format, contentEncoding, maxLength, contentMediaType }: Json): Field {
  if (contentEncoding === 'base64' || format === 'byte' || format === 'binary') return { kind: 'file' };
  const isLong = (typeof maxLength === 'number' && maxLength > 200) || typeof contentMediaType === 'string';
  return { kind: 'text', format: typeof format === 'string' ? format : '', isLong };
}

function readArray(schema: Json, root: Json): Field {
  const { prefixItems, items } = schema;
  // Before 2020-12, a list in `items` is a tuple.
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  if (first) {
    const rest = Array.isArray(items) ? schema.additionalItems : items;
    return { kind: 'tuple', items: first.map(toJsonObject), rest: isObject(rest) ? rest : undefined };
  }
  const item = resolveSchema(items, root);
  const field = 'enum' in item || 'anyOf' in item || 'oneOf' in item ? readField(item, root) : undefined;
  if (field?.kind === 'enum') return { kind: 'choices', options: field.options };
  return { kind: 'array', items: toJsonObject(items) };
}

function readObject(schema: Json): Field {
  const { required, additionalProperties, patternProperties } = schema;
  const properties = Object.entries(toJsonObject(schema.properties)).map(
    ([name, each]) => [name, toJsonObject(each)] as const,
  );
  const [pattern] = Object.values(toJsonObject(patternProperties)).filter(isObject);
  const isOpen = additionalProperties === true || (additionalProperties !== false && properties.length === 0);
  const named = isObject(additionalProperties) ? additionalProperties : pattern;
  return {
    kind: 'object',
    properties,
    required: new Set(Array.isArray(required) ? required.filter(each => typeof each === 'string') : []),
    further: named ?? (isOpen ? {} : undefined),
  };
}

export const toTitle = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
