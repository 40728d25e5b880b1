import type { JsonObject } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { compileJsonSchema } from './compile-json-schema.js';

const closed: JsonObject = {
  type: 'object',
  properties: { a: { type: 'number' }, toString: { type: 'string' } },
  required: ['a', 'toString'],
  additionalProperties: false,
};
/** The same for a run that records evaluated members, in which each keyword is checked by itself. */
const tracked: JsonObject = { ...closed, unevaluatedItems: false };

class Point {
  get a() {
    return 1;
  }
}

const hidden = Object.defineProperty({ a: 1, toString: 'x' }, 'b', { value: 2, enumerable: false });

describe.each([
  ['in one pass', closed],
  ['keyword by keyword', tracked],
])('the keywords for objects, checked %s', (_, schema) => {
  const { findFailures } = compileJsonSchema(schema);
  const listKeywords = (value: unknown) => findFailures(value)?.map(({ keyword }) => keyword);

  it.each<[value: unknown, keywords: string[] | undefined]>([
    [{ a: 1, toString: 'x' }, undefined],
    [{ toString: 'x', a: 1 }, undefined],
    [Object.assign(Object.create(null), { a: 1, toString: 'x' }), undefined],
    [Object.assign(new Point(), { toString: 'x' }), ['required']],
    [{ a: 1 }, ['required']],
    [{ toString: 'x' }, ['required']],
    [{ a: 'x', toString: 'x' }, ['properties']],
    [{ a: 1, toString: 1 }, ['properties']],
    [{ a: 1, toString: 'x', b: 1 }, ['additionalProperties']],
    [{ a: 1, toString: 'x', constructor: 1 }, ['additionalProperties']],
    [hidden, undefined],
    [[], ['type']],
  ])('count only the members that an object has itself: %j', (value, keywords) => {
    expect(listKeywords(value)).toEqual(keywords);
  });
});
