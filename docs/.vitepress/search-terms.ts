/**
 * Returns a word as the index holds it, or `null` for a word that finds nothing: one that is on most pages, or a number. A
 * plural is its singular. The page runs it too, for the words of a query, so it uses nothing outside itself.
 */
export function processTerm(term: string): string | null {
  const word = term.toLowerCase();
  const common =
    ' a the and of in to with that for it or is its an not as one each on no has this if all from at other are can them they you be by but do have than then when which while who will was were what where how so such there these those we our your been ';
  if (word.length < 2 || /^\d+$/.test(word) || common.includes(` ${word} `)) return null;
  return word.length > 3 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}
