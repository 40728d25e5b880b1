import { describeInexactInteger, findInexactInteger, isObject } from '@tenon/base';
import type { Json } from './api.js';

/** Returns a copy of an object with one member changed. `undefined` removes it. Any name is a plain member. */
export function withMember(value: unknown, name: string, member: unknown): Json {
  const entries = new Map(isObject(value) ? Object.entries(value) : []);
  if (member === undefined) entries.delete(name);
  else entries.set(name, member);
  return Object.fromEntries(entries);
}

/** Returns an own member. */
export const getMember = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** Parses JSON that a person wrote. Throws an error with the fault: an integer that a number cannot represent is one. */
export function parseTypedJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`Invalid JSON at ${locateFault(text, error)}`);
  }
  const integer = findInexactInteger(text);
  if (integer !== undefined) throw new Error(describeInexact(integer));
  return value;
}

/** Describes an integer that a number cannot represent. */
export const describeInexact = (integer: string): string =>
  `${describeInexactInteger(integer)}. Write it as a text in quotes if the tool accepts one`;

/** Describes the position of a fault in a JSON text: `line 3, column 5`. */
function locateFault(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const [, position] = /position (\d+)/.exec(message) ?? [];
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}
