import { rejectOnAbort } from '@tenon/base';
/** Runs at most one operation at a time. All callers share its result. */
export interface SingleFlight<T> {
  /**
   * Joins the current run, or starts one. Rejects with the reason of `signal` when that is aborted. The run itself is
   * aborted when no caller waits for it.
   */
  join(run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface SharedRun<T> {
  readonly promise: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  let current: SharedRun<T> | undefined;

  const start = (run: (signal: AbortSignal) => Promise<T>): SharedRun<T> => {
    const controller = new AbortController();
    const promise = run(controller.signal).finally(() => {
      if (current === started) current = undefined;
    });
    promise.catch(() => {});
    const started: SharedRun<T> = { promise, controller, waiters: 0 };
    return started;
  };

  return {
    async join(run, signal) {
      signal?.throwIfAborted();
      current ??= start(run);
      const joined = current;
      joined.waiters += 1;
      try {
        return await rejectOnAbort(joined.promise, signal);
      } finally {
        joined.waiters -= 1;
        if (joined.waiters === 0 && current === joined) {
          current = undefined;
          joined.controller.abort(signal?.reason);
        }
      }
    },
  };
}
