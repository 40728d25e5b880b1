import type { Events } from './options.js';

type Listener<E extends keyof Events> = (event: Events[E]) => void;

/** Typed events. A listener that throws harms nobody else. */
export class Emitter {
  readonly #listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Listens. Returns the function that stops it. */
  on<E extends keyof Events>(event: E, listener: Listener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener as Listener<never>));
    return () => void listeners.delete(listener as Listener<never>);
  }

  emit<E extends keyof Events>(event: E, value: Events[E]): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        (listener as Listener<E>)(value);
      } catch {
        // The listener's own affair: it had its chance to catch it.
      }
    }
  }
}
