/**
 * Keys in the order of their character codes. The time to add, delete or find a key hardly depends on the number of
 * keys.
 */
export interface SortedKeys {
  /** Adds a key. The key must not exist. */
  add(key: string): void;
  delete(key: string): void;
  /** Iterates over the keys from `first` on. Do not add or delete keys during the iteration. */
  from(first: string): Iterable<string>;
}

/** Maximum number of keys in one run. A larger run is split in two. */
const MAX_RUN = 1024;

/** Creates sorted keys. They are stored in consecutive sorted runs, so that a change moves only the keys of one run. */
export function createSortedKeys(): SortedKeys {
  const runs: string[][] = [];

  /** Finds the run of a key: the last run that begins at or before the key. */
  const findRun = (key: string) =>
    Math.max(0, findFirstIndex(runs.length, index => (runs[index]?.[0] ?? '') > key) - 1);
  const findIndex = (run: readonly string[], key: string) =>
    findFirstIndex(run.length, index => (run[index] ?? '') >= key);

  return {
    add(key) {
      const index = findRun(key);
      const run = runs[index];
      if (run === undefined) return void runs.push([key]);
      run.splice(findIndex(run, key), 0, key);
      if (run.length > MAX_RUN) runs.splice(index + 1, 0, run.splice(MAX_RUN / 2));
    },
    delete(key) {
      const index = findRun(key);
      const run = runs[index];
      const place = run === undefined ? 0 : findIndex(run, key);
      if (run?.[place] !== key) return;
      run.splice(place, 1);
      if (run.length === 0) runs.splice(index, 1);
    },
    *from(first) {
      const start = findRun(first);
      for (const [distance, run] of runs.slice(start).entries())
        yield* distance === 0 ? run.slice(findIndex(run, first)) : run;
    },
  };
}

/**
 * Finds the first index below `count` for which `holds` returns true. All later indexes must return true too. Returns
 * `count` if there is none.
 */
function findFirstIndex(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
