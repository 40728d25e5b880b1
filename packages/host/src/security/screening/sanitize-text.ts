import { checkString, requireArgument, requireKnownOptions } from '@tenon/base';
import { defang } from './defang.js';
import { isLookalikeName, spellLookalikes } from './text/lookalikes.js';
import { MAX_GAP_LINES, MAX_GAP_WIDTH } from './text/whitespace-gaps.js';
import { toVisibleText } from './visible-text.js';

export interface SanitizeOptions {
  /**
   * Keeps line breaks and tabs. With `false`, the result is one line.
   * @default `false`
   */
  readonly lines?: boolean | undefined;
  /**
   * Maximum number of characters to return, in UTF-16 units.
   * @default 4,000
   */
  readonly max?: number | undefined;
}

const MAX_SHOWN_TEXT = 4000;
const MAX_SHOWN_NAME = 128;

/** Factor on the maximum length. A longer text is cut before it is processed. */
const READ_AHEAD_FACTOR = 16;
const MAX_ROUNDS = 4;

/**
 * Makes a server's text safe to display in a terminal or as plain text. Removes control sequences, and replaces
 * invisible characters with escapes (`\u{202E}`). Converts links, images and markup to plain text with their domain.
 *
 * Sanitizing the result again does not change it.
 */
export function sanitizeText(text: string, options: SanitizeOptions = {}): string {
  requireKnownOptions('sanitizeText', options, { lines: true, max: true });
  requireArgument('`text` of sanitizeText', text, checkString);
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

/**
 * Makes a name safe to display: one line, at most 128 characters, never empty. Lookalike letters are replaced with
 * escapes.
 */
export function sanitizeName(name: string): string {
  requireArgument('`name` of sanitizeName', name, checkString);
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

/**
 * Removes an incomplete sequence at the end of a cut text: half a surrogate pair, or the beginning of an emoji or
 * combining sequence.
 */
function trimCutSequence(text: string): string {
  return text.replace(/(?:[\ud800-\udbff]|[\p{DI}\p{M}])$/u, '');
}
