import { parseJsonText } from '@tenon/base';
import type { JsonCut, JsonPart } from '@tenon/console/api';

/** Maximum number of members of one list or object in a part. */
const MAX_MEMBERS = 100;
/** Maximum number of members below all members of a part. */
const MAX_ALL_MEMBERS = 3000;
/** Maximum number of members below one member of a part, so that the first one does not take the place of the others. */
const MAX_MEMBERS_BELOW = 1000;
/** Maximum length of one text in a part. */
const MAX_TEXT = 20_000;
/** Maximum length of all texts in a part. */
const MAX_ALL_TEXT = 200_000;
/** Maximum length of a name in a part. */
const MAX_NAME = 500;
/** Maximum number of members or characters that a page can request. */
const MAX_SIZE = 1_000_000;

/** Place of a part in a JSON value. */
export interface PartPlace {
  /** Positions of the members that lead to the list, the object or the text. */
  readonly path: readonly number[];
  /** First member or character. */
  readonly from: number;
  /** Maximum number of members or characters. Default: 100 or 20,000. */
  readonly size?: number | undefined;
}

/**
 * Returns a part of a JSON text, which must not contain spaces between values. A value of megabytes is never parsed: only
 * the part is.
 */
export function readJsonPart(text: string, { path, from, size }: PartPlace = { path: [], from: 0 }): JsonPart {
  let at = 0;
  for (const position of path) at = findMember(text, at, position);
  return new PartWriter(text, path).write(at, from, size === undefined ? undefined : Math.min(size, MAX_SIZE));
}

/** Returns the JSON text of a member of an object. `undefined`: the object has none of that name. */
export function sliceMember(text: string, name: string): string | undefined {
  const written = `${JSON.stringify(name)}:`;
  let at = 1;
  while (at < text.length && text[at] !== '}') {
    const value = skipText(text, at) + 1;
    const end = skipValue(text, value);
    if (text.startsWith(written, at)) return text.slice(value, end);
    at = end + 1;
  }
  return undefined;
}

/** Reads the place of a part from the query of a request. */
export function readPartPlace(query: URLSearchParams): PartPlace {
  const path = query.get('path') ?? '';
  const size = Number(query.get('size'));
  return {
    path: path === '' ? [] : path.split(',').map(Number),
    from: Math.max(0, Number(query.get('from')) || 0),
    ...(size > 0 ? { size } : {}),
  };
}

/** Returns the beginning of a text without half of a surrogate pair. */
export function sliceText(text: string, from: number, end: number): string {
  const last = text.charCodeAt(end - 1);
  return text.slice(from, end < text.length && end - from > 1 && last >= 0xd800 && last <= 0xdbff ? end - 1 : end);
}

/** Writes a value as JSON, cut where it is long. */
class PartWriter {
  readonly #text: string;
  readonly #path: readonly number[];
  readonly #cuts: JsonCut[] = [];
  readonly #out: string[] = [];
  #members = MAX_ALL_MEMBERS;
  /** Number of members that may follow below the current member of the part. */
  #membersBelow = 0;
  #characters = MAX_ALL_TEXT;

  constructor(text: string, path: readonly number[]) {
    this.#text = text;
    this.#path = path;
  }

  write(at: number, from: number, size: number | undefined): JsonPart {
    if (size !== undefined) this.#characters = Math.max(this.#characters, size);
    this.#copy(at, this.#path, from, size);
    return { value: parseJsonText(this.#out.join('')), cuts: this.#cuts };
  }

  /** Copies the value at a position, and returns the position after it. */
  #copy(at: number, path: readonly number[], from = 0, size?: number): number {
    const first = this.#text[at];
    if (first === '"') return this.#copyText(at, path, from, size ?? MAX_TEXT);
    if (first === '{' || first === '[') return this.#copyMembers(at, path, from, size ?? MAX_MEMBERS);
    const end = skipValue(this.#text, at);
    this.#out.push(this.#text.slice(at, end));
    return end;
  }

  #copyText(at: number, path: readonly number[], from: number, size: number): number {
    const end = skipText(this.#text, at);
    const max = Math.min(size, this.#characters);
    const encoded = this.#text.slice(at, end);
    if (from === 0 && encoded.length - 2 <= max) {
      this.#characters -= encoded.length;
      this.#out.push(encoded);
      return end;
    }
    const decoded = String(JSON.parse(encoded));
    const shown = sliceText(decoded, from, from + max);
    this.#characters = Math.max(0, this.#characters - shown.length);
    this.#out.push(JSON.stringify(shown));
    if (from + shown.length < decoded.length)
      this.#cuts.push({ path, shown: from + shown.length, total: decoded.length });
    return end;
  }

  #copyMembers(start: number, path: readonly number[], from: number, size: number): number {
    const text = this.#text;
    const isObject = text[start] === '{';
    this.#out.push(isObject ? '{' : '[');
    let [at, position, copied] = [start + 1, 0, 0];
    const isRoot = path.length === this.#path.length;
    while (text[at] !== '}' && text[at] !== ']') {
      const isCopied = position >= from && copied < size && (isRoot || this.#membersBelow > 0);
      const value = isObject ? skipText(text, at) + 1 : at;
      if (isCopied) {
        if (copied > 0) this.#out.push(',');
        if (isObject) this.#out.push(cutName(text.slice(at, value - 1), position), ':');
        copied += 1;
        if (isRoot) this.#membersBelow = Math.min(MAX_MEMBERS_BELOW, this.#members);
        else {
          this.#members -= 1;
          this.#membersBelow -= 1;
        }
        at = this.#copy(value, [...path, position]);
      } else at = skipValue(text, value);
      position += 1;
      if (text[at] === ',') at += 1;
    }
    this.#out.push(isObject ? '}' : ']');
    if (from + copied < position) this.#cuts.push({ path, shown: from + copied, total: position });
    return at + 1;
  }
}

/** Cuts a name. Its position keeps two names with the same beginning apart. */
function cutName(encoded: string, position: number): string {
  if (encoded.length <= MAX_NAME) return encoded;
  const name = sliceText(String(JSON.parse(encoded)), 0, MAX_NAME);
  return JSON.stringify(`${name}… #${position}`);
}

/** Returns the position of a member of the object or list at a position. */
function findMember(text: string, start: number, wanted: number): number {
  const isObject = text[start] === '{';
  if (!isObject && text[start] !== '[') return start;
  let [at, position] = [start + 1, 0];
  while (text[at] !== '}' && text[at] !== ']' && at < text.length) {
    const value = isObject ? skipText(text, at) + 1 : at;
    if (position === wanted) return value;
    position += 1;
    at = skipValue(text, value);
    if (text[at] === ',') at += 1;
  }
  return start;
}

/** Returns the position after a JSON string. */
function skipText(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = at;
    while (text[slashes - 1] === '\\') slashes -= 1;
    if ((at - slashes) % 2 === 0) return at + 1;
  }
  return text.length;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/** Returns the position after a JSON value. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = skipText(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (OPENING.has(code)) depth += 1;
    else if (CLOSING.has(code)) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (code === COMMA && depth === 0) return at;
    at += 1;
  }
  return at;
}
