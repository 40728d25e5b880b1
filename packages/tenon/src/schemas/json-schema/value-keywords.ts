import { isObject } from '../../jsonrpc/message.js';
import { createEqualityCheck } from './equality.js';
import { FORMATS } from './formats.js';
import type { KeywordCompilers } from './keyword-compiler.js';
import { isMultipleOf } from './multiple-of.js';

type TypeTest = (value: unknown) => boolean;

const TYPE_TESTS: { readonly [type: string]: TypeTest | undefined } = {
  string: value => typeof value === 'string',
  number: value => typeof value === 'number',
  integer: Number.isInteger,
  boolean: value => typeof value === 'boolean',
  null: value => value === null,
  array: Array.isArray,
  object: isObject,
};

/** Compilers of the keywords for values of any type. */
export const VALUE_KEYWORDS: KeywordCompilers = {
  type(types: string | readonly string[]) {
    const tests = [types].flat().map(type => TYPE_TESTS[type] as TypeTest);
    const [first = () => false] = tests;
    return tests.length === 1 ? first : value => tests.some(test => test(value));
  },
  const: (constant: unknown) => createEqualityCheck(constant),
  enum(constants: readonly unknown[]) {
    const scalars = new Set(constants.filter(each => typeof each !== 'object'));
    const others = constants.filter(each => typeof each === 'object').map(createEqualityCheck);
    return value => scalars.has(value) || others.some(isEqual => isEqual(value));
  },
};

/** Compilers of the keywords for numbers and strings. */
export const SCALAR_KEYWORDS: KeywordCompilers = {
  minimum: (limit: number) => checkNumber(value => value >= limit),
  maximum: (limit: number) => checkNumber(value => value <= limit),
  exclusiveMinimum: (limit: number) => checkNumber(value => value > limit),
  exclusiveMaximum: (limit: number) => checkNumber(value => value < limit),
  multipleOf: (divisor: number) => checkNumber(value => isMultipleOf(value, divisor)),
  minLength: (limit: number) => checkString(text => text.length >= 2 * limit || countCharacters(text) >= limit),
  maxLength: (limit: number) => checkString(text => text.length <= limit || countCharacters(text) <= limit),
  pattern: (source: string, { compilePattern }) => checkString(compilePattern(source)),
  format(name: unknown) {
    const test = FORMATS.get(name);
    return test && checkString(test);
  },
};

function checkNumber(test: (value: number) => boolean): TypeTest {
  return value => typeof value !== 'number' || test(value);
}

function checkString(test: (value: string) => boolean): TypeTest {
  return value => typeof value !== 'string' || test(value);
}

/** Counts the Unicode characters of a text. A lone surrogate counts as one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
