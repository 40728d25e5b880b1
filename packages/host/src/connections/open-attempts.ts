import { type Clock, runWithTimeout, systemClock, TenonError } from '@tenon/base';
import type { ClientOptions } from 'tenon';
import { createStartTimeoutError } from './connection-errors.js';

/** Maximum time for a server to end after its connection was closed, in milliseconds. A process takes up to 6,000. */
const CLOSE_TIMEOUT = 10_000;

/** Number of checks of the progress within the timeout of an attempt. */
const CHECKS = 6;
/** Maximum duration of an attempt that makes progress, in timeouts. */
const MAX_TIMEOUT_FACTOR = 10;

/**
 * Returns options of `connect` that limit the start of a server as a host does: `connect` rejects with `host/start-timeout`
 * if the process makes no progress within this time, and other timeouts do not apply to the start.
 *
 * @param server Name of the server, for the error.
 * @param startTimeout Time limit, in milliseconds. A process that writes to standard error or uses the processor gets up to
 * ten times as much.
 * @param clock Source of time, for tests.
 */
export function limitStart(server: string, startTimeout: number, clock: Clock = systemClock): ClientOptions {
  const attempts = new OpenAttempts({ clock, startTimeout }, () => createStartTimeoutError(server, startTimeout));
  return { openTimeout: startTimeout, getOpenSignal: hasProgress => attempts.begin(hasProgress) };
}

/**
 * Limits the time without progress of each connection attempt. An abandoned attempt is closed, and `waitForClosed` waits until it has
 * ended.
 */
export class OpenAttempts {
  readonly #clock: Clock;
  readonly #startTimeout: number;
  readonly #createTimeoutError: () => TenonError;
  readonly #abandoned = new Set<Promise<void>>();
  #hasProgress: () => boolean = () => false;
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

  /**
   * Starts the timer of an attempt. Returns a signal that is aborted with the reason when the attempt must stop.
   *
   * @param hasProgress Tells if the process of the server has worked since the last call. Such a start is not slow, but
   * long: it installs a package, for example.
   */
  begin(hasProgress: () => boolean = () => false): AbortSignal {
    this.end();
    const controller = new AbortController();
    this.#controller = controller;
    this.#hasProgress = hasProgress;
    if (this.#closed) controller.abort(this.#closed);
    else {
      const begunAt = this.#clock.elapsed();
      this.#scheduleCheck(controller, begunAt, begunAt);
    }
    return controller.signal;
  }

  /** Sets the function that tells if the process of the current attempt has worked. */
  observeProgress(hasProgress: () => boolean): void {
    this.#hasProgress = hasProgress;
  }

  #scheduleCheck(controller: AbortController, begunAt: number, lastProgressAt: number): void {
    const now = this.#clock.elapsed();
    const deadline = Math.min(lastProgressAt + this.#startTimeout, begunAt + MAX_TIMEOUT_FACTOR * this.#startTimeout);
    if (now >= deadline) return controller.abort(this.#createTimeoutError());
    const delay = Math.min(Math.ceil(this.#startTimeout / CHECKS), deadline - now);
    this.#cancelTimer = this.#clock.after(delay, () => {
      this.#scheduleCheck(controller, begunAt, this.#hasProgress() ? this.#clock.elapsed() : lastProgressAt);
    });
  }

  /** Stops the timer of the attempt, and releases its transport. */
  end(): void {
    this.#hasProgress = () => false;
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
        // An abandoned attempt may end after the next one has begun, which has a timer of its own.
        if (signal === this.#controller.signal) this.end();
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
