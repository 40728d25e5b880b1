import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { fold, merge } from './merge.js';
import { createObjectPiece, isNever } from './object.js';
import { acceptsValue, allowNull, combinePieces, createTextPiece, type SchemaPiece } from './piece.js';
import type { Rules, Subset } from './provider.js';
import { createEnumPiece } from './values.js';
import { add, addKeywordNotes, describeRequirement, hasOnlyRequired } from './wording.js';

/** Objects, arrays and alternatives inside each other; what is deeper is asked for as JSON text. OpenAI takes 10 levels. */
const MAX_NESTING = 8;

const ANNOTATIONS = ['description', 'title', 'default', 'examples'];
const IMPLIED: readonly [type: string, keywords: readonly string[]][] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'minProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'format', 'minLength', 'maxLength']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

export interface Writing {
  readonly rules: Rules;
  readonly subset: Subset;
  /** Schemas that may still be written, and values that were listed. */
  readonly counter: { left: number; values: number };
}

/** Writes a plain schema in the subset that a provider reads. */
export function write(schema: JsonObject, writing: Writing, depth = 0): SchemaPiece {
  const { subset, counter } = writing;
  const node = settled(fold(schema));
  if (--counter.left < 0 || depth > MAX_NESTING) return createTextPiece(node, 'any');
  const values = Array.isArray(node.enum) ? node.enum : 'const' in node ? [node.const] : undefined;
  if (values !== undefined) return createEnumPiece(values, node, counter, subset.openapi);
  const [keyword, branches] = alternatives(node);
  if (keyword !== undefined) return union(node, keyword, branches, writing, depth);
  const types = typesOf(node);
  const [type, ...others] = types.filter(each => each !== 'null');
  if (others.length > 0) {
    const { description, title, default: _, ...rest } = node;
    const pieces = types.map(each => write({ ...rest, type: each }, writing, depth));
    return combinePieces(pieces, addKeywordNotes({ description, title }, []), subset.openapi);
  }
  if (type === undefined)
    return types.length > 0 ? createEnumPiece([null], node, counter, subset.openapi) : createTextPiece(node, 'any');
  const piece = ofType(type, node, writing, depth);
  return types.length > 1 ? allowNull(piece, subset.openapi) : piece;
}

function ofType(type: string, node: JsonObject, writing: Writing, depth: number): SchemaPiece {
  const { rules, subset } = writing;
  const inside = (each: JsonObject) => write(each, writing, depth + 1);
  if (type === 'object') return createObjectPiece(node, rules, subset, inside);
  if (type === 'array') return arrayPiece(node, subset, inside);
  const allowed = type === 'string' ? subset.string : type === 'boolean' ? [] : subset.number;
  const kept = allowed.filter(keyword => node[keyword] !== undefined && isKept(keyword, node[keyword], writing));
  const said = Object.fromEntries(kept.map(keyword => [keyword, node[keyword]]));
  return { schema: { type, ...said, ...addKeywordNotes(node, kept) } };
}

function isKept(keyword: string, value: unknown, { rules, subset }: Writing): boolean {
  if (keyword === 'format') return rules.formats?.has(String(value)) ?? true;
  // A grammar is made of it, which cannot look ahead or behind.
  if (keyword === 'pattern') return !subset.strict || !/\(\?<?[=!]|\\[1-9bBk]/.test(String(value));
  return true;
}

/** Positions of a tuple become alternatives for all items, and their order a sentence. */
function arrayPiece(node: JsonObject, subset: Subset, inside: (node: JsonObject) => SchemaPiece): SchemaPiece {
  const first = Array.isArray(node.prefixItems) ? node.prefixItems.filter(isObject) : [];
  const rest = isObject(node.items) ? [node.items] : node.items === false && first.length > 0 ? [] : [{}];
  const closed = first.length > 0 && node.items === false ? { maxItems: first.length } : {};
  const order =
    first.length > 0 ? [`Items in this order: ${first.map(each => each.title ?? each.type ?? 'any').join(', ')}.`] : [];
  const each = [...first, ...(first.length > 0 && node.items === undefined ? [] : rest)];
  const items = each.length === 1 ? inside(each[0] ?? {}) : inside({ anyOf: each });
  const counts = merge(
    { ...closed },
    Object.fromEntries(subset.array.flatMap(key => (node[key] === undefined ? [] : [[key, node[key]]]))),
  );
  const { mend } = items;
  return {
    schema: { type: 'array', items: items.schema, ...counts, ...addKeywordNotes(node, subset.array, order) },
    mend: mend && (value => (Array.isArray(value) ? value.map(item => mend(item)) : value)),
    accepts: value => Array.isArray(value) && value.every(item => acceptsValue(items, item)),
  };
}

function union(
  node: JsonObject,
  keyword: string,
  branches: readonly JsonObject[],
  writing: Writing,
  depth: number,
): SchemaPiece {
  const { openapi } = writing.subset;
  const base = Object.fromEntries(
    Object.entries(node).filter(([each]) => each !== keyword && !ANNOTATIONS.includes(each)),
  );
  const said = addKeywordNotes(
    Object.fromEntries(Object.entries(node).filter(([each]) => ANNOTATIONS.includes(each))),
    [],
  );
  const whole = branches.map(branch => settled(merge(branch, base)));
  const nulls = whole.filter(branch => branch.type === 'null');
  const pieces = whole.filter(branch => branch.type !== 'null').map(branch => write(branch, writing, depth + 1));
  if (pieces.length === 0) return createEnumPiece([null], node, writing.counter, openapi);
  const piece = combinePieces(pieces, said, openapi);
  return nulls.length > 0 ? allowNull(piece, openapi) : piece;
}

function alternatives(node: JsonObject): [keyword: string | undefined, branches: readonly JsonObject[]] {
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = [node[keyword] ?? []]
      .flat()
      .filter(isObject)
      .map(fold)
      .filter(branch => !isNever(branch));
    if (branches.length > 0) return [keyword, branches];
  }
  return [undefined, []];
}

/** A schema whose alternatives say only what must be given says that in words. */
function settled(node: JsonObject): JsonObject {
  let schema = node;
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = [schema[keyword] ?? []].flat().filter(isObject).map(fold);
    if (branches.length === 0 || !branches.every(hasOnlyRequired) || schema.properties === undefined) continue;
    const { [keyword]: _, ...rest } = schema;
    schema = { ...rest, description: add(rest.description, [describeRequirement(branches, keyword === 'oneOf')]) };
  }
  return schema;
}

function typesOf(node: JsonObject): string[] {
  if (node.type !== undefined) return [node.type].flat().map(String);
  return IMPLIED.filter(([, keywords]) => keywords.some(keyword => keyword in node)).map(([type]) => type);
}
