/** Keys in the order of their characters' codes. Adding, deleting and finding take about the same time however many there are. */
export interface SortedKeys {
  /** Adds a key that is not there. */
  add(key: string): void;
  delete(key: string): void;
  /** The keys from `first` on. None may be added or deleted meanwhile. */
  from(first: string): Iterable<string>;
}

/** A run of keys is cut in two beyond this. */
const MAX_RUN = 1024;

/** Sorted runs, one after the other: a key is moved among those of its own run only. */
export function createSortedKeys(): SortedKeys {
  const runs: string[][] = [];

  /** The run in which a key is, or belongs: the last that begins at or before it. */
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

/** The least number below `count` for which it holds, given that it holds for all that follow; `count` if for none. */
function findFirstIndex(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
