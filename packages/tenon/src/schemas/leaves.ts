import type { Issue } from './issues.js';
import { characters, items, jsonType, type Measure, members } from './measures.js';
import type { Fault } from './walk.js';

/** Constants that are listed, and characters of one that are shown. */
const MAX_LISTED = 10;
const MAX_SHOWN = 40;

type Words = (said: unknown, value: unknown) => string;

const amount =
  (relation: string, unit: string, measure: Measure): Words =>
  (said, value) =>
    `expected ${relation} ${said} ${unit}${said === 1 ? '' : 's'}, got ${measure(value)}`;

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
  dependentRequired: said =>
    `has "${shorten(String([said].flat()[0]), MAX_SHOWN)}" but does not have "${shorten(String([said].flat()[1]), MAX_SHOWN)}"`,
  not: () => 'is of a form that is excluded',
};

/** The issues that one failed keyword stands for. */
export function faultIssues({ keyword, said, path, value }: Fault): Issue[] {
  if (keyword === 'false') return [{ path, message: path.length === 0 ? 'no value is allowed' : 'is not expected' }];
  if (keyword !== 'required') return [{ path, message: WORDS[keyword]?.(said, value) ?? `does not fit "${keyword}"` }];
  const absent = (said as string[]).filter(name => !Object.hasOwn(value as object, name));
  return absent.map(name => ({ path: [...path, name], message: 'is required' }));
}

export function typeIssue({ path, value }: Fault, types: readonly unknown[]): Issue {
  return { path, message: typeWords([...new Set(types)], value) };
}

function typeWords(types: readonly unknown[], value: unknown): string {
  const isFraction = typeof value === 'number' && types.includes('integer');
  return `expected ${oneOf(types.map(String), 'or')}, got ${isFraction ? 'a fraction' : jsonType(value)}`;
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
