import { countMatchSteps } from './match-work.js';

/**
 * Glob, or several of which one must match. `*` matches any number of characters including slashes, and `?` matches
 * one.
 *
 * Rules with `deny` and `ask` ignore case. `{ exact }` lists case-sensitive texts without wildcards.
 */
export type Globs = string | readonly string[] | { readonly exact: string | readonly string[] };

/** Maximum length of a pattern, in characters. It bounds the time of a match, which then depends only on the text. */
export const MAX_PATTERN = 512;

/** Maximum number of steps of one match. A pattern that rarely goes back takes one step for each character. */
const MAX_STEPS = 5_000_000;
/** Number of steps of each match, and of each search for a character. */
const STEPS_OF_MATCH = 15;
const STEPS_OF_SEARCH = 4;
/** Number of characters that a search reads in one step. */
const CHARACTERS_OF_SEARCH = 16;

/**
 * Tells if a glob matches the whole text. `*` matches any number of characters including slashes, and `?` matches one.
 * Backtracks to the last star only, so the steps are at most the product of both lengths. Searches for the first
 * character after a star are faster, and count less.
 *
 * @param ifTooLong Result for a text that takes too many steps. Default: false, as for `allow`.
 */
export function matchGlob(pattern: string, text: string, ifTooLong = false): boolean {
  let index = 0;
  let steps = STEPS_OF_MATCH;
  let in_ = 0;
  let star = -1;
  let resume = 0;
  let result: boolean | undefined;
  while (index < text.length && result === undefined) {
    if (++steps > MAX_STEPS) result = ifTooLong;
    else if (pattern[in_] === '*') {
      star = in_++;
      resume = index;
    } else if (in_ < pattern.length && (pattern[in_] === '?' || pattern[in_] === text[index])) {
      index += pattern[in_++] === '?' ? getCharacterWidth(text, index) : 1;
    } else if (star >= 0) {
      in_ = star + 1;
      resume += 1;
      const first = pattern[in_];
      if (first !== undefined && first !== '?' && first !== '*') {
        const found = text.indexOf(first, resume);
        const next = found < 0 ? text.length : found;
        steps += STEPS_OF_SEARCH + (next - resume) / CHARACTERS_OF_SEARCH;
        if (found < 0) result = false;
        resume = next;
      }
      index = resume;
    } else result = false;
  }
  countMatchSteps(steps);
  if (result !== undefined) return result;
  while (pattern[in_] === '*') in_++;
  return in_ === pattern.length;
}

/** Returns the number of UTF-16 units of a character: two outside the basic plane. */
function getCharacterWidth(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** Tells if `wide` matches every text that `narrow` matches. `true` is certain. `false` is not. */
export function coversGlob(wide: string, narrow: string): boolean {
  let stars: number[] = [0];
  // Each state is a position in `wide`. `narrow` is treated as a text whose star only matches a star.
  for (const char of narrow) {
    const next = new Set<number>();
    for (const place of expandStars(wide, stars)) {
      if (wide[place] === '*') next.add(place);
      else if (char !== '*' && (wide[place] === '?' || wide.startsWith(char, place))) {
        next.add(place + (wide[place] === '?' ? 1 : char.length));
      }
    }
    stars = [...next];
  }
  return expandStars(wide, stars).includes(wide.length);
}

/** Adds the positions after stars that match no character. */
function expandStars(pattern: string, places: readonly number[]): number[] {
  const all = new Set(places);
  for (const place of all) if (pattern[place] === '*') all.add(place + 1);
  return [...all];
}
