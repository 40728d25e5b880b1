import { defang } from './defang.js';
import { isLookalikeName, spellLookalikes } from './text/lookalikes.js';
import { MAX_GAP_LINES, MAX_GAP_WIDTH } from './text/whitespace-gaps.js';
import { toVisibleText } from './visible-text.js';

export interface SanitizeOptions {
  /** Keep line breaks and tabs. Default false: one line. */
  readonly lines?: boolean | undefined;
  /** The most characters to return (UTF-16 units). Default 4,000. */
  readonly max?: number | undefined;
}

const MAX_SHOWN_TEXT = 4000;
const MAX_SHOWN_NAME = 128;

/** A text of this many times what may be shown is cut before it is looked at. */
const READ_AHEAD_FACTOR = 16;
const MAX_ROUNDS = 4;

/**
 * Makes a server's text safe to show in a terminal or as plain text. Removes control sequences, spells invisible
 * characters out (`\u{202E}`), and turns links, images and markup into plain text with their domain. Idempotent.
 */
export function sanitizeText(text: string, options: SanitizeOptions = {}): string {
  const max = Math.max(1, options.max ?? MAX_SHOWN_TEXT);
  let shown =
    text.length > max * READ_AHEAD_FACTOR ? `${trimCutSequence(text.slice(0, max * READ_AHEAD_FACTOR))}…` : text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = truncateText(formatLines(defang(toVisibleText(shown)), options.lines === true), max);
    if (next === shown) return next;
    shown = next;
  }
  return shown;
}

/** Makes a name safe to show: one line, at most 128 characters, never empty. Lookalike letters are spelled out. */
export function sanitizeName(name: string): string {
  const shown = sanitizeText(name, { max: MAX_SHOWN_NAME });
  if (!isLookalikeName(shown)) return shown || '‹no name›';
  return sanitizeText(spellLookalikes(shown), { max: MAX_SHOWN_NAME });
}

function formatLines(text: string, lines: boolean): string {
  if (!lines) return removeGaps(text.replace(/[\t\n ]+/g, ' ')).trim();
  return removeGaps(
    text.replace(/\n(?:[^\S\n]*\n)+/g, run => {
      const count = run.split('\n').length - 1;
      return count >= MAX_GAP_LINES ? `\n‹${count} lines›\n` : run;
    }),
  );
}

function removeGaps(text: string): string {
  return text.replace(/[^\S\n]+/g, run => (run.length >= MAX_GAP_WIDTH ? ` ‹${run.length} spaces› ` : run));
}

function truncateText(text: string, max: number): string {
  return text.length <= max ? text : `${trimCutSequence(text.slice(0, max - 1))}…`;
}

/** Without what the cut left of a sequence: a half character, or the beginning of an emoji or of a mark's carrier. */
function trimCutSequence(text: string): string {
  return text.replace(/(?:[\ud800-\udbff]|[\p{DI}\p{M}])$/u, '');
}
