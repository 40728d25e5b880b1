import type { OutputUnit } from '@cfworker/json-schema';
import { isObject } from '../jsonrpc/message.js';
import type { Issue } from './issues.js';
import type { ValueLocation } from './locations.js';

/** Maximum number of constants that a message lists, and maximum length of each one in characters. */
const MAX_LISTED = 10;
const MAX_SHOWN = 40;

type MessageBuilder = (said: unknown, value: unknown) => string;

const createCountMessage =
  (relation: string, unit: string, count: (value: unknown) => number): MessageBuilder =>
  (said, value) =>
    `expected ${relation} ${said} ${unit}${said === 1 ? '' : 's'}, got ${count(value)}`;
const countCharacters = (value: unknown) => (typeof value === 'string' ? [...value].length : 0);
const countItems = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const countMembers = (value: unknown) => (isObject(value) ? Object.keys(value).length : 0);

/** The message of each failed keyword. */
const KEYWORD_MESSAGES: { readonly [keyword: string]: MessageBuilder } = {
  type: (said, value) => describeTypes([said].flat(), value),
  const: said => `expected ${formatConstant(said)}`,
  enum: said => `expected ${formatList(Array.isArray(said) ? said.map(formatConstant) : [])}`,
  minimum: said => `expected a number of at least ${said}`,
  maximum: said => `expected a number of at most ${said}`,
  exclusiveMinimum: said => `expected a number greater than ${said}`,
  exclusiveMaximum: said => `expected a number less than ${said}`,
  multipleOf: said => `expected a multiple of ${said}`,
  minLength: createCountMessage('at least', 'character', countCharacters),
  maxLength: createCountMessage('at most', 'character', countCharacters),
  pattern: said => `expected a string that matches ${shorten(`/${said}/u`, 100)}`,
  format: said => `expected a string of format ${shorten(String(said), MAX_SHOWN)}`,
  minItems: createCountMessage('at least', 'item', countItems),
  maxItems: createCountMessage('at most', 'item', countItems),
  uniqueItems: () => 'expected unique items',
  contains: () => 'expected an item of the kind that must be in it',
  minContains: said => `expected at least ${said} of the items that must be in it`,
  maxContains: said => `expected at most ${said} of the items that must be in it`,
  minProperties: createCountMessage('at least', 'member', countMembers),
  maxProperties: createCountMessage('at most', 'member', countMembers),
  propertyNames: () => 'has a member whose name is not allowed',
  not: () => 'is of a form that is excluded',
};

/** Creates the issues of one failed keyword. */
export function createKeywordIssues(unit: OutputUnit, location: ValueLocation, expected: unknown): Issue[] {
  const { path, value } = location;
  if (unit.keyword === 'required') return createRequiredIssues(location, expected);
  if (unit.keyword === 'false')
    return [{ path, message: path.length === 0 ? 'no value is allowed' : 'is not expected' }];
  const build = Object.hasOwn(KEYWORD_MESSAGES, unit.keyword) ? KEYWORD_MESSAGES[unit.keyword] : undefined;
  const message = build === undefined || expected === undefined ? shorten(unit.error, 200) : build(expected, value);
  return [{ path, message }];
}

function createRequiredIssues({ path, value }: ValueLocation, required: unknown): Issue[] {
  const names = Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];
  const missing = names.filter(name => isObject(value) && !Object.hasOwn(value, name));
  return missing.map(name => ({ path: [...path, name], message: 'is required' }));
}

export function createTypeIssue({ path, value }: ValueLocation, types: readonly unknown[]): Issue {
  return { path, message: describeTypes([...new Set(types)], value) };
}

function describeTypes(types: readonly unknown[], value: unknown): string {
  const isFraction = typeof value === 'number' && types.includes('integer');
  return `expected ${formatList(types.map(String), 'or')}, got ${isFraction ? 'a fraction' : getJsonType(value)}`;
}

/** Returns the JSON Schema name of a value's type. Returns the JavaScript name if JSON Schema has none. */
export function getJsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function formatList(names: readonly string[], conjunction?: 'or'): string {
  const listed =
    names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), `${names.length - MAX_LISTED} more`] : names;
  if (conjunction === 'or' || listed.length < 2) return listed.join(' or ');
  return `one of ${listed.join(', ')}`;
}

function formatConstant(constant: unknown): string {
  return shorten(JSON.stringify(constant) ?? 'nothing', MAX_SHOWN);
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
