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

  it('ends for a schema that refers only to itself', () => {
    expect(createExample({ $ref: '#' }, createRandom(1))).toBe('example');
    expect(createExample({ allOf: [{ $ref: '#' }] }, createRandom(1))).toBe('example');
  });
});
