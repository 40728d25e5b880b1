import type { JsonObject } from 'tenon';

/** Tells if a value is a JSON object and not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
