import type { Clock } from '../../cancellation/clock.js';
import { runWithTimeout } from '../../cancellation/run-with-timeout.js';
import { TenonError } from '../../jsonrpc/error.js';

/** Time for a server to end after its connection was closed, in milliseconds. */
const CLOSE_TIMEOUT = 10_000;

/**
 * Bounds each opening of a line: the first, and those after the link was lost. What is given up is ended, and has ended
 * before the line is closed.
 */
export class OpenAttempts {
  readonly #clock: Clock;
  readonly #startTimeout: number;
  readonly #createTimeoutError: () => TenonError;
  readonly #abandoned = new Set<Promise<void>>();
  #controller = new AbortController();
  #cancelTimer: (() => void) | undefined;
  #closed: TenonError | undefined;

  constructor(clock: Clock, startTimeout: number, createTimeoutError: () => TenonError) {
    this.#clock = clock;
    this.#startTimeout = startTimeout;
    this.#createTimeoutError = createTimeoutError;
  }

  /** An opening begins: gives what is aborted, with the reason, when it may not go on. */
  begin(): AbortSignal {
    this.end();
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#closed) controller.abort(this.#closed);
    else this.#cancelTimer = this.#clock.after(this.#startTimeout, () => controller.abort(this.#createTimeoutError()));
    return controller.signal;
  }

  /** The opening is over. */
  end(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Waits for the first opening until it may not go on; should it come to something later, that is closed. */
  waitForOpen<T extends { close(): Promise<void> }>(signal: AbortSignal, opening: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const waitForClosed = opening.then(createTimeoutError => createTimeoutError.close()).catch(() => {});
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

  /** No opening goes on, and none begins. */
  close(reason: TenonError): void {
    this.end();
    this.#closed = reason;
    this.#controller.abort(reason);
  }

  /** Waits for abandoned attempts to close, and for this one, within a time limit. */
  async waitForClosed(last: Promise<void> | undefined): Promise<void> {
    await runWithTimeout(() => Promise.allSettled([...this.#abandoned, last]), {
      clock: this.#clock,
      timeout: CLOSE_TIMEOUT,
      onTimeout: () => undefined,
    });
  }
}
