import { SharedMap } from '../../jsonrpc/shared-map.js';

/** Maximum number of pending URL elicitations; beyond it one of the caller that has most is dropped. */
const MAX_PENDING = 10_000;

/** Client that was asked to visit a URL. */
export interface ElicitationListener {
  /** The caller whose share of those that are remembered is used up. */
  readonly callerKey: string;
  /** Says that the visit is done. */
  onElicitationComplete(elicitationId: string): void;
}

/** The elicitations by URL that are not done yet, and whom to tell when they are: who was asked last, and nobody else. */
export class PendingElicitations {
  readonly #pending = new SharedMap<ElicitationListener>(MAX_PENDING);

  add(id: string, listener: ElicitationListener): void {
    this.#pending.set(id, listener, listener.callerKey);
  }

  /** Tells who was asked, once. False when nobody was, or when it is done already. */
  complete(id: string): boolean {
    const listener = this.#pending.get(id);
    this.#pending.delete(id);
    listener?.onElicitationComplete(id);
    return listener !== undefined;
  }

  /** One who has left is told of nothing; who else was asked the same still is. */
  remove(listener: ElicitationListener): void {
    for (const [id, add] of this.#pending) if (add === listener) this.#pending.delete(id);
  }
}
