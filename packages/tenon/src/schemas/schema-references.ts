import type { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';

/** The document that contains a part of a schema, and the nearest enclosing part that has an `$id`. */
export interface SchemaDocument {
  readonly root: JsonObject;
  readonly resource: JsonObject;
}

type CreateBrokenError = (path: readonly string[], expected: string, value: unknown, next?: string) => TenonError;

/** Throws when a reference does not resolve inside the document. References to other documents are never fetched. */
export function checkReference(
  reference: unknown,
  path: readonly string[],
  { root, resource }: SchemaDocument,
  createError: CreateBrokenError,
): void {
  if (typeof reference !== 'string') throw createError(path, 'a reference', reference);
  const [document = '', fragment = ''] = reference.split('#', 2);
  const target = document === '' ? resource : findPart(root, part => isNamed(part, document));
  if (target === undefined) {
    const next =
      'copy the other document into "$defs" and refer to it there, because other documents are never fetched';
    throw createError(path, 'a reference to a place in this schema', reference, next);
  }
  const isThere =
    fragment.startsWith('/') || fragment === '' ? hasPointer(target, fragment) : hasAnchor(root, fragment);
  if (!isThere) throw createError(path, 'a reference to an existing part of this schema', reference);
}

/**
 * Compares names by their ends, because they may be relative. The comparison can accept a wrong name, but it never
 * rejects a right one.
 */
function isNamed({ $id }: JsonObject, document: string): boolean {
  if (typeof $id !== 'string') return false;
  const name = $id.replace(/#$/, '');
  return name === document || name.endsWith(`/${document}`) || document.endsWith(`/${name}`);
}

function hasAnchor(root: JsonObject, anchor: string): boolean {
  return (
    findPart(root, ({ $anchor, $dynamicAnchor, $id }) =>
      [$anchor, $dynamicAnchor, $id].some(each => each === anchor || each === `#${anchor}`),
    ) !== undefined
  );
}

function findPart(value: unknown, fits: (part: JsonObject) => boolean): JsonObject | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (isObject(value) && fits(value)) return value;
  for (const each of Object.values(value)) {
    const part = findPart(each, fits);
    if (part) return part;
  }
  return undefined;
}

function hasPointer(target: JsonObject, fragment: string): boolean {
  let node: unknown = target;
  for (const token of fragment.split('/').slice(1)) {
    const key = decodeToken(token);
    if (typeof node !== 'object' || node === null || key === undefined || !Object.hasOwn(node, key)) return false;
    node = (node as { [key: string]: unknown })[key];
  }
  return true;
}

/** Decodes one token of a JSON Pointer in a fragment. Returns `undefined` for invalid percent-encoding. */
export function decodeToken(token: string): string | undefined {
  try {
    return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}
