import { TenonError } from '../jsonrpc/error.js';
import { pointer } from './issues.js';
import { isStandardSchema } from './standard.js';

/** How large a JSON Schema may be. */
export interface SchemaLimits {
  /** Objects and arrays inside each other. Default 128. */
  readonly depth: number;
  /** JSON values altogether, each counted as often as it appears. Default 50,000. */
  readonly values: number;
}

const SCHEMA_LIMITS: SchemaLimits = { depth: 128, values: 50_000 };

/**
 * Checks that a schema is plain JSON of sensible size, before anything copies or walks it.
 * Throws `schema/too-large` or `schema/not-json`.
 */
export function inspect(json: unknown, limits: SchemaLimits = SCHEMA_LIMITS): void {
  const path: string[] = [];
  let left = limits.values;
  const visit = (value: unknown): void => {
    if (--left < 0) throw tooLarge(`at most ${limits.values} values`);
    if (typeof value !== 'object' || value === null) {
      requireJson(value, path);
      return;
    }
    if (isSchemaOfLibrary(value)) throw notJson('a schema of a library', path);
    if (path.length >= limits.depth) throw tooLarge(`at most ${limits.depth} levels`);
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
    throw notJson(isStandardSchema(value) ? 'a schema of a library' : `a ${type}`, path);
  }
  if (type === 'number' && !Number.isFinite(value)) throw notJson(String(value), path);
}

function tooLarge(expected: string): TenonError {
  return new TenonError('schema/too-large', 'this JSON Schema is too large', {
    expected,
    got: 'more',
    next: 'name the parts that repeat under "$defs" and refer to them; a value that contains itself is no JSON',
  });
}

function notJson(got: string, path: readonly string[]): TenonError {
  return new TenonError('schema/not-json', `this JSON Schema is not plain JSON: at ${pointer(path) || 'its root'}`, {
    expected: 'a JSON value',
    got,
    next: 'give a schema object of your library as a whole, e.g. z.object({ … }) and not { … }, or plain JSON Schema',
  });
}
