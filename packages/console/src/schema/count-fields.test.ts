import { describe, expect, it } from 'vitest';
import type { Json } from '../api.js';
import { countFields, MAX_FORM_FIELDS } from './count-fields.js';

const count = (schema: Json, value?: unknown) => countFields(schema, schema, value, MAX_FORM_FIELDS);
const properties = (size: number) =>
  Object.fromEntries(Array.from({ length: size }, (_, index) => [`p${index}`, { type: 'string' }]));

describe('countFields', () => {
  it('counts the members of an object, and of the objects in it that are shown', () => {
    const inner = { type: 'object', properties: properties(3) };
    expect(count({ type: 'object', properties: properties(4) })).toBe(5);
    expect(count({ type: 'object', properties: { inner }, required: ['inner'] })).toBe(5);
    expect(count({ type: 'object', properties: { inner } })).toBe(2);
    expect(count({ type: 'object', properties: { inner } }, { inner: {} })).toBe(5);
  });

  it('counts the items of a list, and members that the schema does not name', () => {
    expect(count({ type: 'array', items: { type: 'string' } }, ['a', 'b'])).toBe(3);
    expect(count({ type: 'object', additionalProperties: { type: 'string' } }, { a: '', b: '' })).toBe(3);
    expect(count({ prefixItems: [{ type: 'string' }, { type: 'number' }], type: 'array' }, ['a', 1])).toBe(3);
  });

  it('counts the options of an enumeration, and the first of several schemas or their number', () => {
    expect(count({ enum: ['a', 'b', 'c'] })).toBe(3);
    expect(count({ oneOf: [{ type: 'object', properties: properties(3) }, { type: 'string' }] })).toBe(5);
    expect(count({ oneOf: Object.values(properties(600)) })).toBe(600);
  });

  it('stops soon after the limit, for a wide schema and for one without an end', () => {
    expect(count({ type: 'object', properties: properties(100_000) })).toBe(MAX_FORM_FIELDS + 1);
    const endless: Json = { type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] };
    expect(count(endless)).toBeGreaterThan(MAX_FORM_FIELDS);
    const branches = Object.fromEntries(['a', 'b', 'c'].map(name => [name, { $ref: '#' }]));
    expect(count({ type: 'object', properties: branches, required: ['a', 'b', 'c'] })).toBeGreaterThan(MAX_FORM_FIELDS);
  });
});
