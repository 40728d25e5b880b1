import type { TenonError } from '@tenon/base';
import type { ClientEvents } from './options.js';

/** Maximum number of errors that the first listener gets later. */
const MAX_EARLY = 20;

type ClientEventListener<E extends keyof ClientEvents> = (event: ClientEvents[E]) => void;

/** An emitter of typed events. An exception of a listener does not affect the other listeners. */
export class ClientEmitter {
  readonly #listeners = new Map<keyof ClientEvents, Set<ClientEventListener<never>>>();
  /** Errors before the first listener, which cannot be added before `connect` returns the client. */
  #early: TenonError[] | undefined = [];

  /** Adds a listener. Returns a function that removes it. */
  on<E extends keyof ClientEvents>(event: E, listener: ClientEventListener<E>): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener as ClientEventListener<never>));
    if (event === 'error') {
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const error of early) this.emit('error', error);
    }
    return () => void listeners.delete(listener as ClientEventListener<never>);
  }

  emit<E extends keyof ClientEvents>(event: E, value: ClientEvents[E]): void {
    if (event === 'error' && this.#early && this.#early.length < MAX_EARLY) this.#early.push(value as TenonError);
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      try {
        (listener as ClientEventListener<E>)(value);
      } catch {
        // The listener is responsible for its own exceptions.
      }
    }
  }
}
