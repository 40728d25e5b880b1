import { getJsonType, isObject, type JsonObject } from '@tenon/base';
import { resolveReference } from './json-schema.js';

const ALL_TYPES: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'null', 'object', 'array']);
/** Maximum number of nested references and combinations that are followed. */
export const MAX_DEPTH = 16;

/**
 * Adds `type: "object"` to the root of a schema whose alternatives are all objects, because clients and the
 * specification expect the type at the root. Any other schema is returned unchanged.
 */
export function withObjectType(json: JsonObject): JsonObject {
  if (json.type !== undefined) return json;
  const types = inferTypes(json, json);
  return types.size === 1 && types.has('object') ? { type: 'object', ...json } : json;
}

/** Returns the JSON types that a schema accepts. Only its types, constants and combinations are read. */
export function inferTypes(schema: unknown, root: JsonObject, depth = 0): ReadonlySet<string> {
  if (!isObject(schema) || depth > MAX_DEPTH) return ALL_TYPES;
  const inferNested = (each: unknown) => inferTypes(each, root, depth + 1);
  const accepted: ReadonlySet<string>[] = [];
  const { type, $ref } = schema;
  if (type !== undefined) {
    const names: readonly unknown[] = Array.isArray(type) ? type : [type];
    accepted.push(new Set(names.map(name => (name === 'integer' ? 'number' : String(name)))));
  }
  if ('const' in schema) accepted.push(new Set([getJsonType(schema.const)]));
  if (Array.isArray(schema.enum)) accepted.push(new Set(schema.enum.map(getJsonType)));
  if (typeof $ref === 'string') accepted.push(inferNested(resolveReference(root, $ref)));
  accepted.push(...toList(schema.allOf).map(inferNested));
  for (const forms of [toList(schema.anyOf), toList(schema.oneOf)]) {
    if (forms.length > 0) accepted.push(new Set(forms.flatMap(form => [...inferNested(form)])));
  }
  return new Set([...ALL_TYPES].filter(name => accepted.every(each => each.has(name))));
}

/** Returns the items of a keyword that holds a list. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
