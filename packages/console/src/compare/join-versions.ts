/** Joins versions: `2024-11-05 to 2025-11-25` for neighbours, else a list. */
export function joinVersions(chosen: readonly string[], all: readonly string[]): string {
  const order = [...all].sort();
  const sorted = [...chosen].sort();
  const first = order.indexOf(sorted[0] ?? '');
  const isRange = sorted.length > 2 && sorted.every((version, index) => order[first + index] === version);
  return isRange ? `${sorted[0]} to ${sorted.at(-1)}` : joinWords(sorted);
}

/** Joins words: `a, b and c`. */
export const joinWords = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
