import type { Clock } from '../../jsonrpc/clock.js';

/** How many log messages of one server are passed on within a second. */
const MOST = 200;
const WINDOW = 1000;

/** Lets so much through in each window of time, and says once per window that there was more. */
export class Flood {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #tell: () => void;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Clock, tell: () => void, most = MOST) {
    this.#clock = clock;
    this.#tell = tell;
    this.#most = most;
  }

  admits(): boolean {
    const now = this.#clock.now();
    if (now - this.#since >= WINDOW) {
      this.#since = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count === this.#most + 1) this.#tell();
    return this.#count <= this.#most;
  }
}
