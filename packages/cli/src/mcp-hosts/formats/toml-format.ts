import { isObject } from '@tenon/base';
import { writeTomlString } from '@tenon/base/writers';
import { type AST, getStaticTOMLValue, ParseError, parseTOML, traverseNodes } from 'toml-eslint-parser';
import { type ConfigFormat, ConfigTextError } from './config-format.js';
import {
  applyTextEdits,
  createNearestFinder,
  detectLineEnd,
  findContentEnd,
  findLineEnd,
  findLineStart,
} from './text-edits.js';

/** TOML. Entries are tables. Those that are inline tables of another table can be read and removed, not added to. */
export const tomlFormat: ConfigFormat = {
  editsEntries: false,
  parse(text) {
    const program = parse(text);
    keepTexts(text, program);
    return getStaticTOMLValue(program);
  },
  createLineFinder(text) {
    const lines = new Map<string, number>();
    const add = (path: readonly (string | number)[], { loc }: AST.TOMLNode) => {
      // A table without a line of its own begins with its first member.
      for (let length = 1; length <= path.length; length++) {
        const key = JSON.stringify(path.slice(0, length));
        if (!lines.has(key)) lines.set(key, loc.start.line);
      }
    };
    for (const node of parse(text).body[0].body) {
      if (node.type === 'TOMLKeyValue') add(getKey(node, []), node);
      else {
        add(node.resolvedKey, node);
        for (const member of node.body) add(getKey(member, node.resolvedKey), member);
      }
    }
    return createNearestFinder(path => lines.get(JSON.stringify(path)));
  },
  createTextFinder(text) {
    const texts = new Map<string, string>();
    const add = (path: readonly (string | number)[], node: AST.TOMLContentNode): void => {
      if (node.type === 'TOMLArray') node.elements.forEach((each, at) => add([...path, at], each));
      else if (node.type === 'TOMLInlineTable') for (const each of node.body) add(getKey(each, path), each.value);
      else texts.set(JSON.stringify(path), text.slice(...node.range));
    };
    for (const node of parse(text).body[0].body) {
      if (node.type === 'TOMLKeyValue') add(getKey(node, []), node.value);
      else for (const member of node.body) add(getKey(member, node.resolvedKey), member.value);
    }
    return path => texts.get(JSON.stringify(path));
  },
  setMember(text, path, key, value) {
    const [first, ...others] = findParts(text, [...path, key]);
    const block = formatTable([...path, key], value, detectLineEnd(text));
    if (first === undefined) return appendBlock(text, block);
    const rest = others.map(part => ({ ...extendPart(text, part), text: '' }));
    return applyTextEdits(text, [{ start: first.start, end: first.end, text: block }, ...rest]);
  },
  removeMember(text, path, key) {
    const parts = findParts(text, [...path, key]);
    return applyTextEdits(
      text,
      parts.map(part => ({ ...extendPart(text, part), text: '' })),
    );
  },
};

/** Replaces dates, and integers that a number cannot represent, by their texts, which is what variables of a server need. */
function keepTexts(text: string, program: AST.TOMLProgram): void {
  traverseNodes(program, {
    enterNode(node) {
      if (node.type !== 'TOMLValue') return;
      if (node.kind === 'integer' && !Number.isSafeInteger(node.value))
        Object.assign(node, { value: String(node.bigint) });
      if (DATE_KINDS.has(node.kind)) Object.assign(node, { value: text.slice(...node.range) });
    },
    leaveNode() {},
  });
}

const DATE_KINDS: ReadonlySet<string> = new Set(['offset-date-time', 'local-date-time', 'local-date', 'local-time']);

interface TextPart {
  readonly start: number;
  readonly end: number;
}

function parse(text: string): AST.TOMLProgram {
  try {
    return parseTOML(text, { tomlVersion: '1.0' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ConfigTextError(error.message, { line: error.lineNumber, column: error.column + 1 });
  }
}

/** Finds the tables and members of an entry: `[a.b]`, `[a.b.env]`, and `b = {}` or `b.c = 1` in `[a]`. */
function findParts(text: string, path: readonly string[]): TextPart[] {
  const parts: TextPart[] = [];
  for (const node of parse(text).body[0].body) {
    if (node.type === 'TOMLKeyValue') parts.push(...findMember(text, node, [], path));
    else if (hasPrefix(node.resolvedKey, path)) parts.push(getTablePart(text, node));
    else for (const member of node.body) parts.push(...findMember(text, member, node.resolvedKey, path));
  }
  return parts;
}

function findMember(
  text: string,
  node: AST.TOMLKeyValue,
  table: readonly (string | number)[],
  path: readonly string[],
): TextPart[] {
  const key = getKey(node, table);
  if (hasPrefix(key, path)) return [{ start: node.range[0], end: findLineEnd(text, node.range[1]) }];
  if (hasPrefix(path, key) && node.value.type === 'TOMLInlineTable') {
    throw new ConfigTextError(`${key.join('.')} is an inline table: write its servers as [${path.join('.')}]`, {
      line: node.loc.start.line,
      column: node.loc.start.column + 1,
    });
  }
  return [];
}

const getKey = (node: AST.TOMLKeyValue, table: readonly (string | number)[]): (string | number)[] => [
  ...table,
  ...node.key.keys.map(each => (each.type === 'TOMLBare' ? each.name : each.value)),
];

function getTablePart(text: string, node: AST.TOMLTable): TextPart {
  const last = node.body.at(-1)?.range[1] ?? node.key.range[1];
  return { start: node.range[0], end: findLineEnd(text, last) };
}

const hasPrefix = (keys: readonly (string | number)[], start: readonly (string | number)[]): boolean =>
  start.every((key, index) => keys[index] === key);

/** Adds the line ends to a part that is deleted: the empty line in front of it, at the start of the file that behind it. */
function extendPart(text: string, { start, end }: TextPart): TextPart {
  const line = findLineStart(text, start);
  if (line === 0) return { start: line, end: end + (/^(?:\r?\n){1,2}/.exec(text.slice(end))?.[0].length ?? 0) };
  const before = text.slice(0, line);
  return { start: line - (/(?:\r?\n){1,2}$/.exec(before)?.[0].length ?? 0), end };
}

function appendBlock(text: string, block: string): string {
  const end = findContentEnd(text);
  const lineEnd = detectLineEnd(text);
  if (end === 0) return `${text}${block}${lineEnd}`;
  return applyTextEdits(text, [{ start: end, end, text: `${lineEnd}${lineEnd}${block}` }]);
}

function formatTable(path: readonly string[], value: unknown, lineEnd: string): string {
  const members = isObject(value) ? Object.entries(value) : [];
  return [
    `[${path.map(formatKey).join('.')}]`,
    ...members.map(([key, each]) => `${formatKey(key)} = ${formatToml(each)}`),
  ].join(lineEnd);
}

const formatKey = (key: string): string => (/^[A-Za-z0-9_-]+$/.test(key) ? key : writeTomlString(key));

function formatToml(value: unknown): string {
  if (typeof value === 'string') return writeTomlString(value);
  if (Array.isArray(value)) return `[${value.map(formatToml).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([key, each]) => `${formatKey(key)} = ${formatToml(each)}`);
    return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
  }
  return String(value);
}
