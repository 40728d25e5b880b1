import { integerKeeper, mayHaveLongNumber, NUMBER_TEXTS } from './json-text.js';

declare const crypto: { randomUUID(): string };

/** The beginning of a string, a number, or a mark of JSON syntax. */
const TOKEN = /"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[{}[\],:]/g;
const NUMBER = /^-?\d/;
const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]\+?(-?\d+))?$/;
/** A zero of any form. */
const ZERO = /^-?0(?:\.0+)?(?:[eE][-+]?\d+)?$/;

const getTexts = (container: object): Map<string, string> | undefined => Reflect.get(container, NUMBER_TEXTS);

/**
 * Tells if JSON would write another number after this one was read: one with more digits than a JavaScript number has,
 * one that is too large or too small, or a negative zero. `1.0` and `1` are the same number.
 */
function isInexact(token: string): boolean {
  const value = Number(token);
  return !Number.isFinite(value) || toDecimal(token).text !== toDecimal(JSON.stringify(value)).text;
}

/** Converts the text of a number to its sign, its digits without zeros at the ends, and the power of ten of the last digit. */
function toDecimal(token: string): { readonly text: string; readonly isInteger: boolean } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const power = significant === '' ? 0 : Number(exponent) - fraction.length + digits.length - significant.length;
  return { text: `${sign}${significant}e${power}`, isInteger: power >= 0 };
}

/**
 * Returns the first number in a JSON text that a program would change: an integer that a JavaScript number cannot
 * represent or that JSON would write with other digits, or a number that becomes infinite or zero. The last digits of a
 * long fraction are no reason to refuse it.
 */
export function findInexactInteger(text: string): string | undefined {
  for (const token of readTokens(text)) if (NUMBER.test(token) && isRefused(token)) return token;
  return undefined;
}

/** Describes a number that `findInexactInteger` has found, for the error of a program that cannot send it. */
export const describeInexactInteger = (integer: string): string => `${integer.slice(0, 40)} cannot be sent exactly`;

/** Reads strings, numbers and marks of syntax. An expression that matches a whole string overflows the stack on a long one. */
function* readTokens(text: string): Generator<string> {
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [token] = found;
    const end = token === '"' ? findStringEnd(text, found.index) : found.index + token.length;
    yield text.slice(found.index, end);
    pattern.lastIndex = end;
  }
}

/** Returns the position after a string, or the end of the text if the string does not end. */
function findStringEnd(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let first = quote;
    while (text[first - 1] === '\\') first -= 1;
    if ((quote - first) % 2 === 0) return quote + 1;
  }
  return text.length;
}

function isRefused(token: string): boolean {
  if (!isInexact(token) || ZERO.test(token)) return false;
  return toDecimal(token).isInteger || Number(token) === 0;
}

/**
 * Keeps the text of numbers that JSON would change when a message is passed on, so that they arrive unchanged. Programs
 * still read such a number as the nearest one of JavaScript.
 */
export function keepIntegers(): void {
  if (integerKeeper.mark) return;
  // A peer cannot write a text that looks like a kept integer, because it does not know this value.
  const mark = `kept:${crypto.randomUUID()}:`;
  const written = new RegExp(`"${mark}([^"]+)"`, 'g');
  integerKeeper.mark = markIntegers;
  integerKeeper.copy = copyTexts;
  integerKeeper.write = (value, indent) => {
    const restore = function (this: object, key: string, member: unknown): unknown {
      // A copy through JSON has `null` for an infinite number.
      const text = member === null || typeof member === 'number' ? getTexts(this)?.get(key) : undefined;
      return text !== undefined && toJsonNumber(text) === toJsonNumber(member) ? mark + text : member;
    };
    return JSON.stringify(value, restore, indent).replace(written, '$1');
  };
}

/** Serializes a value as JSON for a program, which gets a text in place of an integer that no number represents. */
export function stringifyForProgram(value: unknown): string {
  const quote = function (this: object, key: string, member: unknown): unknown {
    const text = typeof member === 'number' ? getTexts(this)?.get(key) : undefined;
    return text !== undefined && isRefused(text) ? text : member;
  };
  return JSON.stringify(value, integerKeeper.hasTexts ? quote : undefined);
}

/** Sets a member to the number with this text, and keeps the text if JSON would change the number. */
export function setInteger(container: object, key: string, text: string): void {
  Reflect.set(container, key, Number(text));
  if (isInexact(text)) keepText(container, key, text);
}

function keepText(container: object, key: string, text: string): void {
  integerKeeper.hasTexts = true;
  const texts = getTexts(container);
  if (texts === undefined) Reflect.set(container, NUMBER_TEXTS, new Map([[key, text]]));
  else texts.set(key, text);
  addShortText(Number(text));
}

function copyTexts(copy: object, original: object, key?: string, originalKey?: string): void {
  const texts = getTexts(original);
  const text = texts?.get(originalKey ?? '');
  if (key === undefined && texts !== undefined) Reflect.set(copy, NUMBER_TEXTS, texts);
  // The copy may share the texts of another object.
  else if (key !== undefined && text !== undefined)
    Reflect.set(copy, NUMBER_TEXTS, new Map([...(getTexts(copy) ?? []), [key, text]]));
}

function toJsonNumber(value: unknown): number | null {
  const number = Number(value ?? Number.NaN);
  return Number.isFinite(number) ? number : null;
}

/** Returns an integer in a value whose text is kept, because a number cannot represent it. */
export function findKeptInteger(value: unknown): string | undefined {
  if (!integerKeeper.hasTexts || typeof value !== 'object' || value === null) return undefined;
  const own = [...(getTexts(value)?.values() ?? [])].find(isRefused);
  if (own !== undefined) return own;
  for (const member of Object.values(value)) {
    const found = findKeptInteger(member);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** An open object or array of the text, with the key of its current member. */
interface OpenContainer {
  readonly value: unknown;
  readonly isArray: boolean;
  key: string;
  index: number;
}

/** Follows the text and the parsed value side by side. */
function markIntegers(root: unknown, text: string): void {
  const open: OpenContainer[] = [];
  let current: OpenContainer | undefined;
  let lastText = '';
  for (const token of readTokens(text)) {
    if (token === '{' || token === '[') {
      const value = current === undefined ? root : getMember(current);
      current = { value, isArray: token === '[', key: '', index: 0 };
      open.push(current);
    } else if (token === '}' || token === ']') {
      open.pop();
      current = open.at(-1);
    } else if (current === undefined) return;
    else if (token === ':') current.key = JSON.parse(lastText) as string;
    else if (token === ',') current.index += 1;
    else if (token.startsWith('"')) lastText = token;
    else if (isInexact(token)) keep(current, token);
  }
}

function getMember({ value, isArray, key, index }: OpenContainer): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as { [key: string]: unknown })[isArray ? index : key];
}

/** Maximum number of different texts in `shortTexts`. Beyond it, all values are serialized with their texts. */
const MAX_SHORT = 100;
/** JSON of the kept numbers that looks like that of any other. */
const shortTexts = new Set<string>();

/** Lets `stringifyJson` recognize a value that contains this number. */
function addShortText(value: number): void {
  const text = JSON.stringify(value);
  if (mayHaveLongNumber(text) || shortTexts.has(text) || shortTexts.size > MAX_SHORT) return;
  shortTexts.add(text);
  const texts = [...shortTexts].map(each => each.replace(/[.+]/g, '\\$&'));
  integerKeeper.short =
    shortTexts.size > MAX_SHORT ? /(?:)/ : new RegExp(`(?<![\\w.])(?:${texts.join('|')})(?![\\w.])`);
}

function keep(container: OpenContainer, text: string): void {
  const { value, isArray, key, index } = container;
  // If two members have the same name, the value has the last one.
  if (typeof value !== 'object' || value === null || getMember(container) !== Number(text)) return;
  keepText(value, isArray ? String(index) : key, text);
}
