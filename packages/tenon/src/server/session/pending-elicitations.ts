import { SharedMap } from '../../jsonrpc/shared-map.js';

/** Maximum number of pending URL elicitations; beyond it one of the caller that has most is dropped. */
const MAX_PENDING = 10_000;

/** Client that was sent to a URL. */
export interface ElicitationListener {
  /** The caller whose share of those that are remembered is used up. */
  readonly callerKey: string;
  /** Notifies the client that the visit is complete. */
  onElicitationComplete(elicitationId: string): void;
}

/** The URL elicitations that are not complete yet, with the client to notify: the last one that got the elicitation. */
export class PendingElicitations {
  readonly #pending = new SharedMap<ElicitationListener>(MAX_PENDING);

  add(id: string, listener: ElicitationListener): void {
    this.#pending.set(id, listener, listener.callerKey);
  }

  /** Notifies the client, once. Returns false when no client got the elicitation, or when it is complete already. */
  complete(id: string): boolean {
    const listener = this.#pending.get(id);
    this.#pending.delete(id);
    listener?.onElicitationComplete(id);
    return listener !== undefined;
  }

  /** A client that has disconnected is not notified. Another client with the same elicitation still is. */
  remove(listener: ElicitationListener): void {
    for (const [id, add] of this.#pending) if (add === listener) this.#pending.delete(id);
  }
}
