import type { JsonObject } from './json-object.js';
import { keepTextsIn } from './json-text.js';

/** Copies an object without some members. It avoids `delete`, which makes later access to the object slow. */
export function copyWithout(value: JsonObject, names: readonly string[]): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    if (names.includes(name)) continue;
    // A `__proto__` from a peer is a plain member.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: value[name], ...PLAIN_PROPERTY });
    else copy[name] = value[name];
  }
  return keepTextsIn(copy, value);
}

const PLAIN_PROPERTY = { enumerable: true, writable: true, configurable: true };
