import fc from 'fast-check';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';

/** No inherited names, such as `constructor`: ajv takes them for members. */
const NAMES = ['a', 'b', 'c'];
const name = fc.constantFrom(...NAMES);
const count = fc.integer({ min: 0, max: 3 });
const number = fc.constantFrom(-1, 0, 0.1, 0.3, 1, 1.5, 2, 3);
const text = fc.constantFrom('', 'a', 'ab', 'abc', '🙂', '🙂b', 'toString', '2020-02-30');
const scalar = fc.oneof(fc.constant(null), fc.boolean(), number, text);

function createObjects<T>(value: fc.Arbitrary<T>, maxLength = 3): fc.Arbitrary<{ [name: string]: T }> {
  return fc.array(fc.tuple(name, value), { maxLength }).map(entries => Object.fromEntries(entries));
}

/** JSON values that are small, so that they often match. */
export const values: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    createObjects(tie('value')),
  ),
})).value;

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');

/** The keywords that a schema is made of. @param schema Makes subschemas. */
function createKeywords(schema: fc.Arbitrary<JsonObject | boolean>): fc.Arbitrary<JsonObject> {
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
  const keyword = (key: string, value: fc.Arbitrary<unknown>) => value.map(each => ({ [key]: each }));
  const scalars = fc.oneof(
    keyword('type', fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
    keyword('const', values),
    keyword('enum', fc.array(values, { minLength: 1, maxLength: 3 })),
    ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(key => keyword(key, number)),
    keyword('multipleOf', fc.constantFrom(0.1, 0.5, 1, 2, 3)),
    ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(key =>
      keyword(key, count),
    ),
    keyword('pattern', fc.constantFrom('^a', 'b$', '^.$', '[\\u{1F600}-\\u{1F64F}]')),
    keyword('uniqueItems', fc.boolean()),
    keyword('required', fc.uniqueArray(name, { maxLength: 2 })),
    keyword('dependentRequired', createObjects(fc.uniqueArray(name, { maxLength: 2 }))),
  );
  const applicators = fc.oneof(
    ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map(key => keyword(key, schemas)),
    ...['not', 'items', 'additionalProperties', 'propertyNames'].map(key => keyword(key, schema)),
    ...['properties', 'dependentSchemas'].map(key => keyword(key, createObjects(schema))),
    keyword(
      'patternProperties',
      fc.tuple(fc.constantFrom('^a', '^[bc]$'), schema).map(entry => Object.fromEntries([entry])),
    ),
    fc
      .tuple(schema, schema, schema)
      .map(parts => Object.fromEntries(['if', 'then', 'else'].map((key, i) => [key, parts[i]]))),
    keyword('$ref', fc.constantFrom('#/$defs/one', '#two', 'https://a.test/three')),
  );
  return fc.array(fc.oneof(scalars, applicators), { maxLength: 4 }).map(parts => Object.assign({}, ...parts));
}

const { schema } = fc.letrec<{ schema: JsonObject | boolean }>(tie => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    { arbitrary: fc.boolean(), weight: 1 },
    { arbitrary: createKeywords(tie('schema')), weight: 4 },
  ),
}));

/** Definitions that contain no references, so that no schema refers to itself without end. */
const definition = fc.constantFrom<JsonObject>(
  { type: 'string' },
  { type: ['integer', 'object'], properties: { a: true } },
  { properties: { a: { type: 'number' }, b: true }, required: ['a'] },
  { prefixItems: [true], anyOf: [{ items: { type: 'string' } }, { type: 'object' }] },
  { items: { $ref: '#/$defs/one' }, additionalProperties: { $ref: '#/$defs/one' } },
);

/** JSON Schemas of 2020-12. Without `contains` and `unevaluated…`, which ajv gets wrong beside other keywords. */
export const schemas: fc.Arbitrary<JsonObject> = fc
  .tuple(createKeywords(schema), fc.constantFrom({ type: 'string' }, { minimum: 1 }), definition, definition)
  .map(([root, one, two, three]) => ({
    ...root,
    $defs: { one, two: { $anchor: 'two', ...two }, three: { $id: 'https://a.test/three', $defs: { one }, ...three } },
  }));
