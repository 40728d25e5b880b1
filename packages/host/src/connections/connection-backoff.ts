import type { Clock } from '@tenon/base';

const INITIAL_DELAY = 500;
const MAX_DELAY = 60_000;

/** Delay before the next connection attempt. It grows after each failure and is randomized. */
export class ConnectionBackoff {
  readonly #clock: Clock;
  readonly #random: () => number;
  #failures = 0;
  #until = 0;

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Remaining delay, in milliseconds. 0 if an attempt is allowed. */
  get remaining(): number {
    return Math.max(0, this.#until - this.#clock.elapsed());
  }

  get failures(): number {
    return this.#failures;
  }

  recordFailure(): void {
    const delay = Math.min(INITIAL_DELAY * 2 ** this.#failures, MAX_DELAY);
    this.#failures += 1;
    this.#until = this.#clock.elapsed() + delay * (0.5 + this.#random() / 2);
  }

  reset(): void {
    this.#failures = 0;
    this.#until = 0;
  }
}
