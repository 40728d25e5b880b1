import { isObject, shorten } from '@tenon/base';
import type { CheckRun, SchemaCheck } from './check-run.js';
import { countSteps } from './check-run.js';
import { createListCheck, isEqual } from './equality.js';
import { FORMATS } from './formats.js';
import type { KeywordCompilers } from './keyword-compiler.js';

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
    const tests = [...new Set([types].flat())].map(type => TYPE_TESTS[type] as TypeTest);
    const [first = () => false] = tests;
    return tests.length === 1 ? first : value => tests.some(test => test(value));
  },
  const: (constant: unknown) => (value, run) => isEqual(value, constant, run),
  enum: (constants: readonly unknown[]) => createListCheck(constants),
};

/** Steps of a division of decimal numbers, and of one character of a text whose characters are counted. */
const DIVISION_STEPS = 1_000;
const COUNTED_CHARACTER_STEPS = 4;
/** Further steps of one character of a text that is not of a format: expressions look for another way to match it. */
const REFUSED_CHARACTER_STEPS = 1.5;

/** Compilers of the keywords for numbers and strings. */
export const SCALAR_KEYWORDS: KeywordCompilers = {
  minimum: (limit: number) => checkNumber(value => value >= limit),
  maximum: (limit: number) => checkNumber(value => value <= limit),
  exclusiveMinimum: (limit: number) => checkNumber(value => value > limit),
  exclusiveMaximum: (limit: number) => checkNumber(value => value < limit),
  multipleOf: (divisor: number) =>
    checkNumber((value, run) => {
      if (!Number.isSafeInteger(value) || !Number.isSafeInteger(divisor)) countSteps(run, DIVISION_STEPS);
      return isMultipleOf(value, divisor);
    }),
  // A character has one or two UTF-16 units, so most texts need not be counted.
  minLength: (limit: number) =>
    checkString((text, run) => text.length >= 2 * limit || (text.length >= limit && count(text, run) >= limit)),
  maxLength: (limit: number) =>
    checkString((text, run) => text.length <= limit || (text.length <= 2 * limit && count(text, run) <= limit)),
  pattern(source: string, { compilePattern, compileInvalid }) {
    const test = compilePattern(source);
    if (test !== undefined) return checkString(test);
    return compileInvalid(`its pattern ${shorten(JSON.stringify(source))} is not a regular expression`);
  },
  format(name: unknown) {
    const format = FORMATS.get(name);
    if (format === undefined) return undefined;
    const { test, steps, characterSteps, maxLength = Number.POSITIVE_INFINITY } = format;
    return checkString((text, run) => {
      if (text.length > maxLength) return false;
      countSteps(run, steps + text.length * characterSteps);
      if (test(text)) return true;
      countSteps(run, text.length * REFUSED_CHARACTER_STEPS);
      return false;
    });
  },
};

function checkNumber(test: (value: number, run: CheckRun) => boolean): SchemaCheck {
  return (value, run) => typeof value !== 'number' || test(value, run);
}

/** Tells if one number is a multiple of another in decimal notation: 0.3 is a multiple of 0.1. */
function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const shared = Math.min(exponent, divisorExponent);
  const convertDigits = (number: bigint, from: number) => number * 10n ** BigInt(from - shared);
  return convertDigits(digits, exponent) % convertDigits(divisorDigits, divisorExponent) === 0n;
}

/** Converts a number to an integer and a power of ten. */
function toDecimal(number: number): [digits: bigint, exponent: number] {
  const [coefficient = '', exponent = '0'] = String(Math.abs(number)).split('e');
  const [whole = '', fraction = ''] = coefficient.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

function checkString(test: (value: string, run: CheckRun) => boolean): SchemaCheck {
  return (value, run) => typeof value !== 'string' || test(value, run);
}

function count(text: string, run: CheckRun): number {
  countSteps(run, text.length * COUNTED_CHARACTER_STEPS);
  return countCharacters(text);
}

/** Counts the Unicode characters of a text. A lone surrogate counts as one. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
