import { isObject, type JsonObject } from '../jsonrpc/message.js';

/** A tool argument that a header mirrors. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
export interface Mirror {
  /** The property path in the arguments. */
  readonly path: readonly string[];
  /** The header, lower-case: `mcp-param-region`. */
  readonly header: string;
  readonly type: 'string' | 'integer' | 'boolean';
}

/** The member of `params` that the `Mcp-Name` header mirrors, by method. */
export const NAMED_BY: ReadonlyMap<string, string> = new Map([
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

/** The mirrored arguments of a tool's input schema, or what is wrong with its annotations. */
export function mirrorsOf(inputSchema: JsonObject): readonly Mirror[] | string {
  if (ANNOTATION in inputSchema) return `an ${ANNOTATION} stands at the root, which is no argument`;
  const mirrors: Mirror[] = [];
  const problem = collect(inputSchema, [], mirrors) ?? stray(inputSchema);
  if (problem) return problem;
  const names = new Set(mirrors.map(({ header }) => header));
  return names.size === mirrors.length ? mirrors : `two arguments have the same ${ANNOTATION}`;
}

function collect({ properties }: JsonObject, path: readonly string[], found: Mirror[]): string | undefined {
  if (!isObject(properties) || path.length > MAX_DEPTH) return undefined;
  for (const [name, schema] of Object.entries(properties)) {
    if (!isObject(schema)) continue;
    const problem = mirrored(schema, [...path, name], found) ?? collect(schema, [...path, name], found);
    if (problem) return problem;
  }
  return undefined;
}

function mirrored(schema: JsonObject, path: readonly string[], found: Mirror[]): string | undefined {
  if (!(ANNOTATION in schema)) return undefined;
  const { type } = schema;
  const name = schema[ANNOTATION];
  const at = path.join('.');
  if (typeof name !== 'string' || !TOKEN.test(name)) return `the ${ANNOTATION} of "${at}" is no header name`;
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    return `"${at}" has an ${ANNOTATION}, but is no string, integer or boolean`;
  found.push({ path, header: `mcp-param-${name.toLowerCase()}`, type });
  return undefined;
}

/** An annotation that no chain of `properties` reaches can not be mirrored. */
function stray(schema: JsonObject): string | undefined {
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === ANNOTATION || DATA.has(keyword)) continue;
    if (keyword !== 'properties') {
      if (annotated(value)) return `an ${ANNOTATION} stands below "${keyword}", where no argument is named`;
      continue;
    }
    for (const inner of Object.values(isObject(value) ? value : {})) {
      const problem = isObject(inner) ? stray(inner) : undefined;
      if (problem) return problem;
    }
  }
  return undefined;
}

/** Keywords whose values are data, not schemas. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);

function annotated(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(annotated);
  if (!isObject(value)) return false;
  return ANNOTATION in value || Object.entries(value).some(([key, inner]) => !DATA.has(key) && annotated(inner));
}

/** Numbers beyond this can not be told from their neighbours: what a header says of them may be another one. */
export function isExact(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** The argument at a path; undefined when it is absent or null: such a one has no header. */
export function mirroredValue(args: JsonObject | undefined, path: readonly string[]): unknown {
  let at: unknown = args;
  for (const step of path) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  return at ?? undefined;
}
