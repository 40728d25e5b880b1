import { TenonError } from '../jsonrpc/error.js';
import { toJsonPointer } from './issues.js';
import { isStandardSchema } from './standard.js';

/** Limits on a JSON Schema. */
export interface SchemaLimits {
  /** Objects and arrays inside each other. Default 128. */
  readonly maxDepth: number;
  /** JSON values altogether, each counted as often as it appears. Default 50,000. */
  readonly maxValues: number;
}

const SCHEMA_LIMITS: SchemaLimits = { maxDepth: 128, maxValues: 50_000 };

/**
 * Checks that a schema is plain JSON of sensible size, before anything copies or walks it.
 * Throws `schema/too-large` or `schema/not-json`.
 */
export function inspectSchema(json: unknown, limits: SchemaLimits = SCHEMA_LIMITS): void {
  const path: string[] = [];
  let left = limits.maxValues;
  const visit = (value: unknown): void => {
    if (--left < 0) throw createTooLargeError(`at most ${limits.maxValues} values`);
    if (typeof value !== 'object' || value === null) {
      requireJson(value, path);
      return;
    }
    if (isSchemaOfLibrary(value)) throw createNotJsonError('a schema object of a library', path);
    if (path.length >= limits.maxDepth) throw createTooLargeError(`at most ${limits.maxDepth} levels`);
    for (const key of Object.keys(value)) {
      path.push(key);
      visit((value as Record<string, unknown>)[key]);
      path.pop();
    }
  };
  visit(json);
}

/** JSON Schema that a library wrote can know its schema too, out of the sight of JSON: it is JSON all the same. */
function isSchemaOfLibrary(value: object): boolean {
  if (!isStandardSchema(value)) return false;
  return Object.getPrototypeOf(value) !== Object.prototype || Object.keys(value).includes('~standard');
}

function requireJson(value: unknown, path: readonly string[]): void {
  const type = typeof value;
  if (type === 'function' || type === 'symbol' || type === 'bigint') {
    throw createNotJsonError(isStandardSchema(value) ? 'a schema object of a library' : `a ${type}`, path);
  }
  if (type === 'number' && !Number.isFinite(value)) throw createNotJsonError(String(value), path);
}

function createTooLargeError(expected: string): TenonError {
  return new TenonError('schema/too-large', 'the JSON Schema is too large', {
    expected,
    received: 'more',
    hint: 'move repeated parts to "$defs" and refer to them, and check that no value contains itself',
  });
}

function createNotJsonError(received: string, path: readonly string[]): TenonError {
  return new TenonError(
    'schema/not-json',
    `the JSON Schema is not plain JSON at ${toJsonPointer(path) || 'the root'}`,
    {
      expected: 'a JSON value',
      received,
      hint: 'pass a whole schema of your library, such as z.object({ … }), or plain JSON Schema',
    },
  );
}
