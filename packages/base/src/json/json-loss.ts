import { NUMBER_TEXTS } from './json-text.js';
import { toJsonPointer } from './pointer-token.js';

/** A part of a value that JSON cannot represent. */
export interface JsonLoss {
  /** `bigint`, `NaN`, or the class: `Map`. */
  readonly kind: string;
  /** JSON Pointer of the part. */
  readonly path: string;
}

/** The values that JSON represents, for error messages. */
export const JSON_VALUES = 'null, booleans, finite numbers, strings, arrays and plain objects';

/**
 * Finds the first part of a value for which `JSON.stringify` throws or writes nothing of its state, such as a number that
 * is not finite. Members that are `undefined` count as absent. Throws the exceptions of getters and `toJSON` methods.
 * @param isExact Finds also the parts that `JSON.stringify` leaves out or writes as `null`: members that are functions,
 * `undefined` in arrays, and invalid dates. `toJSON` is called as JSON does.
 */
export function findJsonLoss(root: unknown, isExact = false): JsonLoss | undefined {
  const ancestors = new Set<object>();
  const path: (string | number)[] = [];
  const find = (given: unknown, isKept?: boolean): string | undefined => {
    let value = given;
    const type = typeof value;
    // A `Buffer` has `toJSON`, which lists its bytes as numbers.
    if (value !== null && (type === 'object' || type === 'bigint') && !ArrayBuffer.isView(value)) {
      const { toJSON } = value as { readonly toJSON?: unknown };
      if (typeof toJSON === 'function') {
        if (isExact) value = toJSON.call(value, `${path.at(-1) ?? ''}`);
        else if (type === 'object') return undefined;
      }
    }
    // JSON of an invalid date is `null`.
    if (value === null) return given instanceof Date ? 'invalid Date' : undefined;
    if (typeof value === 'number') return !Number.isFinite(value) && !isKept ? `${value}` : undefined;
    if (typeof value !== 'object')
      return typeof value === 'string' || typeof value === 'boolean' || value === undefined ? undefined : typeof value;
    if (ancestors.has(value))
      return `reference to ${toJsonPointer(path.slice(0, [...ancestors].indexOf(value))) || '/'}`;
    const isArray = Array.isArray(value);
    const lost = !isArray && findLostClass(value);
    if (lost) return lost;
    ancestors.add(value);
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const member = (value as { readonly [key: string | number]: unknown })[key];
      if (typeof member === 'string' || (!isExact && !isArray && typeof member === 'function')) continue;
      path.push(key);
      const kind = isExact && isArray && member === undefined ? 'undefined' : find(member, NUMBER_TEXTS in value);
      if (kind) return kind;
      path.pop();
    }
    ancestors.delete(value);
    return undefined;
  };
  const kind = find(root);
  return kind ? { kind, path: toJsonPointer(path) } : undefined;
}

/**
 * Returns the class of an object whose state is not in its own keys, such as a `Map`. An object of another realm counts
 * as plain.
 */
export function findLostClass(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  const isKnown = ArrayBuffer.isView(value) || value instanceof Error;
  if (!isKnown && (Object.keys(value).length > 0 || Object(value.valueOf()) !== value)) return undefined;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  return tag === 'Object' ? value.constructor.name || 'class instance' : tag;
}
