/** Maximum depth of a stored value. */
const MAX_DEPTH = 64;

/**
 * Finds the first part of a value that JSON would change: `/at/0: a Date`. Undefined if there is none. None when
 * nothing does.
 */
export function findJsonFault(value: unknown, path = '', depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `${path || '/'}: deeper than ${MAX_DEPTH}`;
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : `${path || '/'}: ${value}`;
    case 'object':
      if (value === null) return undefined;
      return Array.isArray(value) ? findArrayFault(value, path, depth) : findObjectFault(value, path, depth);
    default:
      return `${path || '/'}: ${typeof value}`;
  }
}

function findArrayFault(array: readonly unknown[], path: string, depth: number): string | undefined {
  for (let index = 0; index < array.length; index++) {
    const fault = findJsonFault(array[index], `${path}/${index}`, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Members that are `undefined` are treated as absent. */
function findObjectFault(object: object, path: string, depth: number): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(object);
  if (prototype !== Object.prototype && prototype !== null) return `${path || '/'}: a ${object.constructor?.name}`;
  for (const [name, member] of Object.entries(object)) {
    const fault = member === undefined ? undefined : findJsonFault(member, `${path}/${name}`, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

/** Returns a copy of the value as JSON transports it. Changes of one do not affect the other. */
export function copyJson<T>(value: T): T {
  // JSON does not distinguish the two zeros.
  if (typeof value !== 'object' || value === null) return (value === 0 ? 0 : value) as T;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, copyJson(member)])) as T;
}
