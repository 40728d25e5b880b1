import { describe, expect, it } from 'vitest';
import type { Json } from '../api.js';
import { readField, resolveSchema } from './field-schema.js';
import { createInitialValue, rateFit } from './initial-value.js';

const read = (schema: Json, root: Json = schema) => readField(resolveSchema(schema, root), root);

describe('the control for a schema', () => {
  it.each<[kind: string, schema: Json]>([
    ['text', { type: 'string' }],
    ['number', { type: 'integer' }],
    ['boolean', { type: 'boolean' }],
    ['null', { type: 'null' }],
    ['const', { const: 1 }],
    ['enum', { enum: ['a', 'b'] }],
    ['enum', { oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }],
    ['file', { type: 'string', contentEncoding: 'base64' }],
    ['array', { type: 'array', items: { type: 'string' } }],
    ['array', { items: { type: 'string' } }],
    ['choices', { type: 'array', items: { enum: ['a', 'b'] } }],
    ['choices', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }],
    ['tuple', { type: 'array', prefixItems: [{ type: 'string' }] }],
    ['tuple', { type: 'array', items: [{ type: 'string' }] }],
    ['variants', { type: ['string', 'null'] }],
    ['variants', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['object', { properties: { a: {} } }],
    ['json', {}],
  ])('is %s for %j [con.forms]', (kind, schema) => {
    expect(read(schema).kind).toBe(kind);
  });

  it('follows references, also those of a schema to itself, and merges allOf [con.forms]', () => {
    const root = {
      $defs: {
        node: { type: 'object', required: ['next'], properties: { next: { $ref: '#/$defs/node' } } },
        loop: { $ref: '#/$defs/loop' },
        'a/b': { type: 'string' },
        named: { $anchor: 'here', type: 'boolean' },
      },
    };
    const field = read({ allOf: [{ $ref: '#/$defs/node' }, { properties: { name: { type: 'string' } } }] }, root);
    expect(field).toMatchObject({
      kind: 'object',
      properties: [
        ['next', {}],
        ['name', {}],
      ],
    });
    expect(read({ $ref: '#/$defs/a~1b' }, root).kind).toBe('text');
    expect(read({ $ref: '#here' }, root).kind).toBe('boolean');
    expect(read({ $ref: '#/$defs/50%' }, { $defs: { '50%': { type: 'number' } } }).kind).toBe('number');
    expect(read({ $ref: '#/$defs/%zz' }, root).kind).toBe('json');
    expect(read({ $ref: '#/$defs/loop' }, root).kind).toBe('json');
    expect(read({ $ref: 'https://example.com/none' }, root).kind).toBe('json');
    expect(JSON.stringify(createInitialValue({ $ref: '#/$defs/node' }, root)).length).toBeLessThan(200);
  });

  it('offers further members for maps and open objects only [con.forms]', () => {
    expect(read({ type: 'object', additionalProperties: { type: 'string' } })).toMatchObject({
      further: { type: 'string' },
    });
    expect(read({ type: 'object', patternProperties: { '^x': { type: 'number' } } })).toMatchObject({
      further: { type: 'number' },
    });
    expect(read({ type: 'object', properties: { a: {} } })).toMatchObject({ further: undefined });
    expect(read({ type: 'object', additionalProperties: false })).toMatchObject({ further: undefined });
    expect(read({ type: 'object' })).toMatchObject({ further: {} });
  });

  it.each<[schema: Json, titles: string[]]>([
    [{ enum: ['a', 1] }, ['a', '1']],
    [{ enum: [1, '1', 'a'] }, ['1', '"1"', '"a"']],
    [{ enum: ['', ' '] }, ['""', '" "']],
    [{ enum: [1, '1'], enumNames: ['one', 'one'] }, ['one (1)', 'one ("1")']],
    [{ oneOf: [{ const: 1 }, { const: '1' }] }, ['1', '"1"']],
    [{ type: 'array', items: { enum: [null, 'null'] } }, ['null', '"null"']],
  ])('gives the options of %j titles that differ', (schema, titles) => {
    const field = read(schema);
    expect('options' in field && field.options.map(({ title }) => title)).toEqual(titles);
  });

  it('numbers variants with the same title', () => {
    const object = { type: 'object', properties: { a: {} } };
    expect(read({ anyOf: [object, { ...object, properties: { b: {} } }] })).toMatchObject({
      variants: [{ title: 'object (1)' }, { title: 'object (2)' }],
    });
    expect(read({ anyOf: [object, { type: 'string' }] })).toMatchObject({
      variants: [{ title: 'object' }, { title: 'string' }],
    });
  });

  it('has no members of the prototype of an object [con.untrusted]', () => {
    expect(read({ $ref: '#/constructor' }).kind).toBe('json');
    const field = read(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'));
    expect(field).toMatchObject({ properties: [['__proto__', { type: 'string' }]] });
  });
});

describe('the value that a form starts with', () => {
  it('has defaults, constants and required members', () => {
    const schema = {
      type: 'object',
      required: ['shape', 'list', 'name'],
      properties: {
        shape: { oneOf: [{ properties: { kind: { const: 'circle' } }, required: ['kind'] }, { type: 'string' }] },
        list: { type: 'array' },
        level: { enum: ['low', 'high'], default: 'high' },
        name: { type: 'string' },
        other: { type: 'string' },
      },
    };
    expect(createInitialValue(schema, schema)).toEqual({ shape: { kind: 'circle' }, list: [], level: 'high' });
  });

  it('fits the variant with its constants best', () => {
    const circle = { type: 'object', properties: { kind: { const: 'circle' } } };
    const box = { type: 'object', properties: { kind: { const: 'box' } } };
    expect(rateFit({ kind: 'box' }, box, {})).toBeGreaterThan(rateFit({ kind: 'box' }, circle, {}));
  });
});
