import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type ConfigFormat, ConfigTextError } from './config-format.js';
import { appendJsonMember, deleteJsonMember, formatJsonValue } from './jsonc-members.js';
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
    return member === undefined ? text : deleteJsonMember(text, object, member);
  },
};

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

/** The parser calls itself for each level. */
function checkDepth(text: string): void {
  let depth = 0;
  for (const [character] of text.matchAll(/[[\]{}]/g)) {
    depth += character === '{' || character === '[' ? 1 : -1;
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
