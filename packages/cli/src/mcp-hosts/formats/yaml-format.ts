import { escapeYaml, hasYamlEscapes } from '@tenon/base/writers';
import {
  Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { type ConfigFormat, ConfigTextError } from './config-format.js';
import {
  applyTextEdits,
  createInsertion,
  createNearestFinder,
  detectLineEnd,
  findContentEnd,
  findLineEnd,
  findLineStart,
  getLineIndent,
  getTextPosition,
} from './text-edits.js';

/**
 * YAML with servers in the block style. The library parses the text; the text itself is changed, because the library
 * wraps lines and changes the indentation of all others.
 */
export const yamlFormat: ConfigFormat = {
  editsEntries: false,
  parse(text) {
    const document = parse(text);
    keepIntegerTexts(document);
    return document.toJS() ?? {};
  },
  createLineFinder(text) {
    const document = parse(text);
    return createNearestFinder(path => {
      const node = document.getIn(path, true);
      return isNode(node) && node.range ? getTextPosition(text, node.range[0]).line : undefined;
    });
  },
  createTextFinder(text) {
    const document = parse(text);
    const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : node);
    return path => {
      let node: unknown = document.contents;
      for (const key of path) {
        const collection = resolve(node);
        node = isCollection(collection) ? collection.get(key, true) : undefined;
      }
      const scalar = resolve(node);
      return isScalar(scalar) ? scalar.source : undefined;
    };
  },
  setMember: (text, path, key, value) => setChild(text, path, { [key]: value }, key),
  removeMember(text, path, key) {
    const section = findSection(text, path);
    if (!isMap(section?.value)) return text;
    const pair = section.value.items.find(each => getKey(each) === key);
    return pair === undefined ? text : removeChild(text, section, pair);
  },
  appendItem: (text, path, value) => setChild(text, path, [value], undefined),
  removeItem(text, path, index) {
    const section = findSection(text, path);
    const item = isSeq(section?.value) ? section.value.items[index] : undefined;
    return section === undefined || item === undefined ? text : removeChild(text, section, item as Node);
  },
};

type Child = Pair | Node;

function parse(text: string): Document.Parsed {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    const position = error.linePos?.[0];
    const [described = 'invalid YAML'] = error.message.split(/ at line \d+/);
    const message = error.code === 'MULTIPLE_DOCS' ? 'the file has several YAML documents' : described;
    throw new ConfigTextError(message, position && { line: position.line, column: position.col });
  }
  return document;
}

/** Replaces integers that a number cannot represent by their texts, which is what variables of a server need. */
function keepIntegerTexts(document: Document): void {
  visit(document, {
    Scalar(_, { source, value }) {
      const isInteger = source !== undefined && /^[-+]?\d+$/.test(source) && Number.isInteger(value);
      return isInteger && !Number.isSafeInteger(value) ? new Scalar(source) : undefined;
    },
  });
}

/** Finds the member of the root with the servers. */
function findSection(text: string, path: readonly string[]): Pair | undefined {
  const { contents } = parse(text);
  if (contents === null || (isScalar(contents) && contents.value === null)) return undefined;
  if (!isMap(contents) || contents.flow) {
    throw new ConfigTextError('the file does not contain a map in block style', getTextPosition(text, 0));
  }
  const [key] = path;
  return contents.items.find(each => getKey(each) === key);
}

const getKey = (pair: Pair): unknown => (isScalar(pair.key) ? pair.key.value : pair.key);

/** Adds a member or an item to a section, or replaces the member. `content` is a collection with that child only. */
function setChild(text: string, path: readonly string[], content: object, key: string | undefined): string {
  const [sectionKey = ''] = path;
  const lineEnd = detectLineEnd(text);
  const section = findSection(text, path);
  if (section === undefined) {
    const block = formatYaml({ [sectionKey]: content }, '', lineEnd);
    const end = findContentEnd(text);
    return end === 0 ? `${text}${block}${lineEnd}` : applyTextEdits(text, [{ start: end, end, text: lineEnd + block }]);
  }
  const { value } = section;
  if (isEmptyNode(value)) {
    const { start, end } = getValueRange(text, section);
    const block = formatYaml(content, '  ', lineEnd);
    return applyTextEdits(text, [{ start, end, text: '' }, createInsertion(findLineEnd(text, end), lineEnd + block)]);
  }
  const items = getItems(text, sectionKey, value as Node, key === undefined);
  const existing = items.find(each => isPair(each) && getKey(each) === key);
  const indent = getLineIndent(text, getStart(items[0] as Child));
  const block = formatYaml(content, indent, lineEnd);
  if (existing !== undefined) {
    const start = findLineStart(text, getStart(existing));
    return applyTextEdits(text, [{ start, end: getChildEnd(text, existing), text: block }]);
  }
  const end = getChildEnd(text, items.at(-1) as Child);
  return applyTextEdits(text, [createInsertion(end, lineEnd + block)]);
}

function formatYaml(value: unknown, indent: string, lineEnd: string): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && hasYamlEscapes(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0, doubleQuotedAsJSON: true }))
    .trimEnd()
    .split('\n')
    .map(line => (line === '' ? line : indent + line))
    .join(lineEnd);
}

const isEmptyNode = (value: unknown): boolean =>
  value === null || (isScalar(value) && value.value === null) || (isCollection(value) && value.items.length === 0);

function getItems(text: string, key: string, value: Node, isList: boolean): readonly Child[] {
  const position = getTextPosition(text, value.range?.[0] ?? 0);
  const collection: YAMLMap | YAMLSeq | undefined = (isList ? isSeq(value) : isMap(value))
    ? (value as YAMLMap | YAMLSeq)
    : undefined;
  if (collection === undefined) throw new ConfigTextError(`"${key}" is not a ${isList ? 'list' : 'map'}`, position);
  if (collection.flow)
    throw new ConfigTextError(`"${key}" is in one line: write its servers in lines of their own`, position);
  return collection.items as readonly Child[];
}

function getStart(child: Child): number {
  const node = isPair(child) ? (child.key as Node) : child;
  return node.range?.[0] ?? 0;
}

/** Returns the end of the line with the last value of a child. */
function getChildEnd(text: string, child: Child): number {
  return findLineEnd(text, findContentEnd(text, getLeafEnd(child)));
}

function getLeafEnd(child: Child): number {
  if (isPair(child)) {
    const value = child.value as Node | null;
    const isMissing = value === null || (isScalar(value) && value.value === null && value.source === '');
    return isMissing ? getLeafEnd(child.key as Node) + 1 : getLeafEnd(value);
  }
  const last = isCollection(child) && !child.flow ? child.items.at(-1) : undefined;
  return last === undefined ? (child.range?.[1] ?? 0) : getLeafEnd(last as Child);
}

/** Range of an empty value, from the colon to its end. */
function getValueRange(text: string, { key, value }: Pair): { start: number; end: number } {
  const start = text.indexOf(':', (key as Node).range?.[1] ?? 0) + 1;
  const range = (value as Node | null)?.range;
  return { start, end: isCollection(value) && range ? range[1] : start };
}

function removeChild(text: string, section: Pair, child: Child): string {
  const line = findLineStart(text, getStart(child));
  const end = getChildEnd(text, child);
  const start = line - (/\r?\n$/.exec(text.slice(0, line))?.[0].length ?? 0);
  const isSole = (section.value as YAMLMap | YAMLSeq).items.length === 1;
  const colon = text.indexOf(':', (section.key as Node).range?.[1] ?? 0) + 1;
  const empty = isSole ? [createInsertion(colon, isSeq(section.value) ? ' []' : ' {}')] : [];
  return applyTextEdits(text, [...empty, { start, end, text: '' }]);
}
