import type { HiddenKind } from './finding.js';
import { eachHidden } from './hidden.js';

/** What breaks a line, where it stands alone. */
const breaks = new Set(['\r', '\v', '\f', '\x85', '\u2028', '\u2029']);

/** The text without its hidden characters of some kinds; the same string when it has none. Line breaks stay breaks. */
export function strip(text: string, kinds: readonly HiddenKind[]): string {
  // What is taken out can bring two marks together that were harmless apart.
  const once = stripped(text, kinds);
  return once === text ? text : stripped(once, kinds);
}

function stripped(text: string, kinds: readonly HiddenKind[]): string {
  const parts: string[] = [];
  let done = 0;
  eachHidden(text, ({ kind, severity, at, length }) => {
    if (severity !== 'strip' || !kinds.includes(kind)) return;
    parts.push(text.slice(done, at), insteadOf(text, at, length));
    done = at + length;
  });
  return done === 0 ? text : parts.join('') + text.slice(done);
}

function insteadOf(text: string, at: number, length: number): string {
  if (length !== 1) return '';
  if (breaks.has(text[at]!)) return '\n';
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : '';
}
