import { type AbortSignalLike, LazyAbortSignal } from '../../../cancellation/lazy-abort-signal.js';

/** The signals of all HTTP requests in progress, so that closing the transport can abort them. */
export class RequestSignals {
  readonly #active = new Set<RequestSignal>();

  /** Creates a signal that is also aborted with the signal of the caller. */
  create(parent?: AbortSignalLike): RequestSignal {
    return new RequestSignal(this.#active, parent);
  }

  abortAll(reason: unknown): void {
    for (const requestSignal of this.#active) requestSignal.abort(reason);
  }
}

/** A signal that is aborted when its HTTP request must end. */
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

  /** Releases the signal when its HTTP request is done. */
  release(): void {
    this.#active.delete(this);
    if (this.#onParentAbort) this.#parent?.removeEventListener('abort', this.#onParentAbort);
  }
}
