import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { compileSchema, type Validator } from './compile-schema.js';
import { toJsonPointer } from './issues.js';
import type { SchemaSide } from './json-schema.js';
import { toUnicodePattern } from './patterns/unicode-pattern.js';
import { checkReference, type SchemaDocument } from './schema-references.js';
import { isStandardSchema, type Schema } from './standard.js';

/**
 * Compiles a schema of a definition into a validator.
 * @param subject Names the schema in errors: `the input of tool "add"`.
 * @throws TenonError `schema/broken` with the location of the first fault of a JSON Schema, or an error of
 * `compileSchema`. The error names the subject.
 */
export function compileDefinition(subject: string, schema: Schema, side: SchemaSide): Validator {
  try {
    const validator = compileSchema(schema, side);
    if (!isStandardSchema(schema)) checkSchema(validator.json);
    return validator;
  } catch (error) {
    if (!TenonError.is(error)) throw error;
    const { expected, received, hint, cause } = error;
    throw new TenonError(error.code, `${subject}: ${error.summary}`, {
      expected,
      received,
      hint,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}

/**
 * Checks a JSON Schema. Throws `schema/broken` with the location of the first fault that would make every validation
 * fail.
 */
function checkSchema(json: JsonObject): void {
  visitSchema(json, [], { root: json, resource: json });
}

type SchemaPath = readonly string[];
type CheckKeyword = (value: unknown, path: SchemaPath, document: SchemaDocument) => void;

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const areNames = (value: unknown): boolean => Array.isArray(value) && value.every(name => typeof name === 'string');
const isType = (value: unknown): boolean => TYPES.includes(value as string);

const visitList: CheckKeyword = (value, path, document) => {
  if (!Array.isArray(value)) throw createBrokenError(path, 'a list of schemas', value);
  for (const [at, each] of value.entries()) visitSchema(each, [...path, String(at)], document);
};

const visitMap: CheckKeyword = (value, path, document) => {
  if (!isObject(value)) throw createBrokenError(path, 'an object of schemas', value);
  for (const [name, each] of Object.entries(value)) visitSchema(each, [...path, name], document);
};

const checkPattern: CheckKeyword = (value, path) => {
  if (typeof value !== 'string' || toUnicodePattern(value) === undefined)
    throw createBrokenError(path, 'a regular expression', value);
};

function createKeywordCheck(expected: string, fits: (value: unknown) => boolean): CheckKeyword {
  return (value, path) => {
    if (!fits(value)) throw createBrokenError(path, expected, value);
  };
}

const visitSingle: CheckKeyword = (value, path, document) => visitSchema(value, path, document);
const checkNumber = createKeywordCheck('a number', isNumber);
const checkCount = createKeywordCheck('an integer that is not negative', isCount);
const checkNames = createKeywordCheck('a list of names', areNames);
const checkList = createKeywordCheck('a list', Array.isArray);

/**
 * The keywords that a validator reads, with the check of their values.
 * @see https://json-schema.org/draft/2020-12/schema
 */
const KEYWORDS: { readonly [keyword: string]: CheckKeyword | undefined } = {
  ...mapKeywords(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], checkNumber),
  ...mapKeywords(['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'], checkCount),
  ...mapKeywords(['minProperties', 'maxProperties'], checkCount),
  ...mapKeywords(['allOf', 'anyOf', 'oneOf', 'prefixItems'], visitList),
  ...mapKeywords(['properties', 'dependentSchemas', '$defs', 'definitions'], visitMap),
  ...mapKeywords(['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'contains', 'not'], visitSingle),
  ...mapKeywords(['additionalItems', 'unevaluatedItems', 'if', 'then', 'else'], visitSingle),
  ...mapKeywords(['$ref', '$dynamicRef'], (value, path, document) =>
    checkReference(value, path, document, createBrokenError),
  ),
  type: createKeywordCheck(
    `one of ${TYPES.join(', ')}, or a list of these`,
    value => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
  ),
  multipleOf: createKeywordCheck('a number greater than 0', value => isNumber(value) && (value as number) > 0),
  pattern: checkPattern,
  patternProperties(value, path, document) {
    visitMap(value, path, document);
    for (const source of Object.keys(value as object)) checkPattern(source, path, document);
  },
  required: checkNames,
  enum: checkList,
  items: (value, path, document) => (Array.isArray(value) ? visitList : visitSchema)(value, path, document),
  dependentRequired: createKeywordCheck(
    'an object of lists of names',
    value => isObject(value) && Object.values(value).every(areNames),
  ),
  dependencies(value, path, document) {
    if (!isObject(value)) throw createBrokenError(path, 'an object', value);
    for (const [name, each] of Object.entries(value)) {
      if (!areNames(each)) visitSchema(each, [...path, name], document);
    }
  },
};

function mapKeywords(keywords: readonly string[], check: CheckKeyword): { [keyword: string]: CheckKeyword } {
  return Object.fromEntries(keywords.map(keyword => [keyword, check]));
}

function visitSchema(node: unknown, path: SchemaPath, document: SchemaDocument): void {
  if (typeof node === 'boolean') return;
  if (!isObject(node)) throw createBrokenError(path, 'a schema: an object, true or false', node);
  const inside = typeof node.$id === 'string' ? { ...document, resource: node } : document;
  for (const [keyword, value] of Object.entries(node)) {
    if (Object.hasOwn(KEYWORDS, keyword)) KEYWORDS[keyword]?.(value, [...path, keyword], inside);
  }
}

function createBrokenError(path: SchemaPath, expected: string, value: unknown, next?: string): TenonError {
  return new TenonError('schema/broken', `invalid JSON Schema at ${toJsonPointer(path) || 'the root'}`, {
    expected,
    received: describe(value),
    hint: next ?? 'correct the schema, which is read as JSON Schema 2020-12 unless "$schema" names another dialect',
  });
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (isObject(value)) return 'an object';
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 100 ? `${text.slice(0, 99)}…` : text;
}
