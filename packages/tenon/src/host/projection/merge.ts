import { toCanonicalJson } from '../../encoding/canonical-json.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';

const LARGER = new Set('minimum exclusiveMinimum minLength minItems minContains minProperties'.split(' '));
const SMALLER = new Set('maximum exclusiveMaximum maxLength maxItems maxContains maxProperties'.split(' '));
/** Keywords that mean something together only. */
const GROUPS = [
  ['if', 'then', 'else'],
  ['contains', 'minContains', 'maxContains'],
];
const CLOSED = new Set(['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems']);

/** A schema without `allOf` at its top: what all of its members say, said once. */
export function fold(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema;
  if (!Array.isArray(allOf)) return schema;
  return allOf.filter(isObject).reduce<JsonObject>((whole, each) => merge(whole, fold(each)), rest);
}

/**
 * One schema for what two say together. Where both say what one schema cannot (two alternatives, two patterns), the
 * first is kept: the schema is then wider than the two, never another.
 */
export function merge(one: JsonObject, other: JsonObject): JsonObject {
  const merged: JsonObject = { ...one };
  const taken = GROUPS.filter(([first]) => first !== undefined && one[first] !== undefined).flat();
  for (const [keyword, value] of Object.entries(other)) {
    if (taken.includes(keyword)) continue;
    const before = merged[keyword];
    merged[keyword] = before === undefined ? value : both(keyword, before, value);
  }
  return merged;
}

function both(keyword: string, one: unknown, other: unknown): unknown {
  if (keyword === 'properties' && isObject(one) && isObject(other)) return bothProperties(one, other);
  if (keyword === 'required' && Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (keyword === 'enum' && Array.isArray(one) && Array.isArray(other)) return common(one, other);
  if (keyword === 'type') return commonTypes([one].flat(), [other].flat());
  if (LARGER.has(keyword)) return Math.max(Number(one), Number(other));
  if (SMALLER.has(keyword)) return Math.min(Number(one), Number(other));
  if (CLOSED.has(keyword) && (one === false || other === false)) return false;
  if (keyword === 'items' && isObject(one) && isObject(other)) return merge(fold(one), fold(other));
  return one;
}

function bothProperties(one: JsonObject, other: JsonObject): JsonObject {
  const entries = Object.entries(one);
  const more = Object.entries(other).filter(([key]) => !Object.hasOwn(one, key));
  const merged = entries.map(([key, value]) => {
    const second = Object.hasOwn(other, key) ? other[key] : undefined;
    return [key, isObject(value) && isObject(second) ? merge(fold(value), fold(second)) : value] as const;
  });
  return Object.fromEntries([...merged, ...more]);
}

function common(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const texts = new Set(other.map(toCanonicalJson));
  const left = one.filter(each => texts.has(toCanonicalJson(each)));
  return left.length > 0 ? left : one;
}

function commonTypes(one: readonly unknown[], other: readonly unknown[]): unknown {
  const left = [
    ...one.filter(each => other.includes(each) || (each === 'integer' && other.includes('number'))),
    ...other.filter(each => each === 'integer' && one.includes('number') && !one.includes('integer')),
  ];
  const types = left.length > 0 ? left : one;
  return types.length === 1 ? types[0] : types;
}
