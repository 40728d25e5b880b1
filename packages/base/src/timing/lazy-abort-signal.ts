/** A platform signal or a `LazyAbortSignal`. Both have `aborted`, `reason` and `abort` listeners. */
export type AbortSignalLike = AbortSignal | LazyAbortSignal;

/**
 * An abort signal with its own `abort` method. It avoids the cost of an event target, because most requests end without
 * being aborted. It creates an `AbortSignal` only for code that needs one.
 */
export class LazyAbortSignal {
  #aborted = false;
  #reason: unknown;
  #listeners: Set<() => void> | undefined;
  #controller: AbortController | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Adds a listener, which runs at most once with or without the option. */
  addEventListener(_type: 'abort', run: () => void, _options?: { readonly once: boolean }): void {
    if (this.#aborted) return;
    this.#listeners ??= new Set();
    this.#listeners.add(run);
  }

  removeEventListener(_type: 'abort', run: () => void): void {
    this.#listeners?.delete(run);
  }

  /** Aborts the signal and calls all listeners, once. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const run of this.#listeners ?? []) run();
    this.#listeners = undefined;
  }

  /** An `AbortSignal` that is aborted together with this signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }
}

/** Returns an `AbortSignal` for `fetch` and for code outside the library. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  return signal instanceof LazyAbortSignal ? signal.signal : signal;
}
