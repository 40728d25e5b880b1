export interface NamedQueue {
  /** Number of names with work that has not ended. */
  readonly size: number;
  run<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Creates a queue that runs work with the same name one after another, in the order of the calls. */
export function createNamedQueue(): NamedQueue {
  const last = new Map<string, Promise<unknown>>();
  return {
    get size() {
      return last.size;
    },
    run(name, work) {
      const result = (last.get(name) ?? Promise.resolve()).then(work);
      const settled = result.then(
        () => {},
        () => {},
      );
      last.set(name, settled);
      settled.then(() => {
        if (last.get(name) === settled) last.delete(name);
      });
      return result;
    },
  };
}
