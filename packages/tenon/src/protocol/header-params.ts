import { isObject, type JsonObject, toJsonObject } from '@tenon/base';

/**
 * A tool argument whose value is repeated in a header.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export interface HeaderParam {
  /** Path of the property in the arguments. */
  readonly path: readonly string[];
  /** Name of the header in lower case: `mcp-param-region`. */
  readonly header: string;
  readonly type: 'string' | 'integer' | 'boolean';
}

/** The member of `params` that the `Mcp-Name` header repeats, by method. */
export const NAME_HEADER_PARAMS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const ANNOTATION = 'x-mcp-header';
const MAX_DEPTH = 16;

/**
 * Reads the arguments of a tool's input schema that headers repeat. Returns the issue if an annotation is invalid.
 */
export function readHeaderParams(inputSchema: JsonObject): readonly HeaderParam[] | string {
  if (ANNOTATION in inputSchema) return `an ${ANNOTATION} stands at the root, which is no argument`;
  const headerParams: HeaderParam[] = [];
  const issue = collectHeaderParams(inputSchema, [], headerParams) ?? findUnreachable(inputSchema);
  if (issue) return issue;
  const names = new Set(headerParams.map(({ header }) => header));
  return names.size === headerParams.length ? headerParams : `two arguments have the same ${ANNOTATION}`;
}

function collectHeaderParams(
  { properties }: JsonObject,
  path: readonly string[],
  headerParams: HeaderParam[],
): string | undefined {
  if (!isObject(properties) || path.length > MAX_DEPTH) return undefined;
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema)) continue;
    const ownPath = [...path, name];
    if (ANNOTATION in schema) {
      const { type, [ANNOTATION]: header } = schema;
      const argument = ownPath.join('.');
      if (typeof header !== 'string' || !TOKEN.test(header))
        return `the ${ANNOTATION} of "${argument}" is no header name`;
      if (type !== 'string' && type !== 'integer' && type !== 'boolean')
        return `"${argument}" has an ${ANNOTATION}, but is no string, integer or boolean`;
      headerParams.push({ path: ownPath, header: `mcp-param-${header.toLowerCase()}`, type });
    }
    const issue = collectHeaderParams(schema, ownPath, headerParams);
    if (issue) return issue;
  }
  return undefined;
}

/** Finds an annotation that cannot be reached through `properties` alone. No header can repeat such an argument. */
function findUnreachable(schema: JsonObject): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === ANNOTATION || DATA.has(keyword)) continue;
    if (keyword !== 'properties') {
      if (hasAnnotation(value)) return `an ${ANNOTATION} stands below "${keyword}", where no argument is named`;
      continue;
    }
    for (const inner of Object.values(toJsonObject(value))) {
      const issue = isObject(inner) ? findUnreachable(inner) : undefined;
      if (issue) return issue;
    }
  }
  return undefined;
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

function hasAnnotation(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAnnotation);
  if (!isObject(value)) return false;
  return ANNOTATION in value || Object.entries(value).some(([key, inner]) => !DATA.has(key) && hasAnnotation(inner));
}

/** Tells if a number is exact. A header may represent an inexact number differently from the body. */
export function isExactNumber(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Returns the argument at a path. Returns `undefined` if it is absent or null, because it then has no header. */
export function getHeaderArgument(args: JsonObject | undefined, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const step of path) value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  return value ?? undefined;
}
