import type { Clock } from '../jsonrpc/clock.js';

/** A clock that can stand still: while the user is asked, say. Its timers wait as long. */
export interface PausingClock extends Clock {
  /** It stands still from here on. Returns the function that lets it go on; it goes when all who hold it have let go. */
  hold(): () => void;
}

export function pausingClock(base: Clock): PausingClock {
  const waiting = new Set<() => void>();
  let holders = 0;
  let since = 0;
  let stood = 0;
  const now = () => (holders > 0 ? since : base.now()) - stood;
  const release = () => {
    holders -= 1;
    if (holders > 0) return;
    stood += base.now() - since;
    for (const arm of [...waiting]) arm();
  };
  return {
    now,
    after(ms, run, options) {
      const due = now() + ms;
      let off: () => void = () => {};
      const arm = () => {
        waiting.delete(arm);
        if (holders > 0) waiting.add(arm);
        else off = base.after(Math.max(0, due - now()), () => (now() >= due ? run() : arm()), options);
      };
      arm();
      return () => {
        waiting.delete(arm);
        off();
      };
    },
    hold() {
      if (holders === 0) since = base.now();
      holders += 1;
      let held = true;
      return () => {
        if (held) release();
        held = false;
      };
    },
  };
}

/** The time that one call may take in all, over however many requests. Its clock stands still while the user is asked. */
export class Allowance {
  readonly #base: Clock;
  readonly #until: number;
  #clock: PausingClock | undefined;

  constructor(base: Clock, total: number = Number.POSITIVE_INFINITY) {
    this.#base = base;
    this.#until = total === Number.POSITIVE_INFINITY ? total : base.now() + total;
  }

  /** Made when it is first needed: most calls ask nothing. */
  get clock(): PausingClock {
    this.#clock ??= pausingClock(this.#base);
    return this.#clock;
  }

  /** Milliseconds. */
  get left(): number {
    if (this.#until === Number.POSITIVE_INFINITY) return this.#until;
    return Math.max(0, this.#until - (this.#clock ?? this.#base).now());
  }
}
