import { type Clock, TenonError } from '@tenon/base';

/** Wakes waiting callers: on a timer, on a notification, on an error, or when there is nothing to wait for. */
export class Waker {
  readonly #clock: Clock;
  readonly #signals: readonly AbortSignal[];
  readonly #failure = new AbortController();
  #isWoken = false;
  #wake: (() => void) | undefined;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signals = [signal, this.#failure.signal];
  }

  /** Wakes all waiting callers. If there are none, the next wait ends at once. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Rejects all current and later waits with this error. */
  fail(error: unknown): void {
    this.#failure.abort(error);
  }

  /** Waits until a timeout, or until `wake` is called. Resolves with true if it was called. */
  async waitForWake(ms: number): Promise<boolean> {
    const woken = new Promise<void>(resolve => {
      this.#wake = resolve;
      if (this.#isWoken) resolve();
    });
    await this.sleep(ms, woken);
    const wasWoken = this.#isWoken;
    this.#isWoken = false;
    return wasWoken;
  }

  /** Waits for `ms` milliseconds, or until `orUntil` resolves. */
  async sleep(ms: number, orUntil: Promise<void> = new Promise(() => {})): Promise<void> {
    let cancelTimer: () => void = () => {};
    const elapsed = new Promise<void>(resolve => {
      // The timer keeps the process alive while a caller waits for a task.
      cancelTimer = this.#clock.after(Math.max(0, ms), resolve, { hold: true });
    });
    await this.raceFailure(Promise.race([elapsed, orUntil])).finally(cancelTimer);
  }

  /** Waits for work until it is done, an error is reported, or no caller waits for it. */
  raceFailure<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(this.#getReason());
      const cleanup = () => {
        for (const signal of this.#signals) signal.removeEventListener('abort', stop);
      };
      for (const signal of this.#signals) signal.addEventListener('abort', stop, { once: true });
      work.then(resolve, reject).finally(cleanup);
      if (this.#signals.some(({ aborted }) => aborted)) stop();
    });
  }

  #getReason(): unknown {
    const { aborted, reason } = this.#failure.signal;
    return aborted ? reason : new TenonError('call/aborted', 'the wait for the task was cancelled');
  }
}
