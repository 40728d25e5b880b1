/** A text with what the search needs of it. */
export interface SearchText {
  readonly lower: string;
  /** One bit for each letter and digit that the text contains. */
  readonly mask: number;
}

const BITS = 31;
/** Points of a character of the query by its place in the text. */
const POINTS = { beginning: 12, word: 8, consecutive: 6, other: 1 } as const;
/** Points that a gap between two characters costs, at most. */
const MAX_GAP = 4;

export const toSearchText = (text: string): SearchText => {
  const lower = text.toLowerCase();
  return { lower, mask: createMask(lower) };
};

function createMask(lower: string): number {
  let mask = 0;
  for (let index = 0; index < lower.length; index += 1) mask |= 1 << (lower.charCodeAt(index) % BITS);
  return mask;
}

/** Rates how well a query fits a text: its characters must be in the text in their order. 0: it does not fit. */
export function rateMatch(query: SearchText, text: SearchText): number {
  // Most texts lack a character of the query, which the masks show without a look at the text.
  if ((query.mask & text.mask) !== query.mask) return 0;
  const found = text.lower.indexOf(query.lower);
  if (found >= 0) return 1000 + (found === 0 ? 500 : isWordStart(text.lower, found) ? 250 : 0) - text.lower.length;
  let rate = 0;
  let at = 0;
  let last = -1;
  const wanted = query.lower.replaceAll(' ', '');
  for (let index = 0; index < wanted.length; index += 1) {
    const next = findNext(text.lower, wanted.slice(index), at, last);
    if (next < 0) return 0;
    if (next === last + 1 && last >= 0) rate += POINTS.consecutive;
    else if (next === 0) rate += POINTS.beginning;
    else if (isWordStart(text.lower, next)) rate += POINTS.word;
    else rate += POINTS.other - Math.min(MAX_GAP, next - last) / 10;
    last = next;
    at = next + 1;
  }
  return Math.max(rate, 0.1);
}

/** Finds the first character. Prefers the next place, then the beginning of a word after which the rest fits, then any place. */
function findNext(text: string, wanted: string, from: number, last: number): number {
  const character = wanted.charAt(0);
  const first = text.indexOf(character, from);
  if (first < 0 || first === last + 1) return first;
  for (let at = first; at >= 0; at = text.indexOf(character, at + 1))
    if (isWordStart(text, at)) return isInOrder(wanted, text, at) ? at : first;
  return first;
}

/** Tells if a text has all these characters in their order from an index on. */
function isInOrder(characters: string, text: string, from: number): boolean {
  let at = from;
  for (const character of characters) {
    const found = text.indexOf(character, at);
    if (found < 0) return false;
    at = found + 1;
  }
  return true;
}

const isWordStart = (text: string, index: number): boolean => index === 0 || /[\s/_.:@-]/.test(text.charAt(index - 1));

/** Returns the entries that fit best, the best first. Without a query: the first ones. */
export function searchEntries<T extends { readonly text: SearchText }>(
  entries: readonly T[],
  query: string,
  max: number,
): T[] {
  const wanted = toSearchText(query.trim());
  if (wanted.lower === '') return entries.slice(0, max);
  const compact = { ...wanted, mask: createMask(wanted.lower.replaceAll(' ', '')) };
  const rated: { readonly entry: T; readonly rate: number }[] = [];
  for (const entry of entries) {
    const rate = rateMatch(compact, entry.text);
    if (rate > 0) rated.push({ entry, rate });
  }
  return rated
    .sort((a, b) => b.rate - a.rate)
    .slice(0, max)
    .map(({ entry }) => entry);
}
