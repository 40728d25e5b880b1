import type { Clock } from '@tenon/base';

/** Maximum number of forwarded log messages per second and server. */
const MAX_MESSAGES = 200;
const WINDOW = 1000;

/** Limits the messages per time window, and reports once per window that messages were dropped. */
export class MessageRateLimit {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #onExceeded: () => void;
  #windowStart = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Clock, onExceeded: () => void, max = MAX_MESSAGES) {
    this.#clock = clock;
    this.#onExceeded = onExceeded;
    this.#max = max;
  }

  tryConsume(): boolean {
    const now = this.#clock.elapsed();
    if (now - this.#windowStart >= WINDOW) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count === this.#max + 1) this.#onExceeded();
    return this.#count <= this.#max;
  }
}
