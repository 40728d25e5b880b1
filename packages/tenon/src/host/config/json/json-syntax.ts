import { type JsonTokenFault, type JsonTokenKind, readToken } from './json-token.js';

/** The reason why a text cannot be parsed. */
export type SyntaxFaultKind =
  | JsonTokenFault
  | 'ValueExpected'
  | 'PropertyNameExpected'
  | 'ColonExpected'
  | 'CommaExpected'
  | 'CloseBraceExpected'
  | 'CloseBracketExpected'
  | 'EndOfFileExpected'
  | 'InvalidCommentToken'
  | 'TooDeep'
  | 'TooMany';

export interface SyntaxFault {
  readonly fault: SyntaxFaultKind;
  readonly offset: number;
}

export interface SyntaxLimits {
  /** Maximum depth of objects and arrays. */
  readonly maxDepth: number;
  /** Maximum number of values. Default: as many as fit in. */
  readonly maxValues?: number;
  /** Comments, and commas after the last member, are allowed. */
  readonly lenient?: boolean;
}

/** Callbacks of the parser. */
export interface SyntaxVisitor {
  readonly onComment?: (start: number, end: number) => void;
  readonly onObjectStart?: () => void;
  readonly onObjectEnd?: () => void;
  /** The name of a member, as it is written: with its quotes and escapes. */
  readonly onName?: (written: string, offset: number) => void;
}

/**
 * The first thing that is wrong with a text of JSON. Goes through it once, token by token, and keeps nothing but what is
 * open: neither depth nor length can exhaust the stack or the memory.
 */
export function findSyntaxFault(
  text: string,
  syntax: SyntaxLimits,
  visitor: SyntaxVisitor = {},
): SyntaxFault | undefined {
  const { maxDepth, maxValues = Number.POSITIVE_INFINITY, lenient = false } = syntax;
  const open: OpeningBracket[] = [];
  let values = 0;
  let state: SyntaxState = 'value';
  for (let from = 0; ; ) {
    const { kind, start, end, fault } = readToken(text, from);
    from = end;
    if (kind === 'comment' && !lenient) return { fault: 'InvalidCommentToken', offset: start };
    if (fault) return { fault, offset: start };
    if (kind === 'comment') {
      visitor.onComment?.(start, end);
      continue;
    }
    const next = advanceState(state, kind, open.at(-1), lenient);
    if (typeof next !== 'string') return { fault: next.fault, offset: start };
    if (kind === 'end') return undefined;
    if (next === 'colon') visitor.onName?.(text.slice(start, end), start);
    else if (isValue(kind) && ++values > maxValues) return { fault: 'TooMany', offset: start };
    if (isOpening(kind) && open.push(kind) > maxDepth) return { fault: 'TooDeep', offset: start };
    if (kind === '{') visitor.onObjectStart?.();
    if (isClosing(kind) && open.pop() === '{') visitor.onObjectEnd?.();
    state = next;
  }
}

type OpeningBracket = '{' | '[';

/** State of the parser: the expected token. */
type SyntaxState = 'value' | 'first item' | 'next item' | 'first name' | 'next name' | 'colon' | 'end of value';

type SyntaxStep = SyntaxState | { readonly fault: SyntaxFaultKind };

const isOpening = (kind: JsonTokenKind): kind is OpeningBracket => kind === '{' || kind === '[';
const isClosing = (kind: JsonTokenKind): boolean => kind === '}' || kind === ']';
const isValue = (kind: JsonTokenKind): boolean => isOpening(kind) || kind === 'string' || kind === 'scalar';

function advanceState(
  state: SyntaxState,
  kind: JsonTokenKind,
  within: OpeningBracket | undefined,
  lenient: boolean,
): SyntaxStep {
  switch (state) {
    case 'value':
      return readValue(kind);
    case 'first item':
      if (kind === 'end') return { fault: 'CloseBracketExpected' };
      return kind === ']' ? 'end of value' : readValue(kind);
    case 'next item':
      return kind === ']' && lenient ? 'end of value' : readValue(kind);
    case 'first name':
      if (kind === 'end') return { fault: 'CloseBraceExpected' };
      if (kind === ',') return { fault: 'ValueExpected' };
      return kind === '}' ? 'end of value' : readName(kind);
    case 'next name':
      return kind === '}' && lenient ? 'end of value' : readName(kind);
    case 'colon':
      return kind === ':' ? 'value' : { fault: 'ColonExpected' };
    case 'end of value':
      return readValueEnd(kind, within);
  }
}

function readValue(kind: JsonTokenKind): SyntaxStep {
  if (kind === '{') return 'first name';
  if (kind === '[') return 'first item';
  return isValue(kind) ? 'end of value' : { fault: 'ValueExpected' };
}

const readName = (kind: JsonTokenKind): SyntaxStep => (kind === 'string' ? 'colon' : { fault: 'PropertyNameExpected' });

function readValueEnd(kind: JsonTokenKind, within: OpeningBracket | undefined): SyntaxStep {
  if (!within) return kind === 'end' ? 'end of value' : { fault: 'EndOfFileExpected' };
  const inObject = within === '{';
  if (kind === ',') return inObject ? 'next name' : 'next item';
  if (kind === (inObject ? '}' : ']')) return 'end of value';
  if (kind !== 'end') return { fault: 'CommaExpected' };
  return { fault: inObject ? 'CloseBraceExpected' : 'CloseBracketExpected' };
}
