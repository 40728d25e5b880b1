import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type ConfigFormat, ConfigTextError } from './config-format.js';
import { appendJsonChild, appendJsonMember, deleteJsonChild, formatJsonValue } from './jsonc-members.js';
import { applyTextEdits, detectLineEnd, detectUnit, getLineIndent, getTextPosition } from './text-edits.js';

const MAX_DEPTH = 200;

/**
 * JSON with comments and trailing commas. The parser is `jsonc-parser`; its `modify` is not used, because it moves the
 * comment after the last member to the member that it adds.
 */
export const jsoncFormat: ConfigFormat = {
  editsEntries: true,
  // The objects of the parser have no prototype, so they differ from all others.
  parse: text => (text.trim() === '' ? {} : JSON.parse(JSON.stringify(getNodeValue(parseRoot(text))))),
  setMember(text, path, key, value) {
    if (text.trim() === '') return `${formatJsonValue(nestValue([...path, key], value), '', '  ', '\n')}\n`;
    const { object, rest } = findObject(text, path);
    const [name = key, ...inner] = [...rest, key];
    const nested = nestValue(inner, value);
    const member = findMember(text, object, name);
    if (member === undefined) return appendJsonMember(text, object, name, nested);
    const node = member.children?.[1] as Node;
    const layout = formatJsonValue(nested, getLineIndent(text, member.offset), detectUnit(text), detectLineEnd(text));
    return applyTextEdits(text, [{ start: node.offset, end: node.offset + node.length, text: layout }]);
  },
  removeMember(text, path, key) {
    const { object, rest } = findObject(text, path);
    const member = rest.length > 0 ? undefined : findMember(text, object, key);
    return member === undefined ? text : deleteJsonChild(text, object, member);
  },
  appendItem(text, path, value) {
    const list = findList(text, path);
    if (list !== undefined) return appendJsonChild(text, list, '', value);
    return jsoncFormat.setMember(text, path.slice(0, -1), path.at(-1) ?? '', [value]);
  },
  removeItem(text, path, index) {
    const list = findList(text, path);
    const item = list?.children?.[index];
    return list === undefined || item === undefined ? text : deleteJsonChild(text, list, item);
  },
};

function findList(text: string, path: readonly string[]): Node | undefined {
  const { object, rest } = findObject(text, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const value = rest.length > 0 ? undefined : findMember(text, object, key)?.children?.[1];
  if (value === undefined || value.type === 'array') return value;
  throw new ConfigTextError(`"${key}" is not a list`, getTextPosition(text, value.offset));
}

function nestValue(keys: readonly string[], value: unknown): unknown {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function parseRoot(text: string): Node {
  checkDepth(text);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) throw new ConfigTextError(describeParseError(error), getTextPosition(text, error.offset));
  if (root?.type !== 'object') {
    throw new ConfigTextError('the file does not contain an object', getTextPosition(text, root?.offset ?? 0));
  }
  return root;
}

/** Brackets, and the strings and comments in which they mean nothing. */
const BRACKET = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[[\]{}]/g;

/** The parser calls itself for each level. */
function checkDepth(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(BRACKET)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > MAX_DEPTH) throw new ConfigTextError(`the file has more than ${MAX_DEPTH} levels`);
  }
}

/** `PropertyNameExpected` becomes `property name expected`. */
function describeParseError({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
}

/** Finds the innermost object of a path that exists, and the keys that are missing. */
function findObject(text: string, path: readonly string[]): { object: Node; rest: readonly string[] } {
  let object = parseRoot(text);
  for (const [index, key] of path.entries()) {
    const member = findMember(text, object, key);
    if (member === undefined) return { object, rest: path.slice(index) };
    const value = member.children?.[1] as Node;
    if (value.type !== 'object') {
      throw new ConfigTextError(`"${key}" is not an object`, getTextPosition(text, value.offset));
    }
    object = value;
  }
  return { object, rest: [] };
}

function findMember(text: string, object: Node, key: string): Node | undefined {
  const [member, second] = (object.children ?? []).filter(each => each.children?.[0]?.value === key);
  if (second) throw new ConfigTextError(`the key "${key}" occurs twice`, getTextPosition(text, second.offset));
  return member;
}
