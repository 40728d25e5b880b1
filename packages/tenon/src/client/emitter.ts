import type { ClientEvents } from './options.js';

type ClientEventListener<E extends keyof ClientEvents> = (event: ClientEvents[E]) => void;

/** An emitter of typed events. An exception of a listener does not affect the other listeners. */
export class ClientEmitter {
  readonly #listeners = new Map<keyof ClientEvents, Set<ClientEventListener<never>>>();

  /** Adds a listener. Returns a function that removes it. */
  on<E extends keyof ClientEvents>(event: E, listener: ClientEventListener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener as ClientEventListener<never>));
    return () => void listeners.delete(listener as ClientEventListener<never>);
  }

  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        (listener as ClientEventListener<E>)(value);
      } catch {
        // The listener is responsible for its own exceptions.
      }
    }
  }
}
