import { createHiddenSearch, escapeCharacter } from '@tenon/base';
import { formatHost } from './markup/link-target.js';
import { findHidden, type HiddenText, hasHidden } from './text/hidden-text.js';

/**
 * Functions that make invisible characters visible. Terminal sequences are removed, because they have no readable
 * content.
 */

/** Maximum number of characters in a row that are written as escapes. A longer sequence is counted instead. */
const MAX_SPELLED = 3;
const MAX_CARRIED = 120;
/** Maximum number of combining marks on one letter. No script needs more. */
const MAX_MARKS = 8;

export function toVisibleText(text: string): string {
  const shown = rewriteHidden(text);
  // A removed character may have separated harmless ones, so the result is checked again without exceptions.
  return hasHidden(shown) ? spellHidden(shown) : shown;
}

function rewriteHidden(text: string): string {
  const parts: string[] = [];
  let done = 0;
  findHidden(text, hidden => {
    parts.push(text.slice(done, hidden.at), getReplacement(text, hidden));
    done = hidden.at + hidden.length;
  });
  const visible = done === 0 ? text : parts.join('') + text.slice(done);
  return removeStackedMarks(removeByteOrderMark(visible).replace(/\r\n/g, '\n'));
}

function getReplacement(text: string, hidden: HiddenText): string {
  const code = text.charCodeAt(hidden.at);
  if (hidden.kind === 'ansi') return formatEscape(hidden, code);
  if (hidden.kind === 'control') return formatControl(code);
  if (hidden.carries !== undefined) return `‹hidden: ${hidden.carries.slice(0, MAX_CARRIED)}›`;
  if (hidden.count > MAX_SPELLED) return `‹${hidden.count} hidden characters›`;
  return [...text.slice(hidden.at, hidden.at + hidden.length)].map(escapeCharacter).join('');
}

function formatEscape(hidden: HiddenText, code: number): string {
  if (hidden.clipboard) return '‹writes to the clipboard›';
  if (hidden.link !== undefined) return `‹link to ${formatHost(hidden.link)}› `;
  if (hidden.length > 1) return '';
  return code === 0x1b ? '␛' : escapeCharacter(String.fromCharCode(code));
}

function formatControl(code: number): string {
  if ((code >= 0x0b && code <= 0x0d) || code === 0x85 || code === 0x2028 || code === 0x2029) return '\n';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return code < 0xa0 ? escapeCharacter(String.fromCharCode(code)) : '\ufffd';
}

/** Removes a byte order mark, which has no content. */
const removeByteOrderMark = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

export const STACKED_MARKS = /(?:(?!\p{DI})\p{M}){9,}/gu;

function removeStackedMarks(text: string): string {
  return text.replace(STACKED_MARKS, marks => [...marks].slice(0, MAX_MARKS).join(''));
}

const spellHidden = (text: string): string =>
  removeStackedMarks(
    text.replace(createHiddenSearch(), each => (/^\p{Cs}/u.test(each) ? '\ufffd' : escapeCharacter(each))),
  );
