import { dereference, format, type Schema as Node } from '@cfworker/json-schema';
import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { type Draft, detectDraft } from './draft.js';
import { toUnicodePattern } from './patterns/unicode-pattern.js';

/** A JSON Schema that is ready to validate. It is a copy, because the validator adds members to the schema. */
export interface PreparedSchema {
  readonly root: Node;
  readonly draft: Draft;
  readonly lookup: Record<string, Node | boolean>;
  readonly meter: StepMeter;
}

/** Counts the steps of one validation by a peer's schema, and ends a validation with too many steps. */
export interface StepMeter {
  /** True while a value is validated. Steps are not counted while the lookup table is built. */
  isActive: boolean;
  remaining: number;
}

/** Estimates the maximum length of a string to which a pattern may be applied. */
export type EstimateMaxLength = (pattern: string) => number;

/** Maximum number of subschemas that one validation by a peer's schema may apply. */
export const MAX_STEPS = 500_000;
/** Maximum length of a list for `uniqueItems`, which compares every pair of items. */
const MAX_UNIQUE_ITEMS = 2_000;
/** Maximum length of all patterns of a peer's schema together, in characters. */
const MAX_PATTERN_TEXT = 20_000;

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const DATA = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', 'type']);

interface PreparationContext {
  readonly draft: Draft;
  readonly estimateMaxLength: EstimateMaxLength | undefined;
  readonly meter: StepMeter;
  patternText: number;
}

/**
 * Prepares a JSON Schema for validation. With `estimateMaxLength` the schema comes from a peer, and the steps of a
 * check are counted too.
 * @throws TenonError `schema/broken` when the schema cannot validate any value.
 */
export function prepareSchema(json: JsonObject, estimateMaxLength?: EstimateMaxLength): PreparedSchema {
  const draft = detectDraft(json);
  const meter: StepMeter = { isActive: false, remaining: 0 };
  // A copy through JSON text keeps a member called `__proto__` as a plain member.
  const root = JSON.parse(JSON.stringify(json)) as Node;
  adaptSchema(root, { draft, estimateMaxLength, meter, patternText: 0 });
  const lookup = buildLookup(root);
  for (const node of Object.values(lookup)) {
    const target = isObject(node) ? (node as Node).__absolute_ref__ : undefined;
    if (target === undefined || lookup[target] !== undefined) continue;
    lookup[target] = createTripwire(
      meter,
      `the schema refers to ${shorten(toWrittenReference(target))}, which is outside of the schema and is never fetched`,
    );
  }
  return { root, draft, lookup, meter };
}

/**
 * Converts a resolved reference to the text in the schema. Without an `$id` the validator resolves references against
 * an internal address.
 */
function toWrittenReference(target: string): string {
  return target.replace(/^https:\/\/github\.com\/cfworker(?=#)/, '');
}

function buildLookup(root: Node): Record<string, Node | boolean> {
  try {
    return dereference(root);
  } catch (cause) {
    throw createBrokenError('its identifiers or references are invalid', cause);
  }
}

function adaptSchema(node: unknown, context: PreparationContext): void {
  if (!isObject(node)) return;
  // `id` names a schema only in draft-04, but the validator reads it as a name in every dialect.
  delete node.id;
  adaptDependencies(node);
  for (const [keyword, value] of Object.entries(node)) {
    if (DATA.has(keyword)) continue;
    if (MAPS.includes(keyword) && isObject(value)) for (const each of Object.values(value)) adaptSchema(each, context);
    else if (LISTS.includes(keyword) && Array.isArray(value)) for (const each of value) adaptSchema(each, context);
    else adaptSchema(value, context);
  }
  if (context.draft === '2020-12') adaptDynamic(node);
  adaptFormat(node);
  adaptPatterns(node, context);
  if (node.uniqueItems === true) {
    const reason = `it wants unique items, and only ${MAX_UNIQUE_ITEMS} can be compared`;
    guardSchema(node, context, { type: 'array', minItems: MAX_UNIQUE_ITEMS + 1 }, reason);
  }
  if (context.estimateMaxLength) countSteps(node, context.meter);
}

/** Converts `dependencies` of draft-07, which has two meanings, to the keywords of the later drafts. */
function adaptDependencies(node: JsonObject): void {
  if (!isObject(node.dependencies)) return;
  const entries = Object.entries(node.dependencies);
  const required = Object.fromEntries(entries.filter(([, value]) => Array.isArray(value)));
  const schemas = Object.fromEntries(entries.filter(([, value]) => !Array.isArray(value)));
  node.dependentRequired ??= required;
  node.dependentSchemas ??= schemas;
  delete node.dependencies;
}

/** Converts dynamic references to plain references. Both are the same without a second schema document. */
function adaptDynamic(node: JsonObject): void {
  node.$anchor ??= node.$dynamicAnchor;
  if (node.$anchor === undefined) delete node.$anchor;
  if (typeof node.$dynamicRef !== 'string') return;
  if (node.$ref === undefined) node.$ref = node.$dynamicRef;
  else addCondition(node, { $ref: node.$dynamicRef });
}

/**
 * Removes unknown formats, which are ignored, and `url`. `url` is not a format of JSON Schema, and checking it can take
 * exponential time.
 */
function adaptFormat(node: JsonObject): void {
  if (typeof node.format !== 'string' || node.format === 'url' || !Object.hasOwn(format, node.format)) {
    delete node.format;
  }
}

function adaptPatterns(node: JsonObject, preparing: PreparationContext): void {
  if (typeof node.pattern === 'string') {
    const { pattern, limit } = readPattern(node.pattern, preparing);
    node.pattern = pattern;
    if (limit < Number.POSITIVE_INFINITY) {
      guardSchema(node, preparing, { type: 'string', minLength: limit + 1 }, describeTooLong(pattern));
    }
  }
  if (!isObject(node.patternProperties)) return;
  const read = Object.entries(node.patternProperties).map(([key, value]) => ({
    ...readPattern(key, preparing),
    value,
  }));
  node.patternProperties = Object.fromEntries(read.map(({ pattern, value }) => [pattern, value]));
  for (const { pattern, limit } of read) {
    if (limit === Number.POSITIVE_INFINITY) continue;
    const names: JsonObject = {};
    guardSchema(names, preparing, { minLength: limit + 1 }, describeTooLong(pattern));
    addCondition(node, { propertyNames: names });
  }
}

function readPattern(source: string, preparing: PreparationContext): { pattern: string; limit: number } {
  const pattern = toUnicodePattern(source);
  if (pattern === undefined)
    throw createBrokenError(`its pattern ${shorten(JSON.stringify(source))} is not a regular expression`);
  if (preparing.estimateMaxLength === undefined) return { pattern, limit: Number.POSITIVE_INFINITY };
  preparing.patternText += pattern.length;
  return { pattern, limit: preparing.patternText > MAX_PATTERN_TEXT ? 0 : preparing.estimateMaxLength(pattern) };
}

function describeTooLong(pattern: string): string {
  return `the pattern ${shorten(JSON.stringify(pattern))} could take too long on a string of this length`;
}

/**
 * Ends the validation of a value that matches `when`. The guard is in `allOf`, which the validator reads before the
 * guarded keyword.
 */
function guardSchema(node: JsonObject, { meter }: PreparationContext, when: JsonObject, reason: string): void {
  addCondition(node, { if: { not: when }, else: createTripwire(meter, reason) });
}

function addCondition(node: JsonObject, more: JsonObject): void {
  node.allOf = Array.isArray(node.allOf) ? [...node.allOf, more] : [more];
}

/** Creates a schema that ends every validation that reaches it. The validator reads `$ref` first, so `$ref` throws. */
function createTripwire(meter: StepMeter, reason: string): Node {
  return Object.defineProperty({}, '$ref', {
    get: () => {
      if (meter.isActive) throw new TenonError('schema/cannot-validate', reason);
      return undefined;
    },
  });
}

/** Counts each subschema that is applied, because references that fan out let a small schema take very long. */
function countSteps(node: JsonObject, meter: StepMeter): void {
  const { $ref } = node;
  Object.defineProperty(node, '$ref', {
    get: () => {
      if (meter.isActive && --meter.remaining < 0)
        throw new TenonError('schema/cannot-validate', 'the validation takes too many steps');
      return $ref;
    },
  });
}

function createBrokenError(reason: string, cause?: unknown): TenonError {
  return new TenonError('schema/broken', `invalid JSON Schema: ${reason}`, {
    hint: 'correct the schema, which is read as JSON Schema 2020-12 unless "$schema" names another dialect',
    ...(cause === undefined ? {} : { cause }),
  });
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
