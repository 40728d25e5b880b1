import { type Clock, systemClock } from '@tenon/base';

/** Holds requests until the user lets the next one pass. Its clock stands still meanwhile, so that nothing times out. */
export class RequestGate {
  /** Clock of the sign-in. `now` is the time of day plus `ahead`. */
  readonly clock: Clock;
  /** Milliseconds by which the clock is ahead of the time of day. */
  ahead = 0;
  readonly #base: Clock;
  readonly #onChange: () => void;
  #isStepwise: boolean;
  #pass: (() => void) | undefined;
  #heldSince = 0;
  #heldFor = 0;

  /** @param onChange Called when a request starts or stops waiting. */
  constructor(isStepwise: boolean, onChange: () => void, base: Clock = systemClock) {
    this.#isStepwise = isStepwise;
    this.#onChange = onChange;
    this.#base = base;
    this.clock = {
      now: () => base.now() + this.ahead,
      elapsed: () => base.elapsed(),
      after: (ms, run, options) => this.#after(ms, run, options),
    };
  }

  get isHolding(): boolean {
    return this.#pass !== undefined;
  }

  /** Resolves when the request may be sent. */
  async wait(): Promise<void> {
    if (!this.#isStepwise) return;
    this.#heldSince = this.#base.elapsed();
    const passed = new Promise<void>(resolve => {
      this.#pass = resolve;
    });
    this.#onChange();
    await passed;
    this.#heldFor += this.#base.elapsed() - this.#heldSince;
    this.#pass = undefined;
    this.#onChange();
  }

  /** Lets the waiting request pass, or from now on all of them. */
  pass(all: boolean): void {
    if (all) this.#isStepwise = false;
    this.#pass?.();
  }

  /** Holds the following requests again. */
  hold(): void {
    this.#isStepwise = true;
  }

  #getHeldTime(): number {
    return this.#heldFor + (this.isHolding ? this.#base.elapsed() - this.#heldSince : 0);
  }

  /** Starts a timer that is late by the time in which requests were held. */
  #after(ms: number, run: () => void, options: Parameters<Clock['after']>[2]): () => void {
    let cancel: () => void = () => {};
    const arm = (delay: number) => {
      const heldBefore = this.#getHeldTime();
      cancel = this.#base.after(
        delay,
        () => {
          const held = this.#getHeldTime() - heldBefore;
          if (held > 0) arm(held);
          else run();
        },
        options,
      );
    };
    arm(ms);
    return () => cancel();
  }
}
