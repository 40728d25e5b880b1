import type { Globs } from '../rules.js';
import { doesMatchGlob } from './glob.js';

/** Folds the case of letters, and characters that readers take for each other: `DROP`, `drop` and `\uff24rop` are one. */
export function foldCase(text: string): string {
  // To capitals first: two small letters may share one capital, as `\u0131` and `i` do.
  return text.normalize('NFKC').toUpperCase().toLowerCase();
}

/** The patterns of a list of names; `exact` when their letters stand for themselves, in this case only. */
export interface NamePatterns {
  readonly patterns: readonly string[];
  readonly exact: boolean;
}

export function listPatterns(globs: Globs): NamePatterns {
  const exact = typeof globs === 'object' && 'exact' in globs;
  return { patterns: exact ? [globs.exact].flat() : [globs as string | readonly string[]].flat(), exact };
}

/** Compiles patterns of names. `certain`: case counts, as it does for what is to be allowed. */
export function compileNames(globs: Globs, certain: boolean): (name: string) => boolean {
  const { patterns, exact } = listPatterns(globs);
  if (exact) return name => patterns.includes(name);
  if (certain) return name => patterns.some(pattern => doesMatchGlob(pattern, name));
  const folded = patterns.map(foldCase);
  return name => {
    const small = foldCase(name);
    return (
      folded.some(pattern => doesMatchGlob(pattern, small)) || patterns.some(pattern => doesMatchGlob(pattern, name))
    );
  };
}
