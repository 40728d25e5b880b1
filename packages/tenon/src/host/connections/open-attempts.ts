import type { Clock } from '../../cancellation/clock.js';
import { runWithTimeout } from '../../cancellation/run-with-timeout.js';
import { TenonError } from '../../jsonrpc/error.js';

/** Maximum time for a server to end after its connection was closed, in milliseconds. A process takes up to 6,000. */
const CLOSE_TIMEOUT = 10_000;

/**
 * Limits the time of each connection attempt. An abandoned attempt is closed, and `waitForClosed` waits until it has
 * ended.
 */
export class OpenAttempts {
  readonly #clock: Clock;
  readonly #startTimeout: number;
  readonly #createTimeoutError: () => TenonError;
  readonly #abandoned = new Set<Promise<void>>();
  #controller = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #closed: TenonError | undefined;

  constructor(
    { clock, startTimeout }: { readonly clock: Clock; readonly startTimeout: number },
    createTimeoutError: () => TenonError,
  ) {
    this.#clock = clock;
    this.#startTimeout = startTimeout;
    this.#createTimeoutError = createTimeoutError;
  }

  /** Starts the timer of an attempt. Returns a signal that is aborted with the reason when the attempt must stop. */
  begin(): AbortSignal {
    this.end();
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#closed) controller.abort(this.#closed);
    else this.#cancelTimer = this.#clock.after(this.#startTimeout, () => controller.abort(this.#createTimeoutError()));
    return controller.signal;
  }

  /** Stops the timer of the attempt. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Waits for the attempt until the signal is aborted. A client that opens later is closed. */
  waitForOpen<T extends { close(): Promise<void> }>(signal: AbortSignal, opening: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const waitForClosed = opening.then(opened => opened.close()).catch(() => {});
        const abandoned = waitForClosed.finally(() => this.#abandoned.delete(abandoned));
        this.#abandoned.add(abandoned);
        reject(TenonError.from(signal.reason));
      };
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) return giveUp();
      opening.then(resolve, reject).finally(() => {
        signal.removeEventListener('abort', giveUp);
        this.end();
      });
    });
  }

  /** Aborts the current attempt and all later ones. */
  close(reason: TenonError): void {
    this.end();
    this.#closed = reason;
    this.#controller.abort(reason);
  }

  /** Waits until abandoned attempts and `others` have closed, with a time limit. */
  async waitForClosed(...others: readonly (Promise<void> | undefined)[]): Promise<void> {
    await runWithTimeout(() => Promise.allSettled([...this.#abandoned, ...others]), {
      clock: this.#clock,
      timeout: CLOSE_TIMEOUT,
      onTimeout: () => undefined,
    });
  }
}
