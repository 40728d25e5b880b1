import {
  createTextContext,
  getFlagLength,
  isLegitimate,
  isLegitimateSelector,
  type TextContext,
} from '../character-context.js';
import { isIntroducer, readEscape } from '../escape-sequences.js';
import { classifyHidden, createHiddenSearch, escapeCharacter, escapeInvisible } from '../invisible-characters.js';

/** Texts without a character that needs an escape. Most texts match. */
const PLAIN = /^[\t\n -~]*$/;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Makes a text safe for a terminal or a file that people read. Removes terminal sequences, and writes each control
 * character, direction control, tag and other invisible character as an escape: `\u{202E}`. Line feeds and tabs stay, and so
 * do the characters that emoji and some scripts need.
 */
export function escapeForTerminal(text: string): string {
  if (PLAIN.test(text)) return text;
  const search = createHiddenSearch();
  const setting = createTextContext(text);
  const parts: string[] = [];
  let done = 0;
  for (let found = search.exec(text); found !== null; found = search.exec(text)) {
    const { length, shown } = replaceHidden(text, found.index, setting);
    parts.push(text.slice(done, found.index), shown);
    done = found.index + length;
    search.lastIndex = done;
  }
  return parts.join('') + text.slice(done);
}

/** Makes a text safe for one line of a log. Line breaks, tabs and all invisible characters become escapes. */
export function escapeForLog(text: string): string {
  return PLAIN.test(text) && !/[\t\n]/.test(text) ? text : escapeInvisible(text);
}

interface Replacement {
  /** Number of UTF-16 units that are replaced. */
  readonly length: number;
  readonly shown: string;
}

function replaceHidden(text: string, at: number, setting: TextContext): Replacement {
  const code = text.codePointAt(at) ?? 0;
  const character = String.fromCodePoint(code);
  const flag = getFlagLength(text, at);
  if (flag > 0) return { length: flag, shown: text.slice(at, at + flag) };
  if (isIntroducer(code)) {
    const { length } = readEscape(text, at);
    if (length > 1) return { length, shown: '' };
  }
  if (text.startsWith('\r\n', at)) return { length: 2, shown: '\n' };
  const isNeeded =
    code !== BYTE_ORDER_MARK &&
    (classifyHidden(code) === 'variation'
      ? isLegitimateSelector(text, at, code)
      : isLegitimate(text, at, code, setting));
  return { length: character.length, shown: isNeeded ? character : escapeCharacter(character) };
}
