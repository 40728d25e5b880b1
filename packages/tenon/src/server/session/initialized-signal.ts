import type { Clock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';

/** Longest time that a request to the client waits for `notifications/initialized`, in milliseconds. */
const INITIALIZED_TIMEOUT = 10_000;

/**
 * Holds requests to a client back until it has sent `notifications/initialized`.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export class InitializedSignal {
  #waiting: Set<() => void> | undefined;

  /** Resolves after `release`. Rejects with `client/not-initialized` after 10 s. */
  wait(clock: Clock, method: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const cancelTimer = clock.after(INITIALIZED_TIMEOUT, () => {
        this.#waiting?.delete(proceed);
        reject(
          new TenonError(
            'client/not-initialized',
            `the client did not send notifications/initialized within ${INITIALIZED_TIMEOUT} ms`,
            {
              method,
              hint: 'send `notifications/initialized` from the client after the response to `initialize`',
            },
          ),
        );
      });
      const proceed = () => {
        cancelTimer();
        resolve();
      };
      this.#waiting ??= new Set();
      this.#waiting.add(proceed);
    });
  }

  /** Lets all waiting requests go: the client is initialized, or its connection has ended and refuses them itself. */
  release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const proceed of waiting ?? []) proceed();
  }
}
