import { isObject } from '../jsonrpc/message.js';
import type { PreparedSchema } from './prepare-schema.js';

/** A location in a value: its path and the value there. */
export interface ValueLocation {
  readonly path: (string | number)[];
  readonly value: unknown;
}

/** Finds a location by the validator's notation: `#/list/0/a%20b`. */
export function locateValue(root: unknown, location: string): ValueLocation {
  const path: (string | number)[] = [];
  let value = root;
  for (const token of splitLocation(location)) {
    path.push(Array.isArray(value) ? Number(token) : token);
    value = getMember(value, token);
  }
  return { path, value };
}

/** Reads the value of a keyword by its location. References on the path are followed. */
export function readKeyword({ root, lookup }: PreparedSchema, location: string): unknown {
  let node: unknown = root;
  for (const token of splitLocation(location)) {
    const target = token === '$ref' && isObject(node) && typeof node.$ref === 'string' ? node.$ref : undefined;
    if (token === '$recursiveRef') node = root;
    else if (target === undefined) node = getMember(node, token);
    else node = lookup[((node as { __absolute_ref__?: string }).__absolute_ref__ ?? target) as string];
  }
  return node;
}

function getMember(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

function splitLocation(location: string): string[] {
  return location
    .split('/')
    .slice(1)
    .map(token => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'));
}
