/** Maximum length of a pattern: with that, the time of a match grows with the text alone. */
export const MAX_PATTERN = 512;

/**
 * Matches whole texts: `*` is any number of characters, slashes too, `?` is one. Everything else is itself. It goes back
 * to the last star only, so that the time is at most the length of the text times that of the pattern.
 */
export function doesMatchGlob(pattern: string, text: string): boolean {
  let index = 0;
  let in_ = 0;
  let star = -1;
  let resume = 0;
  while (index < text.length) {
    if (pattern[in_] === '*') {
      star = in_++;
      resume = index;
    } else if (in_ < pattern.length && (pattern[in_] === '?' || pattern[in_] === text[index])) {
      index += pattern[in_++] === '?' ? getCharacterWidth(text, index) : 1;
    } else if (star >= 0) {
      in_ = star + 1;
      index = ++resume;
    } else return false;
  }
  while (pattern[in_] === '*') in_++;
  return in_ === pattern.length;
}

/** A character outside of the basic plane is two units and one character. */
function getCharacterWidth(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** Tells if everything that `narrow` matches is matched by `wide`: `true` is certain, `false` is not. */
export function doesGlobCover(wide: string, narrow: string): boolean {
  let stars: number[] = [0];
  // Each state is a place in the wide pattern; the narrow one is read as a text whose star only a star can take.
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

/** The places that are reached by taking stars for nothing. */
function expandStars(pattern: string, places: readonly number[]): number[] {
  const all = new Set(places);
  for (const place of all) if (pattern[place] === '*') all.add(place + 1);
  return [...all];
}
