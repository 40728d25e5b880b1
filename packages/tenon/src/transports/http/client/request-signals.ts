import { type AbortSignalLike, CompactMap, LazyAbortSignal } from '@tenon/base';

/** The signals of all HTTP requests in progress, so that closing the transport can abort them. */
export class RequestSignals {
  readonly #active = new CompactMap<RequestSignal>();
  #lastId = 0;

  /** Creates a signal that is also aborted with the signal of the caller. */
  create(parent?: AbortSignalLike): RequestSignal {
    this.#lastId += 1;
    return new RequestSignal(this.#active, this.#lastId, parent);
  }

  abortAll(reason: unknown): void {
    for (const [, requestSignal] of this.#active.entries()) requestSignal.abort(reason);
  }
}

/** A signal that is aborted when its HTTP request must end. */
export class RequestSignal extends LazyAbortSignal {
  readonly #active: CompactMap<RequestSignal>;
  readonly #id: number;
  readonly #parent: AbortSignalLike | undefined;
  readonly #onParentAbort: (() => void) | undefined;

  constructor(active: CompactMap<RequestSignal>, id: number, parent: AbortSignalLike | undefined) {
    super();
    this.#active = active;
    this.#id = id;
    active.set(id, this);
    if (parent === undefined) return;
    this.#parent = parent;
    this.#onParentAbort = () => this.abort(parent.reason);
    if (parent.aborted) this.#onParentAbort();
    parent.addEventListener('abort', this.#onParentAbort);
  }

  /** Releases the signal when its HTTP request is done. */
  release(): void {
    this.#active.delete(this.#id);
    if (this.#onParentAbort) this.#parent?.removeEventListener('abort', this.#onParentAbort);
  }
}
