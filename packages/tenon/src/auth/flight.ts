/** Runs one thing at a time, for all who wait for it. */
export interface Flight<T> {
  /**
   * Joins the run that is under way, or begins one. Rejects with the reason of `signal` when that is aborted; the run
   * itself is aborted when nobody waits for it any more.
   */
  join(run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Run<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  waiting: number;
}

export function singleFlight<T>(): Flight<T> {
  let current: Run<T> | undefined;

  const begin = (run: (signal: AbortSignal) => Promise<T>): Run<T> => {
    const controller = new AbortController();
    const promise = run(controller.signal).finally(() => {
      if (current === begun) current = undefined;
    });
    promise.catch(() => {});
    const begun: Run<T> = { promise, controller, waiting: 0 };
    return begun;
  };

  return {
    async join(run, signal) {
      signal?.throwIfAborted();
      current ??= begin(run);
      const joined = current;
      joined.waiting += 1;
      try {
        return await unlessAborted(joined.promise, signal);
      } finally {
        joined.waiting -= 1;
        if (joined.waiting === 0 && current === joined) {
          current = undefined;
          joined.controller.abort(signal?.reason);
        }
      }
    },
  };
}

/** What a promise comes to, or the reason of the signal, whichever is first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
