import { getJsonType, type Issue, isObject, shorten } from '@tenon/base';
import { toUnicodePattern } from '../patterns/unicode-pattern.js';
import type { Failure } from './check-run.js';
import { countCharacters } from './value-keywords.js';

/** Maximum number of constants that a message lists, and maximum length of each one in characters. */
const MAX_LISTED = 10;
const MAX_SHOWN = 40;

/** Counts the parts of a value: characters, items or members. */
export type PartCounter = (value: unknown) => number;

type MessageBuilder = (said: unknown, value: unknown, count: PartCounter) => string;

/** Creates a counter that counts each value only once. Many keywords may report the same large value. */
export function createCounter(): PartCounter {
  const counts = new Map<unknown, number>();
  return value => {
    const known = counts.get(value);
    if (known !== undefined) return known;
    let count = 0;
    if (typeof value === 'string') count = countCharacters(value);
    else if (Array.isArray(value)) count = value.length;
    else if (isObject(value)) count = Object.keys(value).length;
    counts.set(value, count);
    return count;
  };
}

const createCountMessage =
  (relation: string, unit: string): MessageBuilder =>
  (said, value, count) =>
    `expected ${relation} ${said} ${unit}${said === 1 ? '' : 's'}, got ${count(value)}`;

/** The message of each failed keyword. */
const KEYWORD_MESSAGES: { readonly [keyword: string]: MessageBuilder } = {
  type: (said, value) => describeTypes([said].flat(), value),
  const: said => `expected ${formatConstant(said)}`,
  enum: said => `expected ${formatList(Array.isArray(said) ? said : [], formatConstant)}`,
  minimum: said => `expected a number of at least ${said}`,
  maximum: said => `expected a number of at most ${said}`,
  exclusiveMinimum: said => `expected a number greater than ${said}`,
  exclusiveMaximum: said => `expected a number less than ${said}`,
  multipleOf: said => `expected a multiple of ${said}`,
  minLength: createCountMessage('at least', 'character'),
  maxLength: createCountMessage('at most', 'character'),
  pattern: said => `expected a string that matches ${shorten(`/${toUnicodePattern(String(said))}/u`)}`,
  format: said => `expected a string of format ${shorten(String(said), MAX_SHOWN)}`,
  minItems: createCountMessage('at least', 'item'),
  maxItems: createCountMessage('at most', 'item'),
  uniqueItems: () => 'expected unique items',
  contains: () => 'expected an item of the kind that must be in it',
  minContains: said => `expected at least ${said} of the items that must be in it`,
  maxContains: said => `expected at most ${said} of the items that must be in it`,
  minProperties: createCountMessage('at least', 'member'),
  maxProperties: createCountMessage('at most', 'member'),
  propertyNames: () => 'has a member whose name is not allowed',
  not: () => 'is of a form that is excluded',
};

/** Creates the issues of one failed keyword. */
export function createKeywordIssues({ keyword, path, value, expected }: Failure, count: PartCounter): Issue[] {
  if (keyword === 'required')
    return listMissing(value, expected).map(name => createIssue([...path, name], 'is required'));
  if (keyword === 'dependentRequired') return createDependencyIssues(path, value, expected);
  if (keyword === 'false') return [createIssue(path, path.length === 0 ? 'no value is allowed' : 'is not expected')];
  const build = Object.hasOwn(KEYWORD_MESSAGES, keyword) ? KEYWORD_MESSAGES[keyword] : undefined;
  return [createIssue(path, build?.(expected, value, count) ?? `does not match "${keyword}"`)];
}

export function createIssue(path: readonly (string | number)[], message: string): Issue {
  return { path: [...path], message };
}

function createDependencyIssues(path: readonly (string | number)[], value: unknown, expected: unknown): Issue[] {
  if (!isObject(value) || !isObject(expected)) return [];
  return Object.entries(expected).flatMap(([key, names]) =>
    Object.hasOwn(value, key)
      ? listMissing(value, names).map(name =>
          createIssue(path, shorten(`Instance has "${key}" but does not have "${name}".`, 200)),
        )
      : [],
  );
}

function listMissing(value: unknown, names: unknown): string[] {
  if (!isObject(value) || !Array.isArray(names)) return [];
  return names.filter(name => typeof name === 'string' && !Object.hasOwn(value, name));
}

/** Describes that a value is of none of the types. */
export function describeTypes(types: readonly unknown[], value: unknown): string {
  const isFraction = typeof value === 'number' && types.includes('integer');
  return `expected ${formatList(types, String, 'or')}, got ${isFraction ? 'a fraction' : getJsonType(value)}`;
}

function formatList(values: readonly unknown[], format: (value: unknown) => string, conjunction?: 'or'): string {
  const names = values.slice(0, MAX_LISTED).map(format);
  const listed = values.length > MAX_LISTED ? [...names, `${values.length - MAX_LISTED} more`] : names;
  if (conjunction === 'or' || listed.length < 2) return listed.join(' or ');
  return `one of ${listed.join(', ')}`;
}

/** The texts of constants, each of which many issues may show. */
const constantTexts = new WeakMap<object, string>();

function formatConstant(constant: unknown): string {
  if (typeof constant === 'string') return shorten(JSON.stringify(constant.slice(0, MAX_SHOWN)), MAX_SHOWN);
  if (typeof constant !== 'object' || constant === null) return JSON.stringify(constant) ?? 'nothing';
  const text = constantTexts.get(constant) ?? shorten(JSON.stringify(constant), MAX_SHOWN);
  constantTexts.set(constant, text);
  return text;
}
