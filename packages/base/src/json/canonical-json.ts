import { isObject } from './json-object.js';
import { stringifyJson } from './json-text.js';
import { copyPlainJson, NOT_PLAIN } from './json-value.js';

/** Converts a value to JSON with sorted object members, so that equal values have equal texts. */
export function toCanonicalJson(value: unknown): string {
  const sorted = copyPlainJson(value, true);
  if (sorted !== NOT_PLAIN) return stringifyJson(sorted) ?? 'null';
  return JSON.stringify(value, (_, member: unknown) => (isObject(member) ? sortMembers(member) : member)) ?? 'null';
}

function sortMembers(object: { [key: string]: unknown }): { [key: string]: unknown } {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
