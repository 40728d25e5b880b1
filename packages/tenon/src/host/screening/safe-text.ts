import { defang } from './defang.js';
import { tallestGap, widestGap } from './gaps.js';
import { isLookalikeName, lookalikesSpelled } from './lookalikes.js';
import { visible } from './visible.js';

export interface Showing {
  /** Keep line breaks and tabs. Default false: one line. */
  readonly lines?: boolean | undefined;
  /** The most characters to return (UTF-16 units). Default 4,000. */
  readonly max?: number | undefined;
}

const longestShownText = 4000;
const longestShownName = 128;

/** A text of this many times what may be shown is cut before it is looked at. */
const readAhead = 16;
const mostRounds = 4;

/**
 * What of a server's text may be shown to a person, in a terminal or as plain text on a page. Control sequences are
 * gone; characters that nobody would see are spelled (`\u{202E}`, ␀) or decoded; links, images and markup are plain
 * text with the domain that they lead to. Letters, emoji and marks of all scripts stay. Idempotent.
 */
export function safeText(text: string, showing: Showing = {}): string {
  const max = Math.max(1, showing.max ?? longestShownText);
  let shown = text.length > max * readAhead ? `${whole(text.slice(0, max * readAhead))}…` : text;
  for (let round = 0; round < mostRounds; round += 1) {
    const next = cut(laidOut(defang(visible(shown)), showing.lines === true), max);
    if (next === shown) return next;
    shown = next;
  }
  return shown;
}

/** A name, fit to be shown: one line, at most 128 characters, never empty. Letters that pass for others are spelled. */
export function safeName(name: string): string {
  const shown = safeText(name, { max: longestShownName });
  if (!isLookalikeName(shown)) return shown || '‹no name›';
  return safeText(lookalikesSpelled(shown), { max: longestShownName });
}

function laidOut(text: string, lines: boolean): string {
  if (!lines) return withoutGaps(text.replace(/[\t\n ]+/g, ' ')).trim();
  return withoutGaps(
    text.replace(/\n(?:[^\S\n]*\n)+/g, run => {
      const count = run.split('\n').length - 1;
      return count >= tallestGap ? `\n‹${count} lines›\n` : run;
    }),
  );
}

function withoutGaps(text: string): string {
  return text.replace(/[^\S\n]+/g, run => (run.length >= widestGap ? ` ‹${run.length} spaces› ` : run));
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${whole(text.slice(0, max - 1))}…`;
}

/** Without what the cut left of a sequence: a half character, or the beginning of an emoji or of a mark's carrier. */
function whole(text: string): string {
  return text.replace(/(?:[\ud800-\udbff]|[\p{DI}\p{M}])$/u, '');
}
