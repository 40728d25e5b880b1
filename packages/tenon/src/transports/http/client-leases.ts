/** Everything that runs on a channel, so that it can be ended: each exchange holds a lease. */
export interface Lease {
  readonly signal: AbortSignal;
  /** Gives it back. */
  end(): void;
  abort(reason: unknown): void;
}

export interface Leases {
  /** A lease that ends with the signal of whoever asked for the exchange. */
  lend(wish?: AbortSignal): Lease;
  endAll(reason: unknown): void;
}

export function createLeases(): Leases {
  const running = new Set<AbortController>();
  return {
    lend(wish) {
      const controller = new AbortController();
      const abort = () => controller.abort(wish?.reason);
      if (wish?.aborted) abort();
      wish?.addEventListener('abort', abort);
      running.add(controller);
      return {
        signal: controller.signal,
        abort: reason => controller.abort(reason),
        end() {
          running.delete(controller);
          wish?.removeEventListener('abort', abort);
        },
      };
    },
    endAll(reason) {
      for (const controller of running) controller.abort(reason);
    },
  };
}
