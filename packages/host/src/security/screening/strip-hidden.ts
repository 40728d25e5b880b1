import type { HiddenKind } from './finding.js';
import type { StepCounter } from './scan-steps.js';
import { findHidden } from './text/hidden-text.js';

/** Characters that break a line. */
const LINE_BREAKS = new Set(['\r', '\v', '\f', '\x85', '\u2028', '\u2029']);

/** Removes invisible characters of the given kinds. Returns the same string if it has none. Line breaks are kept. */
export function stripHidden(text: string, kinds: readonly HiddenKind[], meter?: StepCounter): string {
  // Removing a character can create another suspicious sequence, so the check is repeated.
  const once = removeHidden(text, kinds, meter);
  return once === text ? text : removeHidden(once, kinds, meter);
}

function removeHidden(text: string, kinds: readonly HiddenKind[], meter?: StepCounter): string {
  const parts: string[] = [];
  let done = 0;
  findHidden(
    text,
    ({ kind, severity, at, length }) => {
      if (severity !== 'strip' || !kinds.includes(kind)) return;
      parts.push(text.slice(done, at), getReplacement(text, at, length));
      done = at + length;
    },
    meter,
  );
  return done === 0 ? text : parts.join('') + text.slice(done);
}

function getReplacement(text: string, at: number, length: number): string {
  if (length !== 1) return '';
  if (LINE_BREAKS.has(text[at]!)) return '\n';
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : '';
}
