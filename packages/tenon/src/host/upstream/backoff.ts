import type { Clock } from '../../jsonrpc/clock.js';

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 60_000;

/** When it may be tried again: later after each failure, and not for all at the same time. Times are milliseconds. */
export class Backoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #until = 0;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** How long it is to be left alone from now on; 0 when it may be tried. */
  get left(): number {
    return Math.max(0, this.#until - this.#clock.now());
  }

  get failures(): number {
    return this.#failures;
  }

  failed(): void {
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
    this.#failures += 1;
    this.#until = this.#clock.now() + pause * (0.5 + this.#random() / 2);
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}
