import { type AbortSignalLike, LazyAbortSignal } from '../../../cancellation/lazy-abort-signal.js';

/** Everything that runs on a channel, so that it can be ended: each exchange holds a lease. */
export class RequestSignals {
  readonly #active = new Set<RequestSignal>();

  /** A signal that is aborted with the signal of the caller. */
  create(parent?: AbortSignalLike): RequestSignal {
    return new RequestSignal(this.#active, parent);
  }

  abortAll(reason: unknown): void {
    for (const requestSignal of this.#active) requestSignal.abort(reason);
  }
}

/** Aborted when the exchange is to end. */
export class RequestSignal extends LazyAbortSignal {
  readonly #active: Set<RequestSignal>;
  readonly #parent: AbortSignalLike | undefined;
  readonly #onParentAbort: (() => void) | undefined;

  constructor(active: Set<RequestSignal>, parent: AbortSignalLike | undefined) {
    super();
    this.#active = active;
    active.add(this);
    if (parent === undefined) return;
    this.#parent = parent;
    this.#onParentAbort = () => this.abort(parent.reason);
    if (parent.aborted) this.#onParentAbort();
    parent.addEventListener('abort', this.#onParentAbort);
  }

  /** Gives it back. */
  release(): void {
    this.#active.delete(this);
    if (this.#onParentAbort) this.#parent?.removeEventListener('abort', this.#onParentAbort);
  }
}
