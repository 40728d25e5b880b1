import { TenonError, toJsonPointer } from '@tenon/base';
import { isStandardSchema } from './standard.js';

/** Limits on the size of a JSON Schema. */
export interface SchemaLimits {
  /**
   * Maximum depth of nested objects and arrays.
   * @default 128
   */
  readonly maxDepth: number;
  /**
   * Maximum number of JSON values in the schema. A value counts each time that it appears.
   * @default 50,000
   */
  readonly maxValues: number;
  /**
   * Maximum length of all strings and names together, in characters.
   * @default no limit
   */
  readonly maxText?: number;
}

const SCHEMA_LIMITS: SchemaLimits = { maxDepth: 128, maxValues: 50_000 };

/**
 * Checks that a schema is plain JSON of limited size. Call it before any code copies or walks the schema.
 * @throws TenonError `schema/too-large` or `schema/not-json`.
 */
export function inspectSchema(json: unknown, limits: SchemaLimits = SCHEMA_LIMITS): void {
  const path: string[] = [];
  const { maxText = Number.POSITIVE_INFINITY } = limits;
  let left = limits.maxValues;
  let textLength = 0;
  const countText = (text: string): void => {
    textLength += text.length;
    if (textLength > maxText) throw createTooLargeError(`at most ${maxText} characters`);
  };
  const visit = (value: unknown): void => {
    if (--left < 0) throw createTooLargeError(`at most ${limits.maxValues} values`);
    if (typeof value !== 'object' || value === null) {
      const type = typeof value;
      if (type === 'function' || type === 'symbol' || type === 'bigint') {
        throw createNotJsonError(isStandardSchema(value) ? 'a schema object of a library' : `a ${type}`, path);
      }
      if (type === 'number' && !Number.isFinite(value)) throw createNotJsonError(String(value), path);
      if (typeof value === 'string') countText(value);
      return;
    }
    if (isStandardSchema(value)) {
      // JSON Schema that a library wrote can have a hidden `~standard` property. It still counts as JSON.
      const isJson = Object.getPrototypeOf(value) === Object.prototype && !Object.keys(value).includes('~standard');
      if (!isJson) throw createNotJsonError('a schema object of a library', path);
    }
    if (path.length >= limits.maxDepth) throw createTooLargeError(`at most ${limits.maxDepth} levels`);
    for (const key of Object.keys(value)) {
      countText(key);
      path.push(key);
      visit((value as Record<string, unknown>)[key]);
      path.pop();
    }
  };
  visit(json);
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
