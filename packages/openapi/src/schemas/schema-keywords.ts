import { isObject, isTextList } from '@tenon/base';

type KeywordCheck = (value: unknown) => string | undefined;

const TYPES: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

const expect =
  (expected: string, isValid: (value: unknown) => boolean): KeywordCheck =>
  value =>
    isValid(value) ? undefined : `expected ${expected}`;

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);

const schema = expect('a schema', isSchema);
const schemas = expect('an object of schemas', isObject);
const schemaList = expect(
  'a list of schemas',
  value => Array.isArray(value) && value.length > 0 && value.every(isSchema),
);
const number = expect('a number', value => typeof value === 'number' && Number.isFinite(value));
const count = expect('a whole number from 0 on', value => Number.isInteger(value) && Number(value) >= 0);
const text = expect('a text', value => typeof value === 'string');
const anything: KeywordCheck = () => undefined;

/** Keywords of JSON Schema that schemas of an API use, with the checks of their values. All others are dropped. */
const KEYWORDS: Readonly<Record<string, KeywordCheck>> = {
  type: expect(
    'one of the types of JSON Schema',
    value =>
      TYPES.includes(value) || (Array.isArray(value) && value.length > 0 && value.every(each => TYPES.includes(each))),
  ),
  title: text,
  description: text,
  format: text,
  contentEncoding: text,
  contentMediaType: text,
  default: anything,
  const: anything,
  examples: expect('a list', Array.isArray),
  enum: expect('a list of values', value => Array.isArray(value) && value.length > 0),
  deprecated: expect('true or false', value => typeof value === 'boolean'),
  required: expect('a list of names', isTextList),
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: expect('a number above 0', value => typeof value === 'number' && value > 0 && Number.isFinite(value)),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  minContains: count,
  maxContains: count,
  uniqueItems: expect('true or false', value => typeof value === 'boolean'),
  pattern: expect('a regular expression of JavaScript', isPattern),
  dependentRequired: expect('lists of names', value => isObject(value) && Object.values(value).every(isTextList)),
  properties: schemas,
  patternProperties: schemas,
  dependentSchemas: schemas,
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  prefixItems: schemaList,
  items: schema,
  additionalProperties: schema,
  propertyNames: schema,
  contains: schema,
  not: schema,
  if: schema,
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: schema,
  else: schema,
  unevaluatedItems: schema,
  unevaluatedProperties: schema,
};

/** Keywords whose value has schemas by names. */
export const MAPS_OF_SCHEMAS: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);
export const LISTS_OF_SCHEMAS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
export const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

export const isSchemaKeyword = (keyword: string): boolean => Object.hasOwn(KEYWORDS, keyword);

/** Returns the expected value of a keyword, if its value is another one. */
export const findKeywordIssue = (keyword: string, value: unknown): string | undefined => KEYWORDS[keyword]?.(value);

/** Returns the reason that a member of a map of schemas cannot be used. */
export function findMemberIssue(keyword: string, name: string, value: unknown): string | undefined {
  if (!isSchema(value)) return 'expected a schema';
  return keyword === 'patternProperties' && !isPattern(name)
    ? 'expected a regular expression of JavaScript'
    : undefined;
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
