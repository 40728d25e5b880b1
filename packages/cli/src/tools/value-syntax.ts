import { createUsageError } from '../usage-error.js';
import { requireExactIntegers } from './exact-integers.js';

/** Call in the form of a function: `tool(a: 1, b: "x")` or `tool(1, "x")`. */
export interface CallExpression {
  readonly name: string;
  /** Values without a name, in the order of the parameters. */
  readonly positional: readonly unknown[];
  readonly named: Readonly<Record<string, unknown>>;
}

/** Maximum depth of lists and objects. */
const MAX_DEPTH = 50;

/** Parses a call in the form of a function. Returns `undefined` for a text without parentheses at its end. */
export function parseCallExpression(text: string): CallExpression | undefined {
  const [, name, inner] = /^([^\s(]+)\s*\(([\s\S]*)\)\s*$/.exec(text) ?? [];
  if (name === undefined || inner === undefined) return undefined;
  return { name, ...new ValueParser(inner, text).parseArguments() };
}

/** Parses values in JavaScript syntax: JSON, single quotes, keys without quotes, and trailing commas. */
class ValueParser {
  readonly #text: string;
  readonly #whole: string;
  #at = 0;

  constructor(text: string, whole: string) {
    this.#text = text;
    this.#whole = whole;
  }

  parseArguments(): Omit<CallExpression, 'name'> {
    const positional: unknown[] = [];
    const named: [string, unknown][] = [];
    while (!this.#isAtEnd()) {
      const key = this.#readKey();
      if (key !== undefined) named.push([key, this.#readValue(0)]);
      else if (named.length > 0) throw this.#createError('a name before the value');
      else positional.push(this.#readValue(0));
      if (!this.#isAtEnd()) this.#expect(',');
    }
    return { positional, named: Object.fromEntries(named) };
  }

  /** Parses `key:`. Returns `undefined` if a value follows instead. */
  #readKey(): string | undefined {
    this.#skipSpace();
    const [whole, bare, quoted] =
      /^(?:([A-Za-z_$][\w$.-]*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))\s*:/.exec(this.#text.slice(this.#at)) ?? [];
    if (whole === undefined) return undefined;
    this.#at += whole.length;
    return bare ?? decodeQuoted(quoted ?? '');
  }

  #readValue(depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#createError(`at most ${MAX_DEPTH} levels`);
    this.#skipSpace();
    const next = this.#text[this.#at];
    if (next === '[') return this.#readList(depth);
    if (next === '{') return this.#readObject(depth);
    const [token] = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-+\w.]+)/.exec(this.#text.slice(this.#at)) ?? [];
    if (token === undefined) throw this.#createError('a value');
    const value = this.#decodeToken(token);
    this.#at += token.length;
    return value;
  }

  #decodeToken(token: string): unknown {
    if (/^["']/.test(token)) return decodeQuoted(token);
    requireExactIntegers(this.#whole.slice(0, 80), token);
    try {
      return JSON.parse(token);
    } catch {
      throw this.#createError('a number, true, false, null, or a text in quotes');
    }
  }

  #readList(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at += 1;
    while (!this.#take(']')) {
      items.push(this.#readValue(depth + 1));
      if (!this.#isNext(']')) this.#expect(',');
    }
    return items;
  }

  #readObject(depth: number): Record<string, unknown> {
    const entries: [string, unknown][] = [];
    this.#at += 1;
    while (!this.#take('}')) {
      const key = this.#readKey();
      if (key === undefined) throw this.#createError('a key with a colon');
      entries.push([key, this.#readValue(depth + 1)]);
      if (!this.#isNext('}')) this.#expect(',');
    }
    return Object.fromEntries(entries);
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #isAtEnd(): boolean {
    this.#skipSpace();
    return this.#at >= this.#text.length;
  }

  #isNext(character: string): boolean {
    this.#skipSpace();
    return this.#text[this.#at] === character;
  }

  #take(character: string): boolean {
    const isThere = this.#isNext(character);
    if (isThere) this.#at += 1;
    return isThere;
  }

  #expect(character: string): void {
    if (!this.#take(character)) throw this.#createError(`"${character}"`);
  }

  #createError(expected: string): Error {
    const received = this.#text.slice(this.#at, this.#at + 20);
    const summary = `${this.#whole}: expected ${expected}, got ${received === '' ? 'the end' : `"${received}"`}`;
    return createUsageError(summary, `write a call such as 'tool(count: 1, title: "x")'`);
  }
}

/** Decodes a text in double or single quotes. */
function decodeQuoted(quoted: string): string {
  const inner = quoted.slice(1, -1);
  const json = quoted.startsWith('"') ? quoted : `"${inner.replace(/\\'/g, "'").replace(/(?<!\\)"/g, '\\"')}"`;
  try {
    return JSON.parse(json.replaceAll('\n', '\\n').replaceAll('\t', '\\t')) as string;
  } catch {
    return inner;
  }
}
