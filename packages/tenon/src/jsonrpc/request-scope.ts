import { LazyAbortSignal } from '@tenon/base';

/** A request in progress. Its signal is created on first access. */
export class RequestScope {
  #signal: LazyAbortSignal | undefined;
  #reason: Error | undefined;
  #doneListeners: (() => void)[] | undefined;
  #finishingListener: (() => void) | undefined;
  #cancelListener: (() => void) | undefined;
  #isDone = false;

  /** True when the request has its response or was dropped. Nothing more is sent for it. */
  get isDone(): boolean {
    return this.#isDone || this.#reason !== undefined;
  }

  get isCancelled(): boolean {
    return this.#reason !== undefined;
  }

  get signal(): LazyAbortSignal {
    if (this.#signal === undefined) {
      this.#signal = new LazyAbortSignal();
      if (this.#reason) this.#signal.abort(this.#reason);
    }
    return this.#signal;
  }

  /** Aborts the signal. Does nothing if the request is done. */
  cancel(reason = 'the peer cancelled the request'): void {
    if (this.#isDone || this.#reason !== undefined) return;
    this.#reason = Object.assign(new Error(reason), { name: 'AbortError' });
    this.#signal?.abort(this.#reason);
    this.#cancelListener?.();
  }

  /**
   * Registers a function that runs when the request is cancelled, or at once if it is already cancelled. It needs less
   * memory than a signal.
   */
  onCancel(run: () => void): void {
    if (this.isCancelled) run();
    else this.#cancelListener = run;
  }

  /** Registers a function that runs when the request is done or cancelled. */
  onDone(run: () => void): void {
    this.#doneListeners ??= [];
    this.#doneListeners.push(run);
  }

  /** Marks the request as done. Later cancellations have no effect. */
  finish(): void {
    const listener = this.#finishingListener;
    this.#finishingListener = undefined;
    if (!this.isDone) listener?.();
    this.#isDone = true;
  }

  /** Registers a function that runs right before the response is sent. It does not run for a cancelled request. */
  onFinishing(run: () => void): void {
    this.#finishingListener = run;
  }

  complete(): void {
    this.finish();
    const listeners = this.#doneListeners;
    this.#doneListeners = undefined;
    for (const run of listeners ?? []) run();
  }
}
