import type { JsonObject } from 'tenon';

/** Maximum depth of nested types. Deeper ones are shown as `unknown`. */
const MAX_DEPTH = 6;
/** Maximum number of members of an object or a union that are shown. */
const MAX_MEMBERS = 40;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Parameter with its name and schema. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** Formats a JSON Schema as a TypeScript type in one line. */
export function formatType(schema: unknown, root: unknown = schema): string {
  return formatNode(schema, root, 0);
}

/** Lists the members of an object schema, in their order. */
export function listParameters(schema: unknown, root: unknown = schema): Parameter[] {
  const { properties, required } = toObject(resolveReference(schema, root));
  const names = Array.isArray(required) ? required : [];
  return Object.entries(toObject(properties)).map(([name, member]) => ({
    name,
    required: names.includes(name),
    schema: toObject(resolveReference(member, root)),
  }));
}

/** Returns the schema that a `$ref` within the same document names. Other schemas are returned unchanged. */
export function resolveReference(schema: unknown, root: unknown): unknown {
  let node = schema;
  for (let steps = 0; steps < MAX_DEPTH; steps++) {
    const { $ref } = toObject(node);
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return node;
    const path = $ref.slice(2).split('/').map(decodePointer);
    node = path.reduce<unknown>((parent, key) => toObject(parent)[key], root);
  }
  return node;
}

const decodePointer = (key: string): string => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');

export function toObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

function formatNode(schema: unknown, root: unknown, depth: number): string {
  if (schema === false) return 'never';
  const node = toObject(resolveReference(schema, root));
  if (depth > MAX_DEPTH) return 'unknown';
  if ('const' in node) return JSON.stringify(node.const);
  if (Array.isArray(node.enum)) return joinUnion(node.enum.map(value => JSON.stringify(value)));
  for (const key of ['anyOf', 'oneOf'] as const) {
    const options = node[key];
    if (Array.isArray(options)) return joinUnion(options.map(option => formatNode(option, root, depth + 1)));
  }
  if (Array.isArray(node.allOf)) return node.allOf.map(part => formatNode(part, root, depth + 1)).join(' & ');
  if (Array.isArray(node.type)) return joinUnion(node.type.map(type => formatOne({ ...node, type }, root, depth)));
  return formatOne(node, root, depth);
}

function formatOne(node: JsonObject, root: unknown, depth: number): string {
  switch (node.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return node.type;
    case 'integer':
      return 'number';
    case 'array':
      return formatArray(node, root, depth);
    case 'object':
      return formatObject(node, root, depth);
    default:
      return 'properties' in node ? formatObject(node, root, depth) : 'unknown';
  }
}

function formatArray({ items, prefixItems }: JsonObject, root: unknown, depth: number): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(item => formatNode(item, root, depth + 1)).join(', ')}]`;
  const item = formatNode(items, root, depth + 1);
  return / [|&] /.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function formatObject(node: JsonObject, root: unknown, depth: number): string {
  const members = listParameters(node, root);
  const shown = members.slice(0, MAX_MEMBERS).map(member => formatParameter(member, root, depth + 1));
  if (members.length > MAX_MEMBERS) shown.push('…');
  if (shown.length > 0) return `{ ${shown.join('; ')} }`;
  const { additionalProperties: rest } = node;
  return `Record<string, ${typeof rest === 'object' ? formatNode(rest, root, depth + 1) : 'unknown'}>`;
}

/** Formats `name: type`, or `name?: type` for an optional parameter. */
export function formatParameter({ name, required, schema }: Parameter, root: unknown, depth = 0): string {
  const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
  return `${key}${required ? '' : '?'}: ${formatNode(schema, root, depth)}`;
}

const joinUnion = (types: readonly string[]): string => {
  const unique = [...new Set(types)];
  return [...unique.slice(0, MAX_MEMBERS), ...(unique.length > MAX_MEMBERS ? ['…'] : [])].join(' | ');
};
