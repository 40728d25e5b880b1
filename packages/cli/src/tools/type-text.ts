import { decodePointerToken, stringifyMember, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';

/** Maximum depth of nested types. Deeper ones are shown as `unknown`. */
const MAX_DEPTH = 6;
/** Maximum number of members of an object or a union that are shown. */
const MAX_MEMBERS = 40;
/** Maximum number of types in one text. Schemas that refer to themselves would have a number without limit. */
const MAX_TYPES = 500;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Parameter with its name and schema. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: JsonObject;
}

/** Formats a JSON Schema as a TypeScript type in one line. */
export function formatType(schema: unknown, root: unknown = schema): string {
  return new TypeFormatter(root).format(schema);
}

/** Formats the members of an object schema: `name: type`, or `name?: type` for an optional one. */
export function formatParameters(schema: unknown): string[] {
  return new TypeFormatter(schema).formatParameters(listParameters(schema));
}

/** Lists the members of an object schema, in their order. */
export function listParameters(schema: unknown, root: unknown = schema): Parameter[] {
  const { properties, required } = toJsonObject(resolveReference(schema, root));
  const names = Array.isArray(required) ? required : [];
  return Object.entries(toJsonObject(properties)).map(([name, member]) => ({
    name,
    required: names.includes(name),
    schema: toJsonObject(resolveReference(member, root)),
  }));
}

/** Returns the schema that a `$ref` within the same document names. Other schemas are returned unchanged. */
export function resolveReference(schema: unknown, root: unknown): unknown {
  let node = schema;
  for (let steps = 0; steps < MAX_DEPTH; steps++) {
    const { $ref } = toJsonObject(node);
    if ($ref === '#') return root;
    if (typeof $ref !== 'string' || !$ref.startsWith('#/')) return node;
    const path = $ref
      .slice(2)
      .split('/')
      .map(part => decodePointerToken(part) ?? part);
    node = path.reduce<unknown>((parent, key) => toJsonObject(parent)[key], root);
  }
  return node;
}

/** Formats a JSON Schema type without members. Returns `undefined` for other types. */
export function formatScalar(type: unknown): string | undefined {
  if (type === 'integer') return 'number';
  return type === 'string' || type === 'boolean' || type === 'null' || type === 'number' ? type : undefined;
}

/** Formats the types of one text, up to a total number. */
class TypeFormatter {
  readonly #root: unknown;
  #count = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  format(schema: unknown, depth = 0): string {
    this.#count += 1;
    if (schema === false) return 'never';
    if (this.#count > MAX_TYPES) return '…';
    const node = toJsonObject(resolveReference(schema, this.#root));
    if (depth > MAX_DEPTH) return 'unknown';
    if ('const' in node) return stringifyMember(node, 'const');
    const { enum: choices } = node;
    if (Array.isArray(choices)) return joinUnion(choices.map((_, index) => stringifyMember(choices, index)));
    const formatNested = (each: unknown) => this.format(each, depth + 1);
    for (const key of ['anyOf', 'oneOf'] as const) {
      const options = node[key];
      if (Array.isArray(options)) return joinUnion(this.#formatEach(options, formatNested));
    }
    if (Array.isArray(node.allOf)) return this.#formatEach(node.allOf, formatNested).join(' & ');
    if (Array.isArray(node.type))
      return joinUnion(this.#formatEach(node.type, type => this.#formatOne({ ...node, type }, depth)));
    return this.#formatOne(node, depth);
  }

  formatParameters(parameters: readonly Parameter[], depth = 0): string[] {
    return this.#formatEach(parameters, ({ name, required, schema }) => {
      const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
      return `${key}${required ? '' : '?'}: ${this.format(schema, depth)}`;
    });
  }

  /** Formats items up to the total number of types, with `…` for the others. */
  #formatEach<T>(items: readonly T[], format: (item: T) => string): string[] {
    const texts: string[] = [];
    for (const item of items) {
      if (this.#count >= MAX_TYPES) return [...texts, '…'];
      texts.push(format(item));
    }
    return texts;
  }

  #formatOne(node: JsonObject, depth: number): string {
    if (node.type === 'array') return this.#formatArray(node, depth);
    if (node.type === 'object') return this.#formatObject(node, depth);
    return formatScalar(node.type) ?? ('properties' in node ? this.#formatObject(node, depth) : 'unknown');
  }

  #formatArray({ items, prefixItems }: JsonObject, depth: number): string {
    if (Array.isArray(prefixItems))
      return `[${this.#formatEach(prefixItems, each => this.format(each, depth + 1)).join(', ')}]`;
    const item = this.format(items, depth + 1);
    return / [|&] /.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
  }

  #formatObject(node: JsonObject, depth: number): string {
    const members = listParameters(node, this.#root);
    const shown = this.formatParameters(members.slice(0, MAX_MEMBERS), depth + 1);
    if (members.length > MAX_MEMBERS && shown.at(-1) !== '…') shown.push('…');
    if (shown.length > 0) return `{ ${shown.join('; ')} }`;
    const { additionalProperties: rest } = node;
    return `Record<string, ${typeof rest === 'object' ? this.format(rest, depth + 1) : 'unknown'}>`;
  }
}

const joinUnion = (types: readonly string[]): string => {
  const unique = [...new Set(types)];
  return [...unique.slice(0, MAX_MEMBERS), ...(unique.length > MAX_MEMBERS ? ['…'] : [])].join(' | ');
};
