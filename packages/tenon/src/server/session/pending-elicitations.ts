import { SharedMap } from '@tenon/base';
import type { SharedChanges } from './shared-changes.js';

/** Maximum number of pending URL elicitations. Beyond it, an elicitation of the caller with the most is dropped. */
const MAX_PENDING = 10_000;

/** The client of a URL elicitation. */
export interface ElicitationListener {
  /** Key of the caller whose limit the pending elicitation uses. */
  readonly callerKey: string;
  /** Notifies the client that the visit is complete. */
  onElicitationComplete(elicitationId: string): void;
}

/** The URL elicitations that are not complete yet, each with the client that got it last. */
export class PendingElicitations {
  readonly #pending = new SharedMap<ElicitationListener>(MAX_PENDING);
  /** Most clients never get one, so their removal searches for none. */
  readonly #listeners = new WeakSet<ElicitationListener>();

  /** Changes in other processes. Undefined if there are no other processes. */
  readonly #shared: Pick<SharedChanges, 'listen' | 'publish'> | undefined;

  constructor(shared?: Pick<SharedChanges, 'listen' | 'publish'>) {
    this.#shared = shared;
  }

  add(id: string, listener: ElicitationListener): void {
    void this.#shared?.listen();
    this.#listeners.add(listener);
    this.#pending.set(id, listener, listener.callerKey);
  }

  /** Notifies the client once. Returns false when no client got the elicitation, or when it is already complete. */
  complete(id: string): boolean {
    const listener = this.#pending.get(id);
    this.#pending.delete(id);
    listener?.onElicitationComplete(id);
    return listener !== undefined;
  }

  /**
   * Notifies the client, even if another process has its session. Returns false if no client of this process waits for
   * the elicitation.
   */
  completeAnywhere(id: string): boolean {
    const isComplete = this.complete(id);
    if (!isComplete) this.#shared?.publish({ kind: 'elicitation', name: id });
    return isComplete;
  }

  /**
   * Removes a client that has disconnected, so that it gets no notification. Another client with the same elicitation
   * still gets one.
   */
  remove(listener: ElicitationListener): void {
    if (!this.#listeners.delete(listener)) return;
    for (const [id, add] of this.#pending) if (add === listener) this.#pending.delete(id);
  }
}
