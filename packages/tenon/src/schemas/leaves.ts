import type { OutputUnit } from '@cfworker/json-schema';
import { isObject } from '../jsonrpc/message.js';
import type { Issue } from './issues.js';
import type { Place } from './places.js';

/** Constants that are listed, and characters of one that are shown. */
const MAX_LISTED = 10;
const MAX_SHOWN = 40;

type Words = (said: unknown, value: unknown) => string;

const amount =
  (relation: string, unit: string, count: (value: unknown) => number): Words =>
  (said, value) =>
    `expected ${relation} ${said} ${unit}${said === 1 ? '' : 's'}, got ${count(value)}`;
const characters = (value: unknown) => (typeof value === 'string' ? [...value].length : 0);
const items = (value: unknown) => (Array.isArray(value) ? value.length : 0);
const members = (value: unknown) => (isObject(value) ? Object.keys(value).length : 0);

/** What each keyword has to say about a value. */
const WORDS: { readonly [keyword: string]: Words } = {
  type: (said, value) => typeWords([said].flat(), value),
  const: said => `expected ${show(said)}`,
  enum: said => `expected ${oneOf(Array.isArray(said) ? said.map(show) : [])}`,
  minimum: said => `expected a number of at least ${said}`,
  maximum: said => `expected a number of at most ${said}`,
  exclusiveMinimum: said => `expected a number greater than ${said}`,
  exclusiveMaximum: said => `expected a number less than ${said}`,
  multipleOf: said => `expected a multiple of ${said}`,
  minLength: amount('at least', 'character', characters),
  maxLength: amount('at most', 'character', characters),
  pattern: said => `expected a string that matches ${shorten(`/${said}/u`, 100)}`,
  format: said => `expected a string of format ${shorten(String(said), MAX_SHOWN)}`,
  minItems: amount('at least', 'item', items),
  maxItems: amount('at most', 'item', items),
  uniqueItems: () => 'expected unique items',
  contains: () => 'expected an item of the kind that must be in it',
  minContains: said => `expected at least ${said} of the items that must be in it`,
  maxContains: said => `expected at most ${said} of the items that must be in it`,
  minProperties: amount('at least', 'member', members),
  maxProperties: amount('at most', 'member', members),
  propertyNames: () => 'has a member whose name is not allowed',
  not: () => 'is of a form that is excluded',
};

/** The issues that one failed keyword stands for. */
export function leafIssues(unit: OutputUnit, place: Place, said: unknown): Issue[] {
  const { path, value } = place;
  if (unit.keyword === 'required') return missing(place, said);
  if (unit.keyword === 'false')
    return [{ path, message: path.length === 0 ? 'no value is allowed' : 'is not expected' }];
  const words = Object.hasOwn(WORDS, unit.keyword) ? WORDS[unit.keyword] : undefined;
  const message = words === undefined || said === undefined ? shorten(unit.error, 200) : words(said, value);
  return [{ path, message }];
}

function missing({ path, value }: Place, required: unknown): Issue[] {
  const names = Array.isArray(required) ? required.filter(name => typeof name === 'string') : [];
  const absent = names.filter(name => isObject(value) && !Object.hasOwn(value, name));
  return absent.map(name => ({ path: [...path, name], message: 'is required' }));
}

export function typeIssue({ path, value }: Place, types: readonly unknown[]): Issue {
  return { path, message: typeWords([...new Set(types)], value) };
}

function typeWords(types: readonly unknown[], value: unknown): string {
  const isFraction = typeof value === 'number' && types.includes('integer');
  return `expected ${oneOf(types.map(String), 'or')}, got ${isFraction ? 'a fraction' : jsonType(value)}`;
}

/** The name that JSON Schema has for a value's type; that of JavaScript where it has none. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function oneOf(words: readonly string[], conjunction?: 'or'): string {
  const listed =
    words.length > MAX_LISTED ? [...words.slice(0, MAX_LISTED), `${words.length - MAX_LISTED} more`] : words;
  if (conjunction === 'or' || listed.length < 2) return listed.join(' or ');
  return `one of ${listed.join(', ')}`;
}

function show(constant: unknown): string {
  return shorten(JSON.stringify(constant) ?? 'nothing', MAX_SHOWN);
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
