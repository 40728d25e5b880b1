/** Finds the known key that is most similar to an unknown one. Case, `-`, `_` and spaces are ignored. */
export function findNearestKey(name: string, known: readonly string[]): string | undefined {
  if (typeof name !== 'string' || name.length > 40 || !Array.isArray(known) || known.length === 0) return undefined;
  const plain = normalizeKey(name);
  const ranked = known.map(each => ({ each, distance: computeDistance(plain, normalizeKey(each)) }));
  const nearest = ranked.reduce((best, each) => (each.distance < best.distance ? each : best));
  return nearest.distance <= Math.max(1, Math.floor(plain.length / 3)) ? nearest.each : undefined;
}

const normalizeKey = (name: string): string => String(name).toLowerCase().replace(/[-_ ]/g, '');

/** Returns the edit distance: the number of letters to insert, remove, replace or swap. */
function computeDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same, swap));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
