import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../jsonrpc/message.js';
import { fold, merge } from './merge.js';

describe('what two schemas say together', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['the narrower bounds', { minimum: 1, maxLength: 9 }, { minimum: 3, maxLength: 5 }, { minimum: 3, maxLength: 5 }],
    ['the values of both', { enum: [1, { a: 1 }, 'x'] }, { enum: [{ a: 1 }, 'x', 2] }, { enum: [{ a: 1 }, 'x'] }],
    ['the types of both', { type: ['string', 'null'] }, { type: ['null', 'number'] }, { type: 'null' }],
    ['an integer of a number', { type: 'number' }, { type: ['integer', 'string'] }, { type: 'integer' }],
    ['all that is required', { required: ['a'] }, { required: ['a', 'b'] }, { required: ['a', 'b'] }],
    [
      'closed if one is',
      { additionalProperties: {} },
      { additionalProperties: false },
      { additionalProperties: false },
    ],
    ['items', { items: { type: 'string' } }, { items: { maxLength: 2 } }, { items: { type: 'string', maxLength: 2 } }],
    [
      'properties, each merged',
      { properties: { a: { minimum: 1 }, b: {} } },
      { properties: { a: { maximum: 2 }, constructor: {} } },
      { properties: { a: { minimum: 1, maximum: 2 }, b: {}, constructor: {} } },
    ],
    [
      'the first of two that cannot be one',
      { pattern: 'a', title: 'A' },
      { pattern: 'b', title: 'B' },
      { pattern: 'a', title: 'A' },
    ],
    ['one condition, never half of each', { if: { a: 1 } }, { if: { b: 1 }, else: { c: 1 } }, { if: { a: 1 } }],
    [
      'one count of what is contained',
      { contains: { a: 1 } },
      { contains: {}, minContains: 3 },
      { contains: { a: 1 } },
    ],
  ])('is %s', (_, one, other, both) => {
    expect(merge(one, other)).toEqual(both);
  });

  it('is found at every level of allOf', () => {
    const inner = { allOf: [{ minimum: 2 }, { maximum: 5 }] };
    expect(fold({ type: 'number', minimum: 1, allOf: [inner, { minimum: 4 }] })).toEqual({
      type: 'number',
      minimum: 4,
      maximum: 5,
    });
  });
});
