import { decodePointerToken, isObject, type JsonObject, toJsonObject } from '@tenon/base';
import { createExampleNumber, createExampleText } from './example-scalars.js';
import type { Random } from './random.js';

/** Maximum depth of a value. Deeper objects have their required members only, and deeper arrays are empty. */
const MAX_DEPTH = 6;
/** Maximum number of nested references and alternatives. A schema that refers to itself ends there. */
const MAX_STEPS = 64;
const MAX_ITEMS = 20;

interface ExampleScope {
  readonly root: JsonObject;
  readonly random: Random;
  readonly depth: number;
  readonly steps: number;
}

/**
 * Creates a value that matches a JSON Schema, as far as possible: examples, defaults and constants of the schema are
 * used first. Conditions are not solved, and simple patterns only.
 */
export function createExample(schema: JsonObject, random: Random): unknown {
  return createValue(schema, { root: schema, random, depth: 0, steps: 0 });
}

function createValue(schema: unknown, outer: ExampleScope): unknown {
  const scope = { ...outer, steps: outer.steps + 1 };
  if (!isObject(schema) || scope.steps > MAX_STEPS) return 'example';
  const given = pickGiven(schema, scope.random);
  if (given !== undefined) return given.value;
  if (typeof schema.$ref === 'string') return createValue(resolveReference(schema.$ref, scope.root), scope);
  const alternatives = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (alternatives) return createValue(mergeSchemas([schema, pickAlternative(alternatives, scope)]), scope);
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map(part =>
      isObject(part) && typeof part.$ref === 'string' ? resolveReference(part.$ref, scope.root) : part,
    );
    return createValue(mergeSchemas([schema, ...parts]), scope);
  }
  switch (getType(schema, scope)) {
    case 'object':
      return createObject(schema, scope);
    case 'array':
      return createArray(schema, scope);
    case 'integer':
    case 'number':
      return createExampleNumber(schema, scope.random);
    case 'boolean':
      return scope.random() < 0.5;
    case 'null':
      return null;
    default:
      return createExampleText(schema, scope.random);
  }
}

/** Returns a value that the schema itself contains. */
function pickGiven(schema: JsonObject, random: Random): { readonly value: unknown } | undefined {
  if ('const' in schema) return { value: schema.const };
  const { examples, enum: values } = schema;
  if (Array.isArray(examples) && examples.length > 0) return { value: examples[0] };
  if ('default' in schema) return { value: schema.default };
  if (Array.isArray(values) && values.length > 0) return { value: values[Math.floor(random() * values.length)] };
  return undefined;
}

function getType(schema: JsonObject, { depth }: ExampleScope): unknown {
  const { type, properties, items, prefixItems } = schema;
  if (Array.isArray(type)) return type.find(each => (each === 'null') === depth >= MAX_DEPTH) ?? type[0];
  if (type !== undefined) return type;
  if (properties !== undefined) return 'object';
  return items !== undefined || prefixItems !== undefined ? 'array' : 'string';
}

function createObject(schema: JsonObject, scope: ExampleScope): JsonObject {
  const properties = toJsonObject(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const names = Object.keys(properties).filter(
    name => required.includes(name) || (scope.depth < MAX_DEPTH && properties[name] !== false),
  );
  const missing = required.filter((name): name is string => typeof name === 'string' && !names.includes(name));
  const inner = { ...scope, depth: scope.depth + 1 };
  const members = [...names, ...missing].map(name => [name, createValue(properties[name] ?? {}, inner)]);
  return Object.fromEntries(members);
}

function createArray(schema: JsonObject, scope: ExampleScope): unknown[] {
  const { prefixItems, items, minItems, maxItems, uniqueItems } = schema;
  const inner = { ...scope, depth: scope.depth + 1 };
  const first = Array.isArray(prefixItems) ? prefixItems.map(each => createValue(each, inner)) : [];
  const min = typeof minItems === 'number' ? Math.min(minItems, MAX_ITEMS) : 0;
  const max = typeof maxItems === 'number' ? maxItems : MAX_ITEMS;
  const wanted = Math.min(Math.max(min, scope.depth < MAX_DEPTH && isObject(items) ? 1 : 0), max);
  const rest = Array.from({ length: Math.max(0, wanted - first.length) }, () => createValue(items ?? {}, inner));
  if (uniqueItems !== true) return [...first, ...rest];
  // Further values take the places of equal ones.
  const more = Array.from({ length: rest.length > 1 ? MAX_ITEMS : 0 }, () => createValue(items ?? {}, inner));
  const unique = new Map([...first, ...rest, ...more].map(value => [JSON.stringify(value), value]));
  return [...unique.values()].slice(0, first.length + rest.length);
}

/** Prefers an alternative that is not `null`. At the maximum depth, `null` ends a schema that refers to itself. */
function pickAlternative(alternatives: readonly unknown[], { root, depth }: ExampleScope): unknown {
  const resolved = alternatives.map(each =>
    isObject(each) && typeof each.$ref === 'string' ? resolveReference(each.$ref, root) : each,
  );
  return resolved.find(each => (isObject(each) && each.type === 'null') === depth >= MAX_DEPTH) ?? resolved[0];
}

/** Merges schemas that all apply. Combining keywords of the first one are solved, and left out. */
function mergeSchemas([first, ...others]: readonly unknown[]): JsonObject {
  const { anyOf: _, oneOf: __, allOf: ___, ...own } = toJsonObject(first);
  let merged: JsonObject = own;
  for (const other of others.filter(isObject)) {
    const properties = {
      ...toJsonObject(merged.properties),
      ...toJsonObject(other.properties),
    };
    const required = [merged.required, other.required].flatMap(each => (Array.isArray(each) ? each : []));
    merged = {
      ...merged,
      ...other,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
    };
  }
  return merged;
}

/** Resolves a reference within the schema. */
function resolveReference(reference: string, root: JsonObject): unknown {
  if (!reference.startsWith('#')) return {};
  return reference
    .slice(1)
    .split('/')
    .slice(1)
    .reduce<unknown>((value, token) => {
      const name = decodePointerToken(token) ?? '';
      if (Array.isArray(value)) return value[Number(name)];
      return isObject(value) && Object.hasOwn(value, name) ? value[name] : {};
    }, root);
}
