import type { ValueNode } from '@humanwhocodes/momoa';
import { nameOf, offsetOf, treeOf } from '../json/tree.js';

/** How large the text of a configuration may be, in characters. `~/.claude.json` keeps much else in its file. */
export const MAX_CONFIG_SIZE = 8 * 2 ** 20;
/** How deep its objects and arrays may lie in each other. */
const MAX_CONFIG_DEPTH = 100;
/** How many values it may have: what is kept of each while it is read is far more than its text. */
const MAX_CONFIG_VALUES = 2 ** 20;

export type Path = readonly (string | number)[];
export type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null' | 'other';

/** A value of a configuration, and where it stands. */
export interface Spot {
  readonly path: Path;
  /** From 1; undefined for what stands in no text. */
  readonly line: number | undefined;
  readonly kind: Kind;
  /** Of a text, a number or a truth value; undefined for all else. */
  readonly value: unknown;
  /** Of an object, by name. Of those that share a name this has the last. */
  readonly members: ReadonlyMap<string, Spot>;
  /** The members whose name came before. */
  readonly repeated: readonly Spot[];
  readonly items: readonly Spot[];
}

/** Why a text is no configuration. */
export interface TextFault {
  readonly code: 'config/syntax' | 'config/too-large';
  readonly line: number;
  readonly summary: string;
}

/** Reads JSON, with comments and trailing commas. A text with a fault is not read by half. */
export function documentOf(text: string): Spot | TextFault {
  if (text.length > MAX_CONFIG_SIZE)
    return { code: 'config/too-large', line: 1, summary: `a configuration has at most ${MAX_CONFIG_SIZE} characters` };
  const lines = lineCounter(text);
  const bounds = { maxDepth: MAX_CONFIG_DEPTH, maxValues: MAX_CONFIG_VALUES };
  const root = treeOf(text, bounds);
  if (!('fault' in root)) return nodeSpot(root, [], lines(offsetOf(root)), lines);
  const line = lines(root.offset);
  const tooLarge = TOO_LARGE.get(root.fault);
  if (tooLarge !== undefined) return { code: 'config/too-large', line, summary: tooLarge };
  return { code: 'config/syntax', line, summary: `this is no JSON: ${words(root.fault)}` };
}

const TOO_LARGE: ReadonlyMap<string, string> = new Map([
  ['TooDeep', `more than ${MAX_CONFIG_DEPTH} levels deep`],
  ['TooMany', `a configuration has at most ${MAX_CONFIG_VALUES} values`],
]);

const words = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();

/** Tells the line of an offset. */
function lineCounter(text: string): (offset: number) => number {
  const starts = [0];
  for (const found of text.matchAll(/\r\n?|\n/g)) starts.push(found.index + found[0].length);
  return offset => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

type Lines = (offset: number) => number;

function nodeSpot(node: ValueNode, path: Path, line: number, lines: Lines): Spot {
  return lazy(path, line, KINDS[node.type], 'value' in node ? node.value : undefined, {
    pairs: () =>
      (node.type === 'Object' ? node.members : []).map((member): [string, Spot] => {
        const name = nameOf(member);
        return [name, nodeSpot(member.value, [...path, name], lines(offsetOf(member)), lines)];
      }),
    items: () =>
      (node.type === 'Array' ? node.elements : []).map(({ value }, at) =>
        nodeSpot(value, [...path, at], lines(offsetOf(value)), lines),
      ),
  });
}

const KINDS: Readonly<Record<ValueNode['type'], Kind>> = {
  Object: 'object',
  Array: 'array',
  String: 'string',
  Number: 'number',
  Boolean: 'boolean',
  Null: 'null',
  NaN: 'other',
  Infinity: 'other',
};

/** A value of the program, as if it had been read. Members that are undefined are not there. */
export function spotOf(value: unknown, path: Path = []): Spot {
  const kind = kindOf(value);
  return lazy(path, undefined, kind, value, {
    pairs: () =>
      Object.entries(value as object).flatMap(([name, each]): [string, Spot][] =>
        each === undefined ? [] : [[name, spotOf(each, [...path, name])]],
      ),
    items: () => Array.from(value as unknown[], (each, at) => spotOf(each, [...path, at])),
  });
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'object' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'other';
}

interface Parts {
  readonly pairs: () => [string, Spot][];
  readonly items: () => Spot[];
}

const NO_MEMBERS: ReadonlyMap<string, Spot> = new Map();
const NO_SPOTS: readonly Spot[] = [];

/** Looks into a value only when asked: most of `~/.claude.json` is none of our business. */
function lazy(path: Path, line: number | undefined, kind: Kind, value: unknown, parts: Parts): Spot {
  let pairs: [string, Spot][] | undefined;
  const read = () => {
    pairs ??= kind === 'object' ? parts.pairs() : [];
    return pairs;
  };
  let members: ReadonlyMap<string, Spot> | undefined;
  let items: readonly Spot[] | undefined;
  return {
    path,
    line,
    kind,
    value: kind === 'object' || kind === 'array' || kind === 'null' ? undefined : value,
    get members() {
      members ??= kind === 'object' ? new Map(read()) : NO_MEMBERS;
      return members;
    },
    get repeated() {
      if (kind !== 'object') return NO_SPOTS;
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
