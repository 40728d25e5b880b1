import { isObject, isTextList } from '@tenon/base';

/** The expected shape of a keyword's value. */
export interface KeywordShape {
  /** The shape for messages, for example `a number`. */
  readonly expected: string;
  isValid(value: unknown): boolean;
  /** Returns the subschemas in a valid value, with their paths from the keyword. */
  listSubschemas(value: unknown): readonly Subschema[];
}

type Subschema = readonly [path: readonly string[], schema: unknown];

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const isType = (value: unknown): boolean => TYPES.includes(value as string);
const isNumber = (value: unknown): value is number => typeof value === 'number';
const listEntries = (value: unknown): Subschema[] =>
  Object.entries(value as object).map(([key, each]) => [[key], each]);

function createShape(
  expected: string,
  isValid: (value: unknown) => boolean,
  listSubschemas: (value: unknown) => readonly Subschema[] = () => [],
): KeywordShape {
  return { expected, isValid, listSubschemas };
}

const NUMBER = createShape('a number', isNumber);
const COUNT = createShape(
  'an integer that is not negative',
  value => Number.isInteger(value) && (value as number) >= 0,
);
// Each subschema is checked separately.
const SCHEMA = createShape(
  'a schema',
  () => true,
  value => [[[], value]],
);
const SCHEMAS = createShape('a list of schemas', Array.isArray, listEntries);
const SCHEMA_MAP = createShape('an object of schemas', isObject, listEntries);
const REFERENCE = createShape('a reference', value => typeof value === 'string');

/**
 * The shapes of the keywords that a validator reads.
 * @see https://json-schema.org/draft/2020-12/schema
 */
const SHAPES: ReadonlyMap<string, KeywordShape> = new Map([
  ...mapKeywords('minimum maximum exclusiveMinimum exclusiveMaximum', NUMBER),
  ...mapKeywords('minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties', COUNT),
  ...mapKeywords('allOf anyOf oneOf prefixItems', SCHEMAS),
  ...mapKeywords('properties patternProperties dependentSchemas $defs definitions', SCHEMA_MAP),
  ...mapKeywords('additionalProperties unevaluatedProperties propertyNames contains not', SCHEMA),
  ...mapKeywords('additionalItems unevaluatedItems if then else', SCHEMA),
  ...mapKeywords('$ref $dynamicRef $recursiveRef', REFERENCE),
  [
    'items',
    createShape(
      'a schema',
      () => true,
      value => (Array.isArray(value) ? SCHEMAS : SCHEMA).listSubschemas(value),
    ),
  ],
  [
    'type',
    createShape(
      `one of ${TYPES.join(', ')}, or a list of these`,
      value => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    ),
  ],
  ['multipleOf', createShape('a number greater than 0', value => isNumber(value) && value > 0)],
  // The pattern itself is checked where it is compiled, because that takes long for some patterns.
  ['pattern', createShape('a regular expression', value => typeof value === 'string')],
  ['required', createShape('a list of names', isTextList)],
  ['enum', createShape('a list', Array.isArray)],
  [
    'dependentRequired',
    createShape('an object of lists of names', value => isObject(value) && Object.values(value).every(isTextList)),
  ],
  [
    'dependencies',
    createShape('an object', isObject, value => listEntries(value).filter(([, each]) => !isTextList(each))),
  ],
]);

function mapKeywords(keywords: string, shape: KeywordShape): [string, KeywordShape][] {
  return keywords.split(' ').map(keyword => [keyword, shape]);
}

/** Returns the shape of a keyword's value. Returns `undefined` if every value is accepted. */
export function getKeywordShape(keyword: string): KeywordShape | undefined {
  return SHAPES.get(keyword);
}
