import { isIntroducer, readEscape } from './escape-sequences.js';

/**
 * Characters that people cannot see but models or terminals interpret. The first class that contains a character is its
 * class. The classes overlap, because most tags, variation selectors and direction marks are also default ignorable in
 * Unicode.
 */
const HIDDEN_CLASSES = {
  /** Includes lone surrogates, line separators, and the carriage return, because it overwrites its line. */
  control: String.raw`\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\p{Cs}`,
  tag: String.raw`\u{e0000}-\u{e007f}`,
  variation: String.raw`\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180d\u180f`,
  bidi: String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f`,
  invisible: String.raw`\p{DI}\ufff9-\ufffb\u2800\p{Noncharacter_Code_Point}`,
  'private-use': String.raw`\p{Co}`,
} as const;

/** A class of characters that text for people does not need. Some are legitimate next to certain letters and emoji. */
export type HiddenClass = keyof typeof HIDDEN_CLASSES;

/**
 * Other characters that a one-line quotation cannot contain: line breaks, spaces other than the plain one, and the rest
 * of Unicode class C.
 */
const LINE_CLASSES = String.raw`\t\n\p{Z}\p{C}`;

const hiddenSource = Object.values(HIDDEN_CLASSES).join('');
/** Characters that emoji and many scripts need. */
const JOINING = /\u200c|\u200d|[\ufe00-\ufe0f]/;

// Patterns are created on first use, because the tables of Unicode take a millisecond to read.
let classPatterns: readonly (readonly [HiddenClass, RegExp])[] | undefined;
let invisible: RegExp | undefined;
let invisibleRun: RegExp | undefined;

function getInvisible(): RegExp {
  invisible ??= new RegExp(`(?! )[${hiddenSource}${LINE_CLASSES}]`, 'gu');
  return invisible;
}

/**
 * Creates a regular expression that finds the characters of the hidden classes. It does not match tabs, line feeds or
 * spaces.
 */
export const createHiddenSearch = (): RegExp => new RegExp(`[${hiddenSource}]`, 'gu');

/** Returns the hidden class of a character, or `undefined` for a visible one. */
export function classifyHidden(code: number): HiddenClass | undefined {
  if (code >= 0x20 && code < 0x7f) return undefined;
  const character = String.fromCodePoint(code);
  classPatterns ??= Object.entries(HIDDEN_CLASSES).map(
    ([name, source]) => [name as HiddenClass, new RegExp(`[${source}]`, 'u')] as const,
  );
  return classPatterns.find(([, pattern]) => pattern.test(character))?.[0];
}

/** Checks if a text contains a character that is invisible on one line. */
export function hasInvisible(text: string): boolean {
  return text.search(getInvisible()) !== -1;
}

/** Escapes each character that is invisible on one line or changes the order of other characters: `\u{202E}`. */
export function escapeInvisible(text: string): string {
  return text.replace(getInvisible(), escapeCharacter);
}

/**
 * Escapes the hidden characters of a message of several lines, as `escapeForTerminal` does, without its tables of scripts:
 * joiners and variation selectors stay.
 */
export function escapeHidden(text: string): string {
  return /^[\t\n -~“”…]*$/.test(text)
    ? text
    : text.replace(createHiddenSearch(), each => (JOINING.test(each) ? each : escapeCharacter(each)));
}

/** Escapes invisible characters of a JSON text as `\u202e`, so that the JSON value stays the same. */
export function escapeInvisibleJson(json: string): string {
  return json.replace(getInvisible(), escapeJsonCharacter);
}

/** Replaces each run of invisible characters with `replacement`. */
export function replaceInvisible(text: string, replacement: string): string {
  invisibleRun ??= new RegExp(`(?:${getInvisible().source})+`, 'gu');
  return text.replace(invisibleRun, replacement);
}

/** Removes invisible characters and terminal escape sequences. Tabs and other spaces become plain spaces. */
export function stripInvisible(line: string): string {
  return stripEscapes(line).replace(getInvisible(), character => (/[\t\p{Zs}]/u.test(character) ? ' ' : ''));
}

/** Returns the beginning of a text on one line, with invisible characters escaped and `…` where it was cut. */
export function createExcerpt(text: string, maxLength = 200): string {
  return escapeInvisible(text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);
}

/** Escapes a character as `\u{202E}`. */
export function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`;
}

/** Escapes each UTF-16 unit of a character as `\u202e`. */
export function escapeJsonCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }).join('');
}

function stripEscapes(text: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const { index } of text.matchAll(/[\x1b\x80-\x9f]/g)) {
    if (index < done || !isIntroducer(text.charCodeAt(index))) continue;
    parts.push(text.slice(done, index));
    done = index + readEscape(text, index).length;
  }
  return done === 0 ? text : parts.join('') + text.slice(done);
}
