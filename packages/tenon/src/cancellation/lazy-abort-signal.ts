/** Either kind: both have `aborted`, `reason`, and listeners to `abort`. */
export type AbortSignalLike = AbortSignal | LazyAbortSignal;

/**
 * A signal, and what aborts it. Most work that can be given up comes to its end, and should not pay for an event target:
 * an `AbortSignal` is made for those who take nothing else.
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

  /** Listeners run once, with or without the option. */
  addEventListener(_type: 'abort', run: () => void, _options?: { readonly once: boolean }): void {
    if (this.#aborted) return;
    this.#listeners ??= new Set();
    this.#listeners.add(run);
  }

  removeEventListener(_type: 'abort', run: () => void): void {
    this.#listeners?.delete(run);
  }

  /** Runs all that listen, once. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
    for (const run of this.#listeners ?? []) run();
    this.#listeners = undefined;
  }

  /** The same as an `AbortSignal`. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }
}

/** For `fetch`, and for code of others. */
export function toAbortSignal(signal: AbortSignalLike): AbortSignal {
  return signal instanceof LazyAbortSignal ? signal.signal : signal;
}
