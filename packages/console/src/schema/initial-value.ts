import { isObject } from '@tenon/base';
import type { Json } from '../api.js';
import { readField, resolveSchema } from './field-schema.js';

/** Maximum depth of values that are created, because schemas may contain themselves. */
const MAX_DEPTH = 6;

/** Creates the value that a form starts with: defaults, constants, and the required members of objects. */
export function createInitialValue(given: unknown, root: Json, depth = 0): unknown {
  const schema = resolveSchema(given, root);
  if ('default' in schema) return schema.default;
  const field = readField(schema, root);
  switch (field.kind) {
    case 'const':
      return field.value;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'tuple':
      return depth >= MAX_DEPTH ? [] : field.items.map(each => createInitialValue(each, root, depth + 1) ?? null);
    case 'array':
    case 'choices':
      return [];
    case 'variants':
      return depth >= MAX_DEPTH ? undefined : createInitialValue(field.variants[0]?.schema, root, depth + 1);
    case 'object': {
      if (depth >= MAX_DEPTH) return {};
      const members = field.properties.flatMap(([name, each]) => {
        const isNeeded = field.required.has(name) || 'default' in resolveSchema(each, root);
        const value = isNeeded ? createInitialValue(each, root, depth + 1) : undefined;
        return value === undefined ? [] : [[name, value] as const];
      });
      return Object.fromEntries(members);
    }
    default:
      return undefined;
  }
}

/** Tells how well a value fits a schema, by its type and constants. The form shows the best variant. */
export function rateFit(value: unknown, given: unknown, root: Json): number {
  const schema = resolveSchema(given, root);
  const field = readField(schema, root);
  switch (field.kind) {
    case 'const':
      return field.value === value ? 3 : -3;
    case 'enum':
      return field.options.some(option => option.value === value) ? 3 : -1;
    case 'boolean':
      return typeof value === 'boolean' ? 2 : -2;
    case 'null':
      return value === null ? 2 : -2;
    case 'number':
      return typeof value === 'number' ? 2 : -2;
    case 'text':
    case 'file':
      return typeof value === 'string' ? 2 : -2;
    case 'tuple':
    case 'array':
    case 'choices':
      return Array.isArray(value) ? 2 : -2;
    case 'object': {
      if (!isObject(value)) return -2;
      return field.properties.reduce((sum, [name, each]) => {
        if (!Object.hasOwn(value, name)) return sum - (field.required.has(name) ? 1 : 0);
        const member = resolveSchema(each, root);
        return sum + ('const' in member ? (member.const === value[name] ? 3 : -3) : 1);
      }, 2);
    }
    default:
      return 0;
  }
}
