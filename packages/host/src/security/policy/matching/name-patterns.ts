import type { Globs } from './glob.js';
import { matchGlob } from './glob.js';
import { countMatchSteps, deriveOnce, isAscii, STEPS_OF_NORMALIZING, STEPS_OF_SCAN } from './match-work.js';

/** Normalizes the case of letters and compatibility characters: `DROP`, `drop` and `\uff24rop` become equal. */
export const foldCase = deriveOnce(STEPS_OF_SCAN, text => {
  if (isAscii(text)) return text.toLowerCase();
  countMatchSteps(text.length * STEPS_OF_NORMALIZING);
  // Upper case first, because two lower-case letters may have the same upper case, such as `\u0131` and `i`.
  return text.normalize('NFKC').toUpperCase().toLowerCase();
});

/** Patterns of names. `exact` if they have no wildcards and are case-sensitive. */
export interface NamePatterns {
  readonly patterns: readonly string[];
  readonly exact: boolean;
}

export function listPatterns(globs: Globs): NamePatterns {
  const exact = typeof globs === 'object' && 'exact' in globs;
  return { patterns: exact ? [globs.exact].flat() : [globs as string | readonly string[]].flat(), exact };
}

/**
 * Compiles patterns of names.
 *
 * @param certain True to compare case-sensitively, as required for `allow`.
 */
export function compileNames(globs: Globs, certain: boolean): (name: string) => boolean {
  const { patterns, exact } = listPatterns(globs);
  if (exact)
    return name => {
      countMatchSteps(patterns.length);
      return patterns.includes(name);
    };
  if (certain) return name => patterns.some(pattern => matchGlob(pattern, name));
  const folded = patterns.map(foldCase);
  return name => {
    const small = foldCase(name);
    return (
      folded.some(pattern => matchGlob(pattern, small, true)) ||
      patterns.some(pattern => matchGlob(pattern, name, true))
    );
  };
}
