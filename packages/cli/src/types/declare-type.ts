import { chooseName, decodePointerToken, toJsonObject } from '@tenon/base';
import { writeIdentifier, writeJsonMember, writeMemberName } from '@tenon/base/writers';
import type { JsonObject } from 'tenon';
import { formatScalar } from '../tools/type-text.js';
import { formatComment } from './format-comment.js';

/** Maximum depth of nested types. Deeper ones are `unknown`. */
const MAX_DEPTH = 32;
const REFERENCE = /^#\/(?:\$defs|definitions)\/([^/]+)$/;

/** Gives each declaration a name of its own. */
export class TypeNames {
  readonly #used = new Set<string>();

  /** Returns the text in PascalCase, with a number if the name is in use. */
  create(text: string): string {
    const name = chooseName(writeIdentifier(text), '', used => this.#used.has(used));
    this.#used.add(name);
    return name;
  }
}

/**
 * Declares the type of a JSON Schema, and those of its `$defs` that it uses.
 *
 * @param name Name of the type, from `names`.
 * @returns One declaration for each type, the type itself first.
 */
export function declareType(name: string, schema: JsonObject, names: TypeNames): string[] {
  const declarations: string[] = [];
  const known = new Map<string, string>([['#', name]]);
  const waiting: (readonly [string, unknown])[] = [[name, schema]];
  const context: TypeContext = {
    resolve(reference) {
      const declared = known.get(reference);
      if (declared !== undefined) return declared;
      const [, key] = REFERENCE.exec(reference) ?? [];
      if (key === undefined) return undefined;
      const text = decodePointerToken(key) ?? key;
      const definition = toJsonObject(schema.$defs)[text] ?? toJsonObject(schema.definitions)[text];
      if (definition === undefined) return undefined;
      const created = names.create(`${name} ${text}`);
      known.set(reference, created);
      waiting.push([created, definition]);
      return created;
    },
  };
  for (let next = waiting.shift(); next; next = waiting.shift()) declarations.push(declareOne(...next, context));
  return declarations;
}

interface TypeContext {
  /** Returns the name of the type that a `$ref` names. */
  resolve(reference: string): string | undefined;
}

function declareOne(name: string, schema: unknown, context: TypeContext): string {
  const comment = formatComment(toJsonObject(schema), '');
  const text = formatNode(schema, context, '', 0);
  // An interface is shown by its name in editors and errors.
  return text.startsWith('{\n') && text.endsWith('\n}') && isPlainObject(schema)
    ? `${comment}export interface ${name} ${text}`
    : `${comment}export type ${name} = ${text};`;
}

const isPlainObject = (schema: unknown): boolean =>
  !['$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'].some(key => key in toJsonObject(schema));

function formatNode(schema: unknown, context: TypeContext, indent: string, depth: number): string {
  if (schema === false) return 'never';
  if (depth > MAX_DEPTH) return 'unknown';
  const node = toJsonObject(schema);
  const format = (each: unknown) => formatNode(each, context, indent, depth + 1);
  if (typeof node.$ref === 'string') return context.resolve(node.$ref) ?? 'unknown';
  if ('const' in node) return writeJsonMember(node, 'const');
  const { enum: choices } = node;
  if (Array.isArray(choices))
    return joinTypes(
      choices.map((_, index) => writeJsonMember(choices, index)),
      '|',
    );
  for (const key of ['anyOf', 'oneOf'] as const) {
    const options = node[key];
    if (!Array.isArray(options)) continue;
    const union = joinTypes(options.map(format), '|');
    return 'properties' in node ? joinTypes([formatObject(node, context, indent, depth), union], '&') : union;
  }
  if (Array.isArray(node.allOf)) {
    const object = 'properties' in node ? [formatObject(node, context, indent, depth)] : [];
    return joinTypes([...object, ...node.allOf.map(format)], '&');
  }
  if (Array.isArray(node.type))
    return joinTypes(
      node.type.map(type => format({ ...node, type })),
      '|',
    );
  if (node.type === 'array') return formatArray(node, format);
  if (node.type === 'object') return formatObject(node, context, indent, depth);
  return formatScalar(node.type) ?? ('properties' in node ? formatObject(node, context, indent, depth) : 'unknown');
}

function formatArray({ items, prefixItems }: JsonObject, format: (schema: unknown) => string): string {
  if (!Array.isArray(prefixItems)) return `readonly ${wrapType(format(items))}[]`;
  const rest = items === false ? [] : [`...${items === undefined ? 'unknown' : wrapType(format(items))}[]`];
  return `readonly [${[...prefixItems.map(format), ...rest].join(', ')}]`;
}

function formatObject(node: JsonObject, context: TypeContext, indent: string, depth: number): string {
  const inner = `${indent}  `;
  const required: readonly unknown[] = Array.isArray(node.required) ? node.required : [];
  const members = Object.entries(toJsonObject(node.properties)).map(([name, schema]) =>
    formatMember(name, schema, required.includes(name), inner, each => formatNode(each, context, inner, depth + 1)),
  );
  const { additionalProperties: rest } = node;
  if (members.length === 0) {
    if (rest === false) return 'Record<string, never>';
    return `{ readonly [name: string]: ${formatNode(rest ?? {}, context, indent, depth + 1)} }`;
  }
  // The type of other members must also fit the members with a name.
  if (rest === true || typeof rest === 'object') members.push(`${inner}readonly [name: string]: unknown;`);
  return `{\n${members.join('\n')}\n${indent}}`;
}

function formatMember(
  name: string,
  schema: unknown,
  isRequired: boolean,
  indent: string,
  format: (schema: unknown) => string,
): string {
  const key = writeMemberName(name);
  const type = format(schema);
  const member = isRequired ? `${key}: ${type}` : `${key}?: ${joinTypes([type, 'undefined'], '|')}`;
  return `${formatComment(toJsonObject(schema), indent)}${indent}readonly ${member};`;
}

function joinTypes(types: readonly string[], sign: '|' | '&'): string {
  const [first = sign === '|' ? 'never' : 'unknown', ...others] = new Set(types);
  if (others.length === 0) return first;
  if (sign === '|') return types.includes('unknown') ? 'unknown' : [first, ...others].join(' | ');
  return [first, ...others].map(wrapType).join(' & ');
}

const wrapType = (type: string): string =>
  / [|&] /.test(type.replace(/\{[\s\S]*\}/, '')) || type.startsWith('readonly ') ? `(${type})` : type;
