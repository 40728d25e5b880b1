import { toCanonicalJson } from '../../encoding/canonical-json.js';

/**
 * Creates a test for equality with a constant. Numbers are compared by value, and objects without the order of their
 * members.
 */
export function createEqualityCheck(constant: unknown): (value: unknown) => boolean {
  if (typeof constant !== 'object' || constant === null) return value => value === constant;
  return value => isEqual(value, constant);
}

function isEqual(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every(key => Object.hasOwn(other, key) && isEqual(getMember(one, key), getMember(other, key)))
  );
}

function getMember(value: object, key: string): unknown {
  return (value as { readonly [key: string]: unknown })[key];
}

/** Tells if no two items are equal. The time grows linearly with the length of the list. */
export function areUnique(items: readonly unknown[]): boolean {
  const scalars = new Set<unknown>();
  const texts = new Set<string>();
  for (const item of items) {
    if (typeof item === 'object' && item !== null) texts.add(toCanonicalJson(item));
    else scalars.add(item);
  }
  return scalars.size + texts.size === items.length;
}
