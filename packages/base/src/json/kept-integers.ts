import { integerKeeper } from './json-text.js';

declare const crypto: { randomUUID(): string };

/** A string, a number, or a mark of JSON syntax. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[{}[\],:]/g;
const NUMBER = /^-?\d/;

/** Texts of the integers in an object or an array, by their keys. */
const integerTexts = new WeakMap<object, Map<string, string>>();

/** Tells if JSON would change a number: an integer beyond the safe range, or a number that is too large. */
function isInexact(token: string): boolean {
  const value = Number(token);
  if (!Number.isFinite(value)) return true;
  return /^-?\d{16,}$/.test(token) && BigInt(token) !== BigInt(value);
}

/** Returns the first number in a JSON text that a JavaScript number cannot represent. */
export function findInexactInteger(text: string): string | undefined {
  return text.match(TOKEN)?.find(token => NUMBER.test(token) && isInexact(token));
}

/**
 * Keeps the text of integers that a number cannot represent when a message is passed on, so that they arrive unchanged.
 * Programs still read such an integer as the nearest number.
 */
export function keepIntegers(): void {
  if (integerKeeper.mark) return;
  // A peer cannot write a text that looks like a kept integer, because it does not know this value.
  const mark = `kept:${crypto.randomUUID()}:`;
  const written = new RegExp(`"${mark}([^"]+)"`, 'g');
  integerKeeper.mark = markIntegers;
  integerKeeper.copy = (from, to) => {
    const texts = integerTexts.get(from);
    if (texts !== undefined) integerTexts.set(to, texts);
  };
  integerKeeper.write = (value, indent) => {
    const restore = function (this: object, key: string, member: unknown): unknown {
      const text = typeof member === 'number' ? integerTexts.get(this)?.get(key) : undefined;
      return text !== undefined && Number(text) === member ? mark + text : member;
    };
    return JSON.stringify(value, restore, indent).replace(written, '$1');
  };
}

/** Returns an integer in a value whose text is kept, because a number cannot represent it. */
export function findKeptInteger(value: unknown): string | undefined {
  if (integerKeeper.mark === undefined || typeof value !== 'object' || value === null) return undefined;
  const own = integerTexts.get(value)?.values().next().value;
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
  for (const [token] of text.matchAll(TOKEN)) {
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

function keep(container: OpenContainer, text: string): void {
  const { value, isArray, key, index } = container;
  // If two members have the same name, the value has the last one.
  if (typeof value !== 'object' || value === null || getMember(container) !== Number(text)) return;
  const texts = integerTexts.get(value) ?? new Map<string, string>();
  integerTexts.set(value, texts.set(isArray ? String(index) : key, text));
}
