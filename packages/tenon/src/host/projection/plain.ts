import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { toUnicodePattern } from '../../schemas/patterns/unicode-pattern.js';
import { findTarget, type SchemaReading } from './reading.js';

const TYPES = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas']);
const LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMAS = new Set(
  'items additionalProperties propertyNames contains not if then else unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);
const NUMBERS = new Set('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(' '));
const COUNTS = new Set(
  'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties'.split(' '),
);
/** Stands where a reference is not followed any further. */
const OPENED = 'Nested further in the same way.';
const ANNOTATIONS = new Set(['description', 'title', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']);

/**
 * A schema as plain JSON Schema 2020-12 that stands by itself: references replaced by what they refer to, the words of
 * earlier drafts by those of 2020-12, and what is no keyword or has no meaning left out. A definition inside itself is
 * opened at some depth: anything goes there, and the server judges it. A fault is noted in the reading.
 */
export function normalizeSchema(node: unknown, reading: SchemaReading): JsonObject {
  if (node === true || reading.fault !== undefined) return {};
  if (node === false) return { not: {} };
  if (!isObject(node)) return fault(reading, 'a part of its input schema is neither an object nor a boolean');
  reading.isTooLarge ||= --reading.left < 0;
  if (reading.isTooLarge) return {};
  const written: JsonObject = {};
  for (const [keyword, value] of Object.entries(renamed(node))) {
    const kept = keep(keyword, value, reading);
    if (kept !== undefined) written[keyword] = kept;
  }
  const reference = node.$ref ?? node.$dynamicRef;
  return reference === undefined ? written : joined(follow(reference, reading), written);
}

function follow(reference: unknown, reading: SchemaReading): JsonObject {
  if (typeof reference !== 'string') return fault(reading, 'a reference in its input schema is no text');
  const name = reference.slice(0, 200);
  const { following, reach } = reading;
  const rounds = following.filter(each => each === name).length;
  if (rounds > reach.recursion || following.length >= reach.references) return { description: OPENED };
  const found = findTarget(reading.root, reference);
  if (found === undefined) return fault(reading, `its input schema refers to ${name}, which is not part of it`);
  following.push(name);
  const written = normalizeSchema(found, reading);
  following.pop();
  return written;
}

/** Keywords beside a reference hold too; annotations replace those of what it refers to. */
function joined(referred: JsonObject, beside: JsonObject): JsonObject {
  const isOnlyAnnotated = Object.keys(beside).every(keyword => ANNOTATIONS.has(keyword));
  if (isOnlyAnnotated) return { ...referred, ...beside };
  const { allOf, ...rest } = beside;
  return { ...rest, allOf: [referred, ...(Array.isArray(allOf) ? allOf : [])] };
}

/** The words of drafts 04 to 2019-09 in those of 2020-12. */
function renamed(node: JsonObject): JsonObject {
  const { items, additionalItems, dependencies, ...rest } = node;
  if (Array.isArray(items)) {
    rest.prefixItems ??= items;
    if (additionalItems !== undefined) rest.items = additionalItems;
  } else if (items !== undefined) rest.items = items;
  if (isObject(dependencies)) {
    const entries = Object.entries(dependencies);
    rest.dependentRequired ??= Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
    rest.dependentSchemas ??= Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
  }
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (rest[exclusive] !== true || typeof rest[bound] !== 'number') continue;
    rest[exclusive] = rest[bound];
    delete rest[bound];
  }
  return rest;
}

function keep(keyword: string, value: unknown, reading: SchemaReading): unknown {
  if (MAPS.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, normalizeSchema(each, reading)]));
  }
  if (LISTS.has(keyword)) {
    return Array.isArray(value) && value.length > 0 ? value.map(each => normalizeSchema(each, reading)) : undefined;
  }
  // The two places where `false` says more than an empty schema would.
  if (SCHEMAS.has(keyword)) return typeof value === 'boolean' ? value : normalizeSchema(value, reading);
  if (NUMBERS.has(keyword)) return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
  if (COUNTS.has(keyword))
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
  return keepValue(keyword, value);
}

function keepValue(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'type':
      return keepTypes(value);
    case 'enum':
      return Array.isArray(value) && value.length > 0 ? value : undefined;
    case 'required':
      return strings(value);
    case 'dependentRequired':
      return isObject(value) && Object.values(value).every(strings) ? value : undefined;
    case 'pattern':
      return typeof value === 'string' && toUnicodePattern(value) !== undefined ? value : undefined;
    case 'format':
    case 'description':
    case 'title':
      return typeof value === 'string' && value !== '' ? value : undefined;
    case 'uniqueItems':
      return value === true ? true : undefined;
    case 'const':
    case 'default':
      return value;
    case 'examples':
      return Array.isArray(value) ? value : undefined;
    default:
      return undefined;
  }
}

function keepTypes(value: unknown): unknown {
  const types = [...new Set([value].flat())].filter(each => typeof each === 'string' && TYPES.has(each));
  return types.length > 1 ? types : types[0];
}

function strings(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every(each => typeof each === 'string') ? [...new Set(value)] : undefined;
}

function fault(reading: SchemaReading, why: string): JsonObject {
  reading.fault ??= why;
  return {};
}
