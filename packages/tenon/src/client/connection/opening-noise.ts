import { TenonError, withDetails } from '@tenon/base';
import type { ConnectionEvents } from './connection.js';

/** The first text that a process wrote instead of a message. */
export class OpeningNoise {
  #first: TenonError | undefined;

  /** Returns events that also record the first line that is not JSON. */
  observe(events: ConnectionEvents): ConnectionEvents {
    return {
      ...events,
      onError: error => {
        if (error.code === 'stdio/not-json') this.#first ??= error;
        events.onError(error);
      },
    };
  }

  /** Adds the text to the error of a server that did not answer in time. Returns other errors unchanged. */
  addTo(error: unknown): unknown {
    if (!this.#first || !TenonError.is(error) || error.code !== 'call/timeout') return error;
    const received = `text on standard output that is not JSON: ${this.#first.received}`;
    return withDetails(error, { received, hint: this.#first.hint });
  }
}
