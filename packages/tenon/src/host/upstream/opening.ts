import type { Clock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { withinTime } from '../within-time.js';

/** How long a line that is closed waits for its server to be gone, in milliseconds. */
const CLOSE_TIME = 10_000;

/**
 * Bounds each opening of a line: the first, and those after the link was lost. What is given up is ended, and has ended
 * before the line is closed.
 */
export class Openings {
  readonly #clock: Clock;
  readonly #startTimeout: number;
  readonly #late: () => TenonError;
  readonly #leaving = new Set<Promise<void>>();
  #controller = new AbortController();
  #off: (() => void) | undefined;
  #closed: TenonError | undefined;

  constructor(clock: Clock, startTimeout: number, late: () => TenonError) {
    this.#clock = clock;
    this.#startTimeout = startTimeout;
    this.#late = late;
  }

  /** An opening begins: gives what is aborted, with the reason, when it may not go on. */
  begin(): AbortSignal {
    this.end();
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#closed) controller.abort(this.#closed);
    else this.#off = this.#clock.after(this.#startTimeout, () => controller.abort(this.#late()));
    return controller.signal;
  }

  /** The opening is over. */
  end(): void {
    this.#off?.();
    this.#off = undefined;
  }

  /** Waits for the first opening until it may not go on; should it come to something later, that is closed. */
  inTime<T extends { close(): Promise<void> }>(signal: AbortSignal, opening: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        const gone = opening.then(late => late.close()).catch(() => {});
        const leaving = gone.finally(() => this.#leaving.delete(leaving));
        this.#leaving.add(leaving);
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
  close(why: TenonError): void {
    this.end();
    this.#closed = why;
    this.#controller.abort(why);
  }

  /** Waits for what was given up to be gone, and for this, within bounds. */
  async gone(last: Promise<void> | undefined): Promise<void> {
    await withinTime(this.#clock, CLOSE_TIME, Promise.allSettled([...this.#leaving, last]));
  }
}
