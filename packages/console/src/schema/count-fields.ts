import { isObject } from '@tenon/base';
import type { Json } from '../api.js';
import { getMember } from '../json-values.js';
import { readField, resolveSchema } from './field-schema.js';

/** Maximum number of fields of a generated form. A larger value is edited as JSON. */
export const MAX_FORM_FIELDS = 500;

/** Counts the fields of the form for a value. It stops after `max`, so that a schema without an end costs as little. */
export function countFields(given: unknown, root: Json, value: unknown, max: number): number {
  if (max < 0) return 1;
  const schema = resolveSchema(given, root);
  const field = readField(schema, root);
  let count = 1;
  const add = (member: unknown, of: unknown): boolean => {
    count += countFields(member, root, of, max - count);
    return count <= max;
  };
  switch (field.kind) {
    case 'object': {
      for (const [name, member] of field.properties) {
        const own = getMember(value, name);
        // An optional member is one field until it gets a value.
        if (!add(own === undefined && !field.required.has(name) ? {} : member, own)) return count;
      }
      const known = new Set(field.properties.map(([name]) => name));
      for (const [name, own] of isObject(value) ? Object.entries(value) : [])
        if (!known.has(name) && !add(field.further, own)) return count;
      return count;
    }
    case 'array':
      for (const item of Array.isArray(value) ? value : []) if (!add(field.items, item)) return count;
      return count;
    case 'tuple':
      for (const [index, item] of field.items.entries())
        if (!add(item, Array.isArray(value) ? value[index] : undefined)) return count;
      return Array.isArray(value) ? Math.max(count, value.length) : count;
    case 'variants':
      add(field.variants[0]?.schema, value);
      return Math.max(count, field.variants.length);
    case 'choices':
    case 'enum':
      return field.options.length;
    default:
      return count;
  }
}
