import { Recall, type Signal } from '../../jsonrpc/recall.js';

/** Everything that runs on a channel, so that it can be ended: each exchange holds a lease. */
export class Leases {
  readonly #running = new Set<Lease>();

  /** A lease that ends with the signal of whoever asked for the exchange. */
  lend(wish?: Signal): Lease {
    return new Lease(this.#running, wish);
  }

  endAll(reason: unknown): void {
    for (const lease of this.#running) lease.abort(reason);
  }
}

/** Aborted when the exchange is to end. */
export class Lease extends Recall {
  readonly #running: Set<Lease>;
  readonly #wish: Signal | undefined;
  readonly #follow: (() => void) | undefined;

  constructor(running: Set<Lease>, wish: Signal | undefined) {
    super();
    this.#running = running;
    running.add(this);
    if (wish === undefined) return;
    this.#wish = wish;
    this.#follow = () => this.abort(wish.reason);
    if (wish.aborted) this.#follow();
    wish.addEventListener('abort', this.#follow);
  }

  /** Gives it back. */
  end(): void {
    this.#running.delete(this);
    if (this.#follow) this.#wish?.removeEventListener('abort', this.#follow);
  }
}
