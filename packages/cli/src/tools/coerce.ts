import { getJsonType, toJsonObject } from '@tenon/base';
import type { JsonObject } from 'tenon';
import { createUsageError } from '../usage-error.js';
import { requireExactIntegers } from './exact-integers.js';
import { formatType, resolveReference } from './type-text.js';

/** Syntax of a JSON number. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * Converts the texts of one argument to the type that its schema describes. Several texts become a list. A text stays
 * unchanged if the schema allows a string.
 */
export function coerceArgument(name: string, texts: readonly string[], schema: unknown, root: unknown): unknown {
  const node = toJsonObject(resolveReference(schema, root));
  const types = listTypes(node, root);
  const [first = ''] = texts;
  if (types.has('array') && !(texts.length === 1 && first.trimStart().startsWith('['))) {
    if (texts.length > 1 || !types.has('string')) {
      const item = findItemSchema(node, root);
      return texts.map(text => coerceText(name, text, item, root));
    }
  }
  if (texts.length > 1) throw createUsageError(`argument "${name}": given ${texts.length} times`, 'pass it once');
  return coerceText(name, first, node, root);
}

/** Tells if a schema allows only `true` and `false`. */
export function isFlag(schema: unknown, root: unknown): boolean {
  const types = listTypes(toJsonObject(resolveReference(schema, root)), root);
  types.delete('null');
  return types.size === 1 && types.has('boolean');
}

function coerceText(name: string, text: string, schema: unknown, root: unknown): unknown {
  const node = toJsonObject(resolveReference(schema, root));
  const choice = listChoices(node, root).find(value => String(value) === text);
  if (choice !== undefined) return choice;
  const types = listTypes(node, root);
  if (types.has('string')) return text;
  if (types.size === 0) {
    const literal = parseLiteral(text);
    if (literal !== undefined) requireExactIntegers(`argument "${name}"`, text);
    return literal ?? text;
  }
  requireExactIntegers(`argument "${name}"`, text);
  const value = text === 'null' && types.has('null') ? null : parseLiteral(text);
  if (value !== undefined && types.has(getJsonType(value))) return value;
  throw createUsageError(
    `argument "${name}": expected ${formatType(node, root)}, got ${JSON.stringify(text.slice(0, 60))}`,
    `pass ${name}=VALUE of this type, or ${name}:=JSON`,
  );
}

/** Parses numbers, booleans, lists and objects. Returns `undefined` for other texts. */
function parseLiteral(text: string): unknown {
  const trimmed = text.trim();
  if (!NUMBER.test(trimmed) && trimmed !== 'true' && trimmed !== 'false' && !/^[[{]/.test(trimmed)) return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    return undefined;
  }
}

/** Lists the JSON types that a schema allows, with `number` for integers. Empty if all types are allowed. */
function listTypes(schema: JsonObject, root: unknown): Set<string> {
  const types = new Set<string>();
  for (const node of listBranches(schema, root)) {
    for (const type of Array.isArray(node.type) ? node.type : [node.type])
      if (typeof type === 'string') types.add(type === 'integer' ? 'number' : type);
    for (const value of getOwnChoices(node)) types.add(getJsonType(value));
  }
  return types;
}

function listChoices(schema: JsonObject, root: unknown): unknown[] {
  return listBranches(schema, root).flatMap(getOwnChoices);
}

function getOwnChoices(node: JsonObject): unknown[] {
  return [...(Array.isArray(node.enum) ? node.enum : []), ...('const' in node ? [node.const] : [])];
}

function findItemSchema(schema: JsonObject, root: unknown): unknown {
  return listBranches(schema, root).find(node => node.items !== undefined)?.items ?? {};
}

/** Returns a schema and its alternatives. */
function listBranches(schema: JsonObject, root: unknown): JsonObject[] {
  const branches = [schema.anyOf, schema.oneOf].flatMap(each => (Array.isArray(each) ? each : []));
  return [schema, ...branches.map(branch => toJsonObject(resolveReference(branch, root)))];
}
