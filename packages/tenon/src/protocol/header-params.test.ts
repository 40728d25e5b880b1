import type { JsonObject } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getHeaderArgument, readHeaderParams } from './header-params.js';

const property = (name: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': name });
const schema = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more });

describe('readHeaderParams', () => {
  it('finds arguments in nested properties', () => {
    const found = readHeaderParams(
      schema({ a: property('A'), b: schema({ c: property('B-c', 'integer') }), d: { type: 'string' } }),
    );
    expect(found).toEqual([
      { path: ['a'], header: 'mcp-param-a', type: 'string' },
      { path: ['b', 'c'], header: 'mcp-param-b-c', type: 'integer' },
    ]);
  });

  it.each([
    ['no name', schema({ a: property(5) }), 'is no header name'],
    ['an empty name', schema({ a: property('') }), 'is no header name'],
    ['a name with a space', schema({ a: property('a b') }), 'is no header name'],
    ['a name with a line break', schema({ a: property('a\r\nb') }), 'is no header name'],
    ['a number', schema({ a: property('A', 'number') }), 'is no string, integer or boolean'],
    ['the same name twice', schema({ a: property('A'), b: property('a') }), 'the same'],
    ['items', schema({ a: { type: 'array', items: property('A') } }), 'stands below "items"'],
    ['a choice', schema({}, { anyOf: [schema({ a: property('A') })] }), 'stands below "anyOf"'],
    ['a definition', schema({}, { $defs: { a: property('A') } }), 'stands below "$defs"'],
  ])('refuses %s', (_, json, why) => expect(readHeaderParams(json)).toContain(why));

  it('ignores x-mcp-header inside data', () => {
    expect(readHeaderParams(schema({ a: { const: property('A') } }, { default: { 'x-mcp-header': 1 } }))).toEqual([]);
  });

  it('never throws for any schema', () => {
    const json = fc.letrec<{ node: JsonObject }>(tie => ({
      node: fc.dictionary(
        fc.constantFrom('properties', 'items', 'x-mcp-header', 'type', 'a', '__proto__', 'anyOf'),
        fc.oneof(fc.string(), fc.constant(null), fc.array(tie('node'), { maxLength: 2 }), tie('node')),
        { maxKeys: 4 },
      ) as fc.Arbitrary<JsonObject>,
    })).node;
    fc.assert(fc.property(json, value => ['string', 'object'].includes(typeof readHeaderParams(value))));
  });
});

describe('getHeaderArgument', () => {
  it('returns the value at the path, and undefined for null or a missing member', () => {
    expect(getHeaderArgument({ a: { b: 0 } }, ['a', 'b'])).toBe(0);
    expect(getHeaderArgument({ a: null }, ['a'])).toBeUndefined();
    expect(getHeaderArgument({ a: 'x' }, ['a', 'length'])).toBeUndefined();
    expect(getHeaderArgument(undefined, ['a'])).toBeUndefined();
  });

  it('never reads a prototype', () => {
    expect(getHeaderArgument({}, ['constructor', 'name'])).toBeUndefined();
    expect(getHeaderArgument({}, ['__proto__'])).toBeUndefined();
  });
});
