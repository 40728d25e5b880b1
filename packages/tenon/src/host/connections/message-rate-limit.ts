import type { Clock } from '../../cancellation/clock.js';

/** Maximum number of log messages per second of one server that are passed on. */
const MAX_MESSAGES = 200;
const WINDOW = 1000;

/** Lets so much through in each window of time, and says once per window that there was more. */
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
    const now = this.#clock.now();
    if (now - this.#windowStart >= WINDOW) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count === this.#max + 1) this.#onExceeded();
    return this.#count <= this.#max;
  }
}
