import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { compilePeerSchema } from '../../../../tenon/src/schemas/peer-schema.js';
import { createExample } from './example-value.js';
import { createRandom } from './random.js';

const tree = { type: 'object', properties: { left: { $ref: '#' }, value: { type: 'integer' } }, required: ['value'] };

describe('createExample', () => {
  it.each<JsonObject>([
    { type: 'string' },
    { type: 'string', minLength: 20, maxLength: 30 },
    { type: 'string', format: 'date-time' },
    { type: 'string', format: 'email' },
    { type: 'string', format: 'uuid' },
    { type: 'integer', minimum: 5, maximum: 7 },
    { type: 'integer', exclusiveMinimum: 5, exclusiveMaximum: 7 },
    { type: 'number', minimum: -3, maximum: -2 },
    { type: 'integer', multipleOf: 7, minimum: 10 },
    { type: ['null', 'boolean'] },
    { type: 'null' },
    { enum: ['a', 'b'] },
    { const: { a: 1 } },
    { type: 'array', items: { type: 'integer' }, minItems: 3 },
    { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], minItems: 2 },
    { type: 'object', properties: { a: { type: 'string' } }, required: ['a', 'b'] },
    { anyOf: [{ type: 'null' }, { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }] },
    { oneOf: [{ $ref: '#/$defs/a' }], $defs: { a: { type: 'boolean' } } },
    { allOf: [{ properties: { a: { type: 'integer' } }, required: ['a'] }, { required: ['b'] }], type: 'object' },
    { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'integer' } } },
    tree,
    { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' },
    { type: 'string', pattern: '^a+$', minLength: 5, maxLength: 6 },
    { type: 'string', pattern: '^(?:foo|ba[rz])\\.[^\\s@]+@x\\.com$' },
    { type: 'string', pattern: '^\\u0041\\x42(?<n>\\w-){2,}$', minLength: 9 },
    { type: 'string', format: 'uuid', pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4' },
    { type: 'object', properties: { a: false, b: { type: 'null' } }, required: ['b'] },
    { type: 'array', items: { enum: [1, 2, 3] }, minItems: 3, maxItems: 3, uniqueItems: true },
    {
      type: 'object',
      properties: { parent: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
      required: ['parent'],
    },
    { type: ['object', 'null'], properties: { parent: { $ref: '#' } }, required: ['parent'] },
  ])('matches %j', schema => {
    const validator = compilePeerSchema(schema);
    for (let seed = 1; seed <= 20; seed += 1) {
      expect(validator.check(createExample(schema, createRandom(seed)))).toMatchObject({ ok: true });
    }
  });

  it('returns equal values for equal seeds', () => {
    const schema = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
    expect(createExample(schema, createRandom(7))).toEqual(createExample(schema, createRandom(7)));
  });

  it.each([
    '(?=a)b',
    '[',
    '(',
    'a)',
    '\\p{Lu}+',
    'x{1000000}',
    '(a{100}){100}{100}',
    '(?<y>1)\\k<y>',
    '[b-a]',
    '[^\\x00-\\x7f]',
  ])('returns a word for the pattern %s, which it cannot solve', pattern => {
    expect(createExample({ type: 'string', pattern }, createRandom(1))).toMatch(/^[a-z]+$/);
  });

  it('ends for a schema that refers only to itself', () => {
    expect(createExample({ $ref: '#' }, createRandom(1))).toBe('example');
    expect(createExample({ allOf: [{ $ref: '#' }] }, createRandom(1))).toBe('example');
  });
});
