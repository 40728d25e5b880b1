import { eachHidden, type Hidden, hasHidden } from './hidden.js';
import { hostShown } from './target.js';

/** Turns what nobody sees into what everybody sees. Terminal sequences go: they are nothing to read. */

/** A run of more characters than this is counted, not spelled. */
const mostSpelled = 3;
const mostCarried = 120;
/** More marks than any script stacks on one letter. */
const mostMarks = 8;

export function visible(text: string): string {
  const shown = rewritten(text);
  // What was taken out may have been what kept two harmless things apart; then nothing is taken for harmless.
  return hasHidden(shown) ? spelled(shown) : shown;
}

function rewritten(text: string): string {
  const parts: string[] = [];
  let done = 0;
  eachHidden(text, hidden => {
    parts.push(text.slice(done, hidden.at), insteadOf(text, hidden));
    done = hidden.at + hidden.length;
  });
  const whole = done === 0 ? text : parts.join('') + text.slice(done);
  return unstacked(unmarked(whole).replace(/\r\n/g, '\n'));
}

function insteadOf(text: string, hidden: Hidden): string {
  const code = text.charCodeAt(hidden.at);
  if (hidden.kind === 'ansi') return escapeShown(hidden, code);
  if (hidden.kind === 'control') return controlShown(code);
  if (hidden.carries !== undefined) return `‹hidden: ${hidden.carries.slice(0, mostCarried)}›`;
  if (hidden.count > mostSpelled) return `‹${hidden.count} hidden characters›`;
  return [...text.slice(hidden.at, hidden.at + hidden.length)].map(spelling).join('');
}

function escapeShown(hidden: Hidden, code: number): string {
  if (hidden.clipboard) return '‹writes to the clipboard›';
  if (hidden.link !== undefined) return `‹link to ${hostShown(hidden.link)}› `;
  if (hidden.length > 1) return '';
  return code === 0x1b ? '␛' : spelling(String.fromCharCode(code));
}

function controlShown(code: number): string {
  if ((code >= 0x0b && code <= 0x0d) || code === 0x85 || code === 0x2028 || code === 0x2029) return '\n';
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  if (code === 0x7f) return '␡';
  return code < 0xa0 ? spelling(String.fromCharCode(code)) : '\ufffd';
}

const spelling = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`;

/** A byte order mark says nothing to a reader. */
const unmarked = (text: string): string => (text.startsWith('\ufeff') ? text.slice(1) : text);

export const stackedMarks = /(?:(?!\p{DI})\p{M}){9,}/gu;

function unstacked(text: string): string {
  return text.replace(stackedMarks, marks => [...marks].slice(0, mostMarks).join(''));
}

const anyHidden =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u2800\ufff9-\ufffb\p{DI}\p{Co}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

const spelled = (text: string): string =>
  unstacked(text.replace(anyHidden, each => (/^\p{Cs}/u.test(each) ? '\ufffd' : spelling(each))));
