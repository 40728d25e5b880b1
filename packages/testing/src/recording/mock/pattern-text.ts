import type { Random } from './random.js';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
/** Characters of the classes that an escape names. */
const ESCAPED_CLASSES: Readonly<Record<string, string>> = { d: DIGITS, w: LETTERS, s: ' ' };
/** Characters that an escape names. `\b` matches between characters. */
const ESCAPED: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f', v: '\v', b: '' };
/** Characters for a class that excludes others. */
const VISIBLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(126 - index)).join('');
/** Maximum number of characters that are read for a pattern, with those of parts that are repeated. */
const MAX_STEPS = 10_000;

/**
 * Creates a text that matches a pattern of literals, classes, groups, alternatives and quantifiers. Returns `undefined` for
 * other patterns, such as those that look ahead, and if no text of the requested length is found.
 */
export function createMatchingText(
  pattern: string,
  random: Random,
  { min, max }: { readonly min: number; readonly max: number },
): string | undefined {
  try {
    const shortest = new PatternWriter(pattern, random, 0).write();
    const missing = Math.max(min, 1) - shortest.length;
    const text = missing > 0 ? new PatternWriter(pattern, random, missing).write() : shortest;
    // The pattern is not run: one of a peer may take years.
    return text.length >= min && text.length <= max ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a text while it reads the pattern. Each quantifier without a maximum repeats `more` times more than it must. */
class PatternWriter {
  #at = 0;
  #steps = 0;
  readonly #pattern: string;
  readonly #random: Random;
  #more: number;

  constructor(pattern: string, random: Random, more: number) {
    this.#pattern = pattern;
    this.#random = random;
    this.#more = more;
  }

  write(): string {
    const text = this.#writeAlternatives();
    if (this.#at < this.#pattern.length) throw new Error('a closing parenthesis too many');
    return text;
  }

  #writeAlternatives(): string {
    const texts = [this.#writeSequence()];
    while (this.#take('|')) texts.push(this.#writeSequence());
    return this.#pick(texts);
  }

  #writeSequence(): string {
    let text = '';
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? ''))
      text += this.#writeRepeated();
    return text;
  }

  /** Writes a part as often as its quantifier requests. The part is read again for each repetition, which may differ. */
  #writeRepeated(): string {
    const start = this.#at;
    const first = this.#writePart();
    const [found = '', quantifier = '', low = '', comma = '', high = ''] =
      /^([*+?]|\{(\d+)(,?)(\d*)\})?\??/.exec(this.#pattern.slice(this.#at)) ?? [];
    const end = this.#at + found.length;
    const least = quantifier === '' || quantifier === '+' ? 1 : Number(low || 0);
    const isOpen = /[*+]/.test(quantifier) || (comma !== '' && high === '');
    const most = isOpen ? Number.POSITIVE_INFINITY : Number(high || least);
    const count = Math.min(most, least + this.#more);
    this.#more -= count - least;
    let text = count > 0 ? first : '';
    for (let index = 1; index < count; index += 1) {
      this.#at = start;
      text += this.#writePart();
    }
    this.#at = end;
    return text;
  }

  #writePart(): string {
    const character = this.#readCharacter();
    switch (character) {
      case '^':
      case '$':
        return '';
      case '.':
        return this.#pick([...LETTERS]);
      case '\\':
        return this.#pick(this.#readEscape());
      case '[':
        return this.#pick(this.#readClass());
      case '(': {
        const [head = ''] = /^\?(?::|<\w+>|.)?/.exec(this.#pattern.slice(this.#at)) ?? [];
        if (!/^(?:\?:|\?<\w+>|)$/.test(head)) throw new Error('a group with a condition');
        this.#at += head.length;
        const text = this.#writeAlternatives();
        if (!this.#take(')')) throw new Error('a group without an end');
        return text;
      }
      default:
        return character;
    }
  }

  /** Reads the rest of an escape, and returns the characters that it matches. */
  #readEscape(): readonly string[] {
    const [found = '', unicode, hex = unicode] =
      /^(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|.)/su.exec(this.#pattern.slice(this.#at)) ?? [];
    this.#at += found.length;
    if (hex !== undefined) return [String.fromCharCode(Number.parseInt(hex, 16))];
    const named = ESCAPED_CLASSES[found];
    if (named !== undefined) return [...named];
    if (/^[DWSBpPkcu1-9]$/.test(found)) throw new Error('an escape that is not supported');
    return [ESCAPED[found] ?? found];
  }

  #readClass(): readonly string[] {
    const isExcluded = this.#take('^');
    const characters = new Set<string>();
    while (!this.#take(']')) {
      const first = this.#readClassCharacter();
      const [low = ''] = first;
      if (first.length === 1 && this.#pattern[this.#at] === '-' && this.#pattern[this.#at + 1] !== ']') {
        this.#at += 1;
        const [high = ''] = this.#readClassCharacter();
        const [from, to] = [low.codePointAt(0) ?? 0, high.codePointAt(0) ?? 0];
        for (let code = from; code <= Math.min(to, from + 256); code += 1) characters.add(String.fromCodePoint(code));
      } else for (const each of first) characters.add(each);
    }
    return isExcluded ? [...VISIBLE].filter(each => !characters.has(each)) : [...characters];
  }

  #readClassCharacter(): readonly string[] {
    const character = this.#readCharacter();
    return character === '\\' ? this.#readEscape() : [character];
  }

  #readCharacter(): string {
    const code = this.#pattern.codePointAt(this.#at);
    this.#steps += 1;
    if (code === undefined || this.#steps > MAX_STEPS) throw new Error('too long, or incomplete');
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #take(character: string): boolean {
    if (this.#pattern[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #pick(values: readonly string[]): string {
    const value = values[Math.floor(this.#random() * values.length)];
    if (value === undefined) throw new Error('a class without characters');
    return value;
  }
}
