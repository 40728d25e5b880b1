import { type Clock, systemClock } from '@tenon/base';

/** Time in which the first changes are collected, in milliseconds. */
const MIN_DELAY = 250;
/** Time between two runs while changes do not end, in milliseconds. */
const MAX_DELAY = 8000;

/** Runs a task after changes: once for all changes of a short time, and less and less often while they do not end. */
export class RefreshQueue {
  readonly #run: () => Promise<void>;
  readonly #clock: Clock;
  #delay = MIN_DELAY;
  #isRunning = false;
  #isRequested = false;
  #cancel: (() => void) | undefined;

  /** @param run Must not reject. */
  constructor(run: () => Promise<void>, clock: Clock = systemClock) {
    this.#run = run;
    this.#clock = clock;
  }

  /** Requests a run. */
  request(): void {
    this.#isRequested = true;
    if (this.#isRunning || this.#cancel) return;
    this.#schedule();
  }

  /** Starts no further run. */
  stop(): void {
    this.#isRequested = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #schedule(): void {
    this.#cancel = this.#clock.after(this.#delay, () => {
      this.#cancel = undefined;
      if (this.#isRequested) void this.#start();
      // No change came during the last delay.
      else this.#delay = MIN_DELAY;
    });
  }

  async #start(): Promise<void> {
    this.#isRequested = false;
    this.#isRunning = true;
    await this.#run();
    this.#isRunning = false;
    this.#delay = Math.min(MAX_DELAY, this.#delay * 2);
    this.#schedule();
  }
}
