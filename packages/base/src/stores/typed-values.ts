import { toRecordValues } from './record-values.js';
import type { Values } from './stores.js';

/**
 * Returns values with the type `T`, whose records have a format version. Use it only if one writer writes all values under its keys. The values are
 * not checked, so another program that changes the store can break the type.
 */
export function toTypedValues<T extends object>(values: Values): Values<T> {
  // A store accepts any JSON object, but TypeScript does not give interfaces an index signature.
  return toRecordValues(values) as unknown as Values<T>;
}
