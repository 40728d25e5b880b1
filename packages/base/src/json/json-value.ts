import { integerKeeper, keepTextsIn } from './json-text.js';

/** Maximum depth of a stored value. */
const MAX_DEPTH = 64;

/**
 * Returns the first part of a value that JSON would change, with its path: `/at/0: a Date`. Returns `undefined` if JSON
 * represents the whole value.
 */
export function findJsonFault(value: unknown, path = '', depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `${path || '/'}: deeper than ${MAX_DEPTH}`;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${path || '/'}: ${value}`;
    case 'object':
      if (value === null) return undefined;
      return Array.isArray(value) ? findArrayFault(value, path, depth) : findObjectFault(value, path, depth);
    default:
      return `${path || '/'}: ${typeof value}`;
  }
}

function findArrayFault(array: readonly unknown[], path: string, depth: number): string | undefined {
  for (let index = 0; index < array.length; index++) {
    const fault = findJsonFault(array[index], `${path}/${index}`, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Finds a fault in an object. Members that are `undefined` count as absent. */
function findObjectFault(object: object, path: string, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return `${path || '/'}: a ${object.constructor?.name}`;
  for (const [name, member] of Object.entries(object)) {
    const fault = member === undefined ? undefined : findJsonFault(member, `${path}/${name}`, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns a deep copy of a JSON value. Parts that are not JSON stay in the copy, so that checks can find them. */
export function copyJson<T>(value: T): T {
  // JSON does not distinguish the two zeros.
  if (typeof value !== 'object' || value === null) return (value === 0 ? 0 : value) as T;
  if (Array.isArray(value)) return keepTextsIn(value.map(copyJson) as T & object, value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return keepTextsIn(
    Object.fromEntries(members.map(([name, member]) => [name, copyJson(member)])) as T & object,
    value,
  );
}

/** Maximum depth that is copied member by member. A deeper or circular value is copied through JSON text. */
const MAX_COPY_DEPTH = 200;
/** Result for a value that only `JSON` itself can copy. */
export const NOT_PLAIN = Symbol('not plain');

/**
 * Returns the same copy as `JSON.parse(JSON.stringify(value))`, seven times as fast for plain objects and arrays.
 * Returns `undefined` for a value that JSON cannot represent. Throws the errors of `JSON.stringify`.
 */
export function copyThroughJson(value: unknown): unknown {
  const copy = copyPlainJson(value);
  if (copy !== NOT_PLAIN) return copy;
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : JSON.parse(text);
}

/**
 * Copies a plain value as JSON transports it. Returns `NOT_PLAIN` for a value with methods that JSON would call, and
 * `undefined` for `undefined`.
 * @param isSorted Adds the members of each object in the order of their names.
 */
export function copyPlainJson(value: unknown, isSorted = false): unknown {
  return copyPlain(value, MAX_COPY_DEPTH, isSorted);
}

function copyPlain(value: unknown, depth: number, isSorted: boolean): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      // JSON has neither infinite numbers nor a negative zero.
      return Number.isFinite(value) ? value + 0 : null;
    case 'object':
      return value === null ? null : copyPlainObject(value, depth, isSorted);
    default:
      return NOT_PLAIN;
  }
}

function copyPlainObject(value: object, depth: number, isSorted: boolean): unknown {
  // An inherited `toJSON` counts too, because a prototype may have been extended.
  if (depth === 0 || (value as { toJSON?: unknown }).toJSON !== undefined) return NOT_PLAIN;
  if (Array.isArray(value)) return copyPlainArray(value, depth, isSorted);
  if (Object.getPrototypeOf(value) !== Object.prototype) return NOT_PLAIN;
  const copy: { [name: string]: unknown } = {};
  const names = Object.keys(value);
  if (isSorted) names.sort();
  for (const name of names) {
    const member = copyPlain((value as { [name: string]: unknown })[name], depth - 1, isSorted);
    // An assignment to an inherited member, such as `__proto__`, may fail.
    if (member === NOT_PLAIN || name in Object.prototype) return NOT_PLAIN;
    if (member !== undefined) copy[name] = member;
  }
  return integerKeeper.hasTexts ? keepTextsIn(copy, value) : copy;
}

function copyPlainArray(array: readonly unknown[], depth: number, isSorted: boolean): unknown {
  const copy: unknown[] = [];
  for (let index = 0; index < array.length; index++) {
    const item = copyPlain(array[index], depth - 1, isSorted);
    if (item === NOT_PLAIN) return NOT_PLAIN;
    copy.push(item === undefined ? null : item);
  }
  return integerKeeper.hasTexts ? keepTextsIn(copy, array) : copy;
}
