import { type Clock, runWithTimeout, TenonError } from '@tenon/base';

/** Maximum time that a request to the client waits for `notifications/initialized`, in milliseconds. */
const INITIALIZED_TIMEOUT = 10_000;

/**
 * Delays requests to a client until it has sent `notifications/initialized`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export class InitializedSignal {
  #waiting: Set<() => void> | undefined;

  /** Resolves after `release`. Rejects with `client/not-initialized` after 10 s. */
  wait(clock: Clock, method: string): Promise<void> {
    let proceed = () => {};
    const released = new Promise<void>(resolve => {
      proceed = resolve;
    });
    this.#waiting ??= new Set();
    this.#waiting.add(proceed);
    return runWithTimeout(() => released, {
      clock,
      timeout: INITIALIZED_TIMEOUT,
      onTimeout: () => {
        this.#waiting?.delete(proceed);
        throw new TenonError(
          'client/not-initialized',
          `the client did not send notifications/initialized within ${INITIALIZED_TIMEOUT} ms`,
          {
            method,
            hint: 'send `notifications/initialized` from the client after the response to `initialize`',
          },
        );
      },
    });
  }

  /** Releases all waiting requests. The client is initialized, or its connection has ended and rejects the requests. */
  release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    for (const proceed of waiting ?? []) proceed();
  }
}
