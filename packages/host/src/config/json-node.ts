import { type JsonTree, parseJsonTree } from './json/parse-json.js';

/** Maximum length of a configuration, in characters. `~/.claude.json` contains much other data. */
export const MAX_CONFIG_SIZE = 8 * 2 ** 20;
/** Maximum depth of objects and arrays. */
const MAX_CONFIG_DEPTH = 100;
/** Maximum number of values. A parsed value takes far more memory than its text. */
const MAX_CONFIG_VALUES = 2 ** 20;

export type ConfigPath = readonly (string | number)[];
export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'other';

/** Value of a configuration with its position. */
export interface JsonNode {
  readonly path: ConfigPath;
  /** Line number, from 1. `undefined` for a value that is not from a text. */
  readonly line: number | undefined;
  readonly kind: JsonKind;
  /** Value of a string, number or boolean. `undefined` for other kinds. */
  readonly value: unknown;
  /** Text of a number or flag that JavaScript would write differently, such as `1.0`. `undefined` for other values. */
  readonly text: string | undefined;
  /** Members of an object, by name. The last member with a repeated name is used. */
  readonly members: ReadonlyMap<string, JsonNode>;
  /** Members whose name occurred before. */
  readonly repeated: readonly JsonNode[];
  readonly items: readonly JsonNode[];
}

/** Reason why a text is not a valid configuration. */
export interface ConfigTextFault {
  readonly code: 'config/syntax' | 'config/too-large';
  readonly line: number | undefined;
  readonly summary: string;
}

/** Parses JSON with comments and trailing commas. A text with a syntax error is rejected as a whole. */
export function parseDocument(text: string): JsonNode | ConfigTextFault {
  if (text.length > MAX_CONFIG_SIZE)
    return { code: 'config/too-large', line: 1, summary: `a configuration has at most ${MAX_CONFIG_SIZE} characters` };
  const root = parseJsonTree(text, { maxDepth: MAX_CONFIG_DEPTH, maxValues: MAX_CONFIG_VALUES, lenient: true });
  if (!('fault' in root)) return toJsonNode(root, [], root.line);
  const { fault, line } = root;
  const tooLarge = TOO_LARGE.get(fault);
  if (tooLarge !== undefined) return { code: 'config/too-large', line, summary: tooLarge };
  return { code: 'config/syntax', line, summary: `this is no JSON: ${toWords(fault)}` };
}

const TOO_LARGE: ReadonlyMap<string, string> = new Map([
  ['TooDeep', `more than ${MAX_CONFIG_DEPTH} levels deep`],
  ['TooMany', `a configuration has at most ${MAX_CONFIG_VALUES} values`],
]);

const toWords = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

function toJsonNode(tree: JsonTree, path: ConfigPath, line: number): JsonNode {
  const kind = tree.kind === 'scalar' ? getJsonKind(tree.value) : tree.kind;
  const { value, text } = tree.kind === 'scalar' ? tree : {};
  return createLazyNode(
    { path, line, kind, value, text },
    {
      pairs: () =>
        (tree.kind === 'object' ? tree.members : []).map(({ name, value, line: at }): [string, JsonNode] => [
          name,
          toJsonNode(value, [...path, name], at),
        ]),
      items: () =>
        (tree.kind === 'array' ? tree.items : []).map((item, index) => toJsonNode(item, [...path, index], item.line)),
    },
  );
}

/**
 * Converts a value of the program to a node. Ignores members with the value `undefined`.
 *
 * @param findLine Returns the line of a value in the text that it is from.
 * @param findText Returns the text of a number or flag there.
 */
export function createJsonNode(
  value: unknown,
  path: ConfigPath = [],
  findLine: (path: ConfigPath) => number | undefined = () => undefined,
  findText: (path: ConfigPath) => string | undefined = () => undefined,
): JsonNode {
  const kind = getJsonKind(value);
  const isWritten = kind === 'number' || kind === 'boolean';
  const create = (each: unknown, key: string | number) => createJsonNode(each, [...path, key], findLine, findText);
  return createLazyNode(
    { path, line: findLine(path), kind, value, text: isWritten ? findText(path) : undefined },
    {
      pairs: () =>
        Object.entries(value as object).flatMap(([name, each]): [string, JsonNode][] =>
          each === undefined ? [] : [[name, create(each, name)]],
        ),
      items: () => Array.from(value as unknown[], create),
    },
  );
}

/** Returns the value of a node. */
export function toJsonValue({ kind, value, members, items }: JsonNode): unknown {
  if (kind === 'object') return Object.fromEntries([...members].map(([name, each]) => [name, toJsonValue(each)]));
  if (kind === 'array') return items.map(toJsonValue);
  return kind === 'null' ? null : value;
}

/** Creates a scalar at the position of another node. */
export const deriveScalar = ({ path, line }: JsonNode, value: string | number): JsonNode =>
  createJsonNode(value, path, () => line);

/** Creates an object at the position of another node. The last member with a repeated name is used. */
export const deriveObject = ({ path, line }: JsonNode, pairs: Iterable<readonly [string, JsonNode]>): JsonNode =>
  createLazyNode(
    { path, line, kind: 'object', value: undefined, text: undefined },
    {
      pairs: () => [...new Map(pairs)],
      items: () => [],
    },
  );

/** Creates a list at the position of another node. */
export const deriveList = ({ path, line }: JsonNode, items: readonly JsonNode[]): JsonNode =>
  createLazyNode(
    { path, line, kind: 'array', value: undefined, text: undefined },
    { pairs: () => [], items: () => [...items] },
  );

function getJsonKind(value: unknown): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'other';
}

interface JsonNodeParts {
  readonly pairs: () => [string, JsonNode][];
  readonly items: () => JsonNode[];
}

const NO_MEMBERS: ReadonlyMap<string, JsonNode> = new Map();
const NO_NODES: readonly JsonNode[] = [];

/** Parses a value on access only, because most of `~/.claude.json` is unrelated to MCP. */
function createLazyNode(
  { path, line, kind, value, text }: Pick<JsonNode, 'path' | 'line' | 'kind' | 'value' | 'text'>,
  parts: JsonNodeParts,
): JsonNode {
  let pairs: [string, JsonNode][] | undefined;
  const read = () => {
    pairs ??= kind === 'object' ? parts.pairs() : [];
    return pairs;
  };
  let members: ReadonlyMap<string, JsonNode> | undefined;
  let items: readonly JsonNode[] | undefined;
  return {
    path,
    line,
    kind,
    value: kind === 'object' || kind === 'array' || kind === 'null' ? undefined : value,
    text,
    get members() {
      members ??= kind === 'object' ? new Map(read()) : NO_MEMBERS;
      return members;
    },
    get repeated() {
      if (kind !== 'object') return NO_NODES;
      const seen = new Set<string>();
      return read().flatMap(([name, spot]) => {
        if (seen.has(name)) return [spot];
        seen.add(name);
        return [];
      });
    },
    get items() {
      items ??= kind === 'array' ? parts.items() : [];
      return items;
    },
  };
}
