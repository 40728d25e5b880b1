import { type TokenFault, type TokenKind, tokenAt } from './token.js';

/** Why a text can not be read. */
export type FaultName =
  | TokenFault
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
  readonly fault: FaultName;
  readonly offset: number;
}

export interface Syntax {
  /** How deep objects and arrays may lie in each other. */
  readonly maxDepth: number;
  /** How many values there may be. Default: as many as fit in. */
  readonly maxValues?: number;
  /** Comments, and commas after the last member, are allowed. */
  readonly lenient?: boolean;
}

/** What is told on the way. */
export interface Visitor {
  readonly comment?: (start: number, end: number) => void;
  readonly beginObject?: () => void;
  readonly endObject?: () => void;
  /** The name of a member, as it is written: with its quotes and escapes. */
  readonly name?: (written: string, offset: number) => void;
}

/**
 * The first thing that is wrong with a text of JSON. Goes through it once, token by token, and keeps nothing but what is
 * open: neither depth nor length can exhaust the stack or the memory.
 */
export function firstFault(text: string, syntax: Syntax, visitor: Visitor = {}): SyntaxFault | undefined {
  const { maxDepth, maxValues = Number.POSITIVE_INFINITY, lenient = false } = syntax;
  const open: Opening[] = [];
  let values = 0;
  let state: State = 'value';
  for (let from = 0; ; ) {
    const { kind, start, end, fault } = tokenAt(text, from);
    from = end;
    if (kind === 'comment' && !lenient) return { fault: 'InvalidCommentToken', offset: start };
    if (fault) return { fault, offset: start };
    if (kind === 'comment') {
      visitor.comment?.(start, end);
      continue;
    }
    const next = step(state, kind, open.at(-1), lenient);
    if (typeof next !== 'string') return { fault: next.fault, offset: start };
    if (kind === 'end') return undefined;
    if (next === 'colon') visitor.name?.(text.slice(start, end), start);
    else if (isValue(kind) && ++values > maxValues) return { fault: 'TooMany', offset: start };
    if (isOpening(kind) && open.push(kind) > maxDepth) return { fault: 'TooDeep', offset: start };
    if (kind === '{') visitor.beginObject?.();
    if (isClosing(kind) && open.pop() === '{') visitor.endObject?.();
    state = next;
  }
}

type Opening = '{' | '[';

/** What is awaited. */
type State = 'value' | 'first item' | 'next item' | 'first name' | 'next name' | 'colon' | 'end of value';

type Step = State | { readonly fault: FaultName };

const isOpening = (kind: TokenKind): kind is Opening => kind === '{' || kind === '[';
const isClosing = (kind: TokenKind): boolean => kind === '}' || kind === ']';
const isValue = (kind: TokenKind): boolean => isOpening(kind) || kind === 'string' || kind === 'scalar';

function step(state: State, kind: TokenKind, within: Opening | undefined, lenient: boolean): Step {
  switch (state) {
    case 'value':
      return afterValue(kind);
    case 'first item':
      if (kind === 'end') return { fault: 'CloseBracketExpected' };
      return kind === ']' ? 'end of value' : afterValue(kind);
    case 'next item':
      return kind === ']' && lenient ? 'end of value' : afterValue(kind);
    case 'first name':
      if (kind === 'end') return { fault: 'CloseBraceExpected' };
      if (kind === ',') return { fault: 'ValueExpected' };
      return kind === '}' ? 'end of value' : afterName(kind);
    case 'next name':
      return kind === '}' && lenient ? 'end of value' : afterName(kind);
    case 'colon':
      return kind === ':' ? 'value' : { fault: 'ColonExpected' };
    case 'end of value':
      return afterEnd(kind, within);
  }
}

function afterValue(kind: TokenKind): Step {
  if (kind === '{') return 'first name';
  if (kind === '[') return 'first item';
  return isValue(kind) ? 'end of value' : { fault: 'ValueExpected' };
}

const afterName = (kind: TokenKind): Step => (kind === 'string' ? 'colon' : { fault: 'PropertyNameExpected' });

function afterEnd(kind: TokenKind, within: Opening | undefined): Step {
  if (!within) return kind === 'end' ? 'end of value' : { fault: 'EndOfFileExpected' };
  const inObject = within === '{';
  if (kind === ',') return inObject ? 'next name' : 'next item';
  if (kind === (inObject ? '}' : ']')) return 'end of value';
  if (kind !== 'end') return { fault: 'CommaExpected' };
  return { fault: inObject ? 'CloseBraceExpected' : 'CloseBracketExpected' };
}
