import { SharedLimit } from '../../../jsonrpc/shared-limit.js';
import type { InFlightTracker } from './context.js';
import type { Limits } from './options.js';

/** Counts the requests without a response, and knows if the endpoint closes. */
export function createInFlightTracker({
  maxRequests,
  maxShare,
}: Pick<Limits, 'maxRequests' | 'maxShare'>): InFlightTracker {
  const requests = new SharedLimit(maxRequests, maxShare);
  const idleListeners: (() => void)[] = [];
  const closingListeners = new Set<() => void>();
  let draining = false;
  let closing = false;
  return {
    enter: caller => requests.take(caller),
    fits: (caller, more) => requests.canTake(caller, more),
    leave(caller) {
      requests.release(caller);
      if (requests.total > 0 || idleListeners.length === 0) return;
      // The last responses may not be written yet.
      queueMicrotask(() => {
        if (requests.total === 0) for (const listener of idleListeners.splice(0)) listener();
      });
    },
    startDraining() {
      draining = true;
    },
    get draining() {
      return draining;
    },
    close() {
      draining = true;
      closing = true;
      for (const listener of [...closingListeners]) listener();
      closingListeners.clear();
    },
    get closing() {
      return closing;
    },
    onIdle(listener) {
      if (requests.total === 0) listener();
      else idleListeners.push(listener);
    },
    onClosing(listener) {
      if (closing) listener();
      else closingListeners.add(listener);
      return () => closingListeners.delete(listener);
    },
  };
}
