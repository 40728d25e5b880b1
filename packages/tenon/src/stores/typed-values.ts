import type { Values } from './stores.js';

/**
 * Types the values of the keys that one writer uses. Only that writer puts values under its keys, so they have the type that
 * it puts there; a store that another program has changed is not checked.
 */
export function toTypedValues<T extends object>(values: Values): Values<T> {
  // A store takes any JSON object, and an interface has no index signature that would show that it is one.
  return values as unknown as Values<T>;
}
