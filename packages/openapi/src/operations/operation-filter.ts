import { writePatternText } from '@tenon/base/writers';
import type { JsonObject } from 'tenon';

/** Selection of operations. */
export interface OperationFilter {
  /**
   * Patterns of operations to serve, such as `GET /pets*`, `/pets/**` or an `operationId`. `*` stands for any text.
   * @default all operations
   */
  readonly include?: readonly string[] | undefined;
  /**
   * Patterns of operations not to serve.
   * @default none
   */
  readonly exclude?: readonly string[] | undefined;
  /**
   * Tags, of which a served operation has at least one.
   * @default all operations
   */
  readonly tags?: readonly string[] | undefined;
  /**
   * Serves only operations that read: GET and HEAD.
   * @default `false`
   */
  readonly readOnly?: boolean | undefined;
}

/** Tells if the filter of the user selects an operation. */
export function isChosen(
  operation: JsonObject,
  method: string,
  path: string,
  { include, exclude = [], tags: wantedTags, readOnly = false }: OperationFilter,
): boolean {
  const { tags } = operation;
  if (readOnly && method !== 'get' && method !== 'head') return false;
  if (wantedTags && !(Array.isArray(tags) && tags.some(tag => wantedTags.includes(String(tag))))) return false;
  return (
    (include === undefined || matches(include, operation, method, path)) && !matches(exclude, operation, method, path)
  );
}

/** Tells if one of the patterns matches the method and path, the path, or the id of an operation. */
export function matches(
  patterns: readonly string[],
  { operationId }: JsonObject,
  method: string,
  path: string,
): boolean {
  const texts = [`${method} ${path}`, path, ...(typeof operationId === 'string' ? [operationId] : [])];
  return patterns.some(pattern => texts.some(text => toPattern(pattern).test(text)));
}

const toPattern = (pattern: string): RegExp =>
  new RegExp(`^${pattern.split(/\*+/).map(writePatternText).join('.*')}$`, 'i');
