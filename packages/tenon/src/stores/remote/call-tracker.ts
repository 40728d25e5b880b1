import type { TenonError } from '@tenon/base';

/** The running calls of a store. */
export interface CallTracker {
  /** Registers a call, so that `settle` waits until the call ends, and converts its error. */
  track<T>(call: () => Promise<T>): Promise<T>;
  /** Resolves when all earlier calls have ended. */
  settle(): Promise<void>;
}

/** Creates a tracker. `toError` converts the errors of calls. */
export function createCallTracker(toError: (error: unknown) => TenonError): CallTracker {
  const pending = new Set<Promise<unknown>>();
  return {
    async track(call) {
      const result = call();
      pending.add(result);
      try {
        return await result;
      } catch (error) {
        throw toError(error);
      } finally {
        pending.delete(result);
      }
    },
    settle: async () => void (await Promise.allSettled(pending)),
  };
}
