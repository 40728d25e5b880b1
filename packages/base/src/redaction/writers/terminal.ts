import { createTextContext, getNeededLength, type TextContext } from '../character-context.js';
import { isIntroducer, readEscape } from '../escape-sequences.js';
import { createHiddenSearch, escapeCharacter, escapeInvisible } from '../invisible-characters.js';

/** Texts without a character that needs an escape. Most texts match. */
const PLAIN = /^[\t\n -~]*$/;

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
  const needed = getNeededLength(text, at, setting);
  if (needed > 0) return { length: needed, shown: text.slice(at, at + needed) };
  const code = text.codePointAt(at) ?? 0;
  if (isIntroducer(code)) {
    const { length } = readEscape(text, at);
    if (length > 1) return { length, shown: '' };
  }
  if (text.startsWith('\r\n', at)) return { length: 2, shown: '\n' };
  const character = String.fromCodePoint(code);
  return { length: character.length, shown: escapeCharacter(character) };
}
