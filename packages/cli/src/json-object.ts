import { isObject, type JsonObject } from '@tenon/base';

/** Returns an object without members for a value that is no JSON object. */
export const toJsonObject = (value: unknown): JsonObject => (isObject(value) ? value : {});
