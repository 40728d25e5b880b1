/** Any JSON object. */
export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the type of a value with its article, for errors. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  if (!isObject(value)) return `a ${typeof value}`;
  return typeof value.then === 'function' ? 'a promise' : 'an object';
}

/** Returns an object without members for a value that is no JSON object. */
export const toJsonObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** Returns the JSON Schema name of a value's type. Returns the JavaScript name if JSON Schema has none. */
export function getJsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(each => typeof each === 'string');
