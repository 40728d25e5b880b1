import { isObject, type JsonObject } from './json-object.js';

/** Parses a text as JSON. Returns `undefined` for any other text. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a text as a JSON object. Returns `undefined` for any other text. */
export function parseJsonObject(text: string): JsonObject | undefined {
  const value = tryParseJson(text);
  return isObject(value) ? value : undefined;
}
