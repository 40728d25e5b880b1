import type { JsonObject } from 'tenon';

/** Tells if a value is a JSON object, not an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an object without members for a value that is no JSON object. */
export const toJsonObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
