import type { JsonObject } from 'tenon';

export type { JsonObject };

/** True for an object that is no array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
