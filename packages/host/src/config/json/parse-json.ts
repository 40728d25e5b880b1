import { printParseErrorCode, visit } from 'jsonc-parser';

/** Position in a text. */
export interface TextPosition {
  /** Offset in UTF-16 units. The first one is 0. */
  readonly offset: number;
  /** Line number. The first line is 1. */
  readonly line: number;
  /** Column number. The first column is 1. */
  readonly column: number;
}

/** First syntax error of a text: `TooDeep`, `TooMany`, or a name of `jsonc-parser` such as `ColonExpected`. */
export interface SyntaxFault extends TextPosition {
  readonly fault: string;
}

interface ObjectTree extends TextPosition {
  readonly kind: 'object';
  readonly members: JsonMember[];
}

interface ArrayTree extends TextPosition {
  readonly kind: 'array';
  readonly items: JsonTree[];
}

interface ScalarTree extends TextPosition {
  readonly kind: 'scalar';
  readonly value: string | number | boolean | null;
  /** Text of a number that JavaScript would write differently, such as `1.0` or `9007199254740993`. */
  readonly text?: string;
}

/** Parsed value with its position. */
export type JsonTree = ObjectTree | ArrayTree | ScalarTree;

/** Member of an object, with the position of its name. */
export interface JsonMember extends TextPosition {
  readonly name: string;
  readonly value: JsonTree;
}

export interface SyntaxLimits {
  /** Maximum depth of objects and arrays. The parser is recursive, and 1,000 levels fit on the stack. */
  readonly maxDepth: number;
  /**
   * Maximum number of values.
   * @default no limit
   */
  readonly maxValues?: number;
  /**
   * Allows comments and trailing commas.
   * @default `false`
   */
  readonly lenient?: boolean;
}

/**
 * Parses JSON into a tree that keeps all members, including those with a repeated name. Returns the first syntax error,
 * if there is one.
 */
export function parseJsonTree(text: string, limits: SyntaxLimits): JsonTree | SyntaxFault {
  const { maxDepth, maxValues = Number.POSITIVE_INFINITY, lenient = false } = limits;
  const open: (ObjectTree | ArrayTree)[] = [];
  let name: Omit<JsonMember, 'value'> | undefined;
  let root: JsonTree | undefined;
  let values = 0;
  const add = <Tree extends JsonTree>(tree: Tree): Tree => {
    if (++values > maxValues) throw new FaultSignal('TooMany', tree);
    const parent = open.at(-1);
    if (parent?.kind === 'array') parent.items.push(tree);
    else if (parent && name) parent.members.push({ ...name, value: tree });
    else root = tree;
    return tree;
  };
  const enter = (tree: ObjectTree | ArrayTree) => {
    if (open.push(add(tree)) > maxDepth) throw new FaultSignal('TooDeep', tree);
  };
  const close = () => void open.pop();
  try {
    visit(
      text,
      {
        onObjectBegin: (...place) => enter({ kind: 'object', ...toPosition(place), members: [] }),
        onObjectProperty: (text, ...place) => {
          name = { name: text, ...toPosition(place) };
        },
        onObjectEnd: close,
        onArrayBegin: (...place) => enter({ kind: 'array', ...toPosition(place), items: [] }),
        onArrayEnd: close,
        onLiteralValue(value, ...place) {
          const [offset, length] = place;
          const literal = typeof value === 'number' ? text.slice(offset, offset + length) : undefined;
          const written = literal === undefined || literal === String(value) ? {} : { text: literal };
          add({ kind: 'scalar', ...toPosition(place), value, ...written });
        },
        onError: (error, ...place) => {
          throw new FaultSignal(printParseErrorCode(error), toPosition(place));
        },
      },
      { disallowComments: !lenient, allowTrailingComma: lenient },
    );
  } catch (error) {
    if (error instanceof FaultSignal) return error.fault;
    throw error;
  }
  return root as JsonTree;
}

const toPosition = ([offset, , line, column]: readonly [
  number,
  number,
  number,
  number,
  ...unknown[],
]): TextPosition => ({
  offset,
  line: line + 1,
  column: column + 1,
});

/** Stops the parser at the first syntax error. It would otherwise continue. */
class FaultSignal extends Error {
  readonly fault: SyntaxFault;

  constructor(fault: string, { offset, line, column }: TextPosition) {
    super(fault);
    this.fault = { fault, offset, line, column };
  }
}

/** Converts a tree to a plain value. The last member with a repeated name is used. */
export function toValue(tree: JsonTree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'array') return tree.items.map(toValue);
  return Object.fromEntries(tree.members.map(({ name, value }) => [name, toValue(value)]));
}
