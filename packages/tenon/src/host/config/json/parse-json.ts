import { printParseErrorCode, visit } from 'jsonc-parser';

/** Place in a text. */
export interface TextPosition {
  /** In UTF-16 units, from 0. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
}

/** First fault of a text: `TooDeep`, `TooMany`, or a name of `jsonc-parser` such as `ColonExpected`. */
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
}

/** A value of a text, and the place where it begins. */
export type JsonTree = ObjectTree | ArrayTree | ScalarTree;

/** A member of an object, and the place of its name. */
export interface JsonMember extends TextPosition {
  readonly name: string;
  readonly value: JsonTree;
}

export interface SyntaxLimits {
  /** Maximum depth of objects and arrays. The parser is recursive: 1,000 fits on the stack. */
  readonly maxDepth: number;
  /** Maximum number of values. Default: unlimited. */
  readonly maxValues?: number;
  /** Allows comments, and a comma after the last member. Default false. */
  readonly lenient?: boolean;
}

/** Parses JSON into a tree that keeps all members, also those that share a name. Returns the first fault, if there is one. */
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
        onLiteralValue: (value, ...place) => void add({ kind: 'scalar', ...toPosition(place), value }),
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

/** Ends parsing: the parser would continue after a fault. */
class FaultSignal extends Error {
  readonly fault: SyntaxFault;

  constructor(fault: string, { offset, line, column }: TextPosition) {
    super(fault);
    this.fault = { fault, offset, line, column };
  }
}

/** Returns the plain value of a tree. Of members that share a name it has the last. */
export function toValue(tree: JsonTree): unknown {
  if (tree.kind === 'scalar') return tree.value;
  if (tree.kind === 'array') return tree.items.map(toValue);
  return Object.fromEntries(tree.members.map(({ name, value }) => [name, toValue(value)]));
}
