/** Kind of a token: punctuation, a scalar value, or no JSON. */
export type JsonTokenKind = '{' | '}' | '[' | ']' | ',' | ':' | 'string' | 'scalar' | 'comment' | 'unknown' | 'end';

/** Errors within a token. */
export type JsonTokenFault =
  | 'InvalidSymbol'
  | 'InvalidUnicode'
  | 'InvalidEscapeCharacter'
  | 'InvalidCharacter'
  | 'UnexpectedEndOfString'
  | 'UnexpectedEndOfNumber'
  | 'UnexpectedEndOfComment';

export interface JsonToken {
  readonly kind: JsonTokenKind;
  readonly start: number;
  readonly end: number;
  readonly fault: JsonTokenFault | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const LINE_COMMENT = /[^\r\n]*/y;
const HEX = /[\da-f]{0,4}/iy;
const WORD = /[^ \t\r\n{}[\]":,/]+/y;
const SCALARS: ReadonlySet<string> = new Set(['true', 'false', 'null']);

/** The next token at or after `from`, white space left out. */
export function readToken(text: string, from: number): JsonToken {
  let start = from;
  while (isSpace(text.charCodeAt(start))) start += 1;
  const first = text[start];
  switch (first) {
    case undefined:
      return { kind: 'end', start, end: start, fault: undefined };
    case '{':
    case '}':
    case '[':
    case ']':
    case ',':
    case ':':
      return { kind: first, start, end: start + 1, fault: undefined };
    case '"':
      return readString(text, start);
    case '/':
      return readComment(text, start);
    default:
      return readNumber(text, start) ?? readWord(text, start);
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

function findEnd(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}

/** By character: an expression would keep a place to come back to for each escape of a long text. */
function readString(text: string, start: number): JsonToken {
  const kind = 'string';
  let fault: JsonTokenFault | undefined;
  let at = start + 1;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return { kind, start, end: at + 1, fault };
    if (code === BACKSLASH) {
      const escaped = text[at + 1] ?? '';
      at += 2;
      if (escaped === 'u') {
        const end = findEnd(HEX, text, at);
        if (end < at + 4) fault = 'InvalidUnicode';
        at = end;
      } else if (!'"\\/bfnrt'.includes(escaped)) fault = 'InvalidEscapeCharacter';
    } else {
      if (code === 0x0a || code === 0x0d) break;
      if (code < 0x20) fault = 'InvalidCharacter';
      at += 1;
    }
  }
  return { kind, start, end: Math.min(at, text.length), fault: 'UnexpectedEndOfString' };
}

function readComment(text: string, start: number): JsonToken {
  const kind = 'comment';
  if (text[start + 1] === '/') return { kind, start, end: findEnd(LINE_COMMENT, text, start), fault: undefined };
  if (text[start + 1] !== '*') return { kind: 'unknown', start, end: start + 1, fault: 'InvalidSymbol' };
  const close = text.indexOf('*/', start + 2);
  if (close < 0) return { kind, start, end: text.length, fault: 'UnexpectedEndOfComment' };
  return { kind, start, end: close + 2, fault: undefined };
}

function readNumber(text: string, start: number): JsonToken | undefined {
  const minus = text.charCodeAt(start) === MINUS ? 1 : 0;
  let end = start + minus;
  if (!isDigit(text.charCodeAt(end))) return undefined;
  end = text.charCodeAt(end) === ZERO ? end + 1 : skipDigits(text, end);
  let whole = true;
  if (text[end] === '.') {
    const digits = end + 1;
    end = skipDigits(text, digits);
    whole = end > digits;
  }
  if (whole && (text[end] === 'e' || text[end] === 'E')) {
    const sign = text[end + 1];
    const digits = end + (sign === '+' || sign === '-' ? 2 : 1);
    end = skipDigits(text, digits);
    whole = end > digits;
  }
  return { kind: 'scalar', start, end, fault: whole ? undefined : 'UnexpectedEndOfNumber' };
}

const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39;

function skipDigits(text: string, from: number): number {
  let end = from;
  while (isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

function readWord(text: string, start: number): JsonToken {
  const end = findEnd(WORD, text, start);
  if (SCALARS.has(text.slice(start, end))) return { kind: 'scalar', start, end, fault: undefined };
  return { kind: 'unknown', start, end, fault: 'InvalidSymbol' };
}
